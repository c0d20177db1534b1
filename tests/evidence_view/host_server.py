"""The real server for the host's page, with a sample document and with hostile documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client

from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.evidence_view.lacking import asked_azure, put_over_two_pages, put_warned_of
from tests.evidence_view.viewing import VIEWS
from tests.ingestion.shop import Shop
from tests.server.desk import ERAS, Desk, figure, manual, passage

SAMPLE = Path(__file__).parents[2] / "examples" / "documents" / "xyz-pump-operations-guide.pdf"
UNSEEN = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me")
HOSTILE = (
    '</script><script>document.title="broken"</script><img src=x onerror="document.title=1">'
    "<style>*{display:none}</style><svg onload=alert(1)><iframe src=https://evil.example/></iframe>"
    "<form action=https://evil.example/><base href=//evil.example>"
    "[1] [click](javascript:alert(1)) ![out](https://evil.example/a.png) {{1+1}} ${1+1} &lt;b&gt; \u202egpj.exe\u202c "
    f"\u2066turned\u2069 {UNSEEN}\u200b\ufeff"
)


@dataclass
class Server:
    """The server with its documents in `desk`. Calls go through one of the clients, which all show views: in either
    protocol era, or to a separate server with Azure AI Search."""

    desk: Desk
    portal: BlockingPortal
    clients: Mapping[str, Client]
    ids: Mapping[str, str]
    through: str = ERAS[0]

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the complete result, as a host passes it to a view."""

        async def called() -> dict[str, Any]:
            result = await self.clients[self.through].call_tool(name, dict(arguments))
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

        return self.portal.call(called)

    def read(self, uri: str) -> dict[str, Any]:
        async def read() -> dict[str, Any]:
            result = await self.clients[self.through].read_resource(uri)
            return result.contents[0].model_dump(mode="json", by_alias=True, exclude_none=True)

        return self.portal.call(read)

    def block(self, place: str) -> str:
        return f"{self.ids[SAMPLE.name]}-{place}"


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    with start_blocking_portal() as portal, ExitStack() as opened:
        desk = opened.enter_context(portal.wrap_async_context_manager(_stocked(folder)))
        ways = {era: desk.client(era, extensions=VIEWS) for era in ERAS} | {"azure": asked_azure()}
        clients = {way: opened.enter_context(portal.wrap_async_context_manager(client)) for way, client in ways.items()}
        ids = {one.filename: one.doc_id for one in portal.call(desk.index.all_documents)}
        yield Server(desk, portal, clients, ids)


@asynccontextmanager
async def _stocked(folder: Path) -> AsyncIterator[Desk]:
    index = LocalIndex.open(folder / "index", None)
    async with ReadingProcesses() as reading:
        await Shop(index, reading, folder).ingest(SAMPLE)
        desk = Desk(index, Library(index, reading), queries=False)
        await desk.put(
            manual("hostile", filename=f"{HOSTILE[:150]}.pdf", title=HOSTILE, source_path=""),
            [
                passage(
                    f"The seal {HOSTILE} holds 16 bar. " + "More text. " * 20_000,
                    doc_id="hostile",
                    heading=HOSTILE[:90],
                ),
                figure(f"Figure 1: {HOSTILE}", doc_id="hostile"),
            ],
        )
        await desk.put(
            manual("many", source_path=""),
            [
                passage(
                    f"Valve {n} opens at {n} bar.",
                    doc_id="many",
                    place=f"p{n}-1",
                    page=n,
                    page_label=f"A-{n}",
                )
                for n in range(1, 10)
            ]
            + [passage(f"Pipe {n} is {n} m long.", doc_id="many", place=f"p1-{n}", page=1) for n in range(10, 21)],
        )
        await put_warned_of(desk, folder)
        await put_over_two_pages(desk, folder)
        yield desk
    await index.aclose()
