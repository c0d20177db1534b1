"""Documents with warnings, and an index without pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from mcp import Client

from corpus.access import ANONYMOUS
from corpus.documents.line_boxes import LineBox
from corpus.index.protocol import NewBlock
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.azure.design_shelf import design_shelf
from tests.doubles.azure_search import StandIn
from tests.evidence_view.viewing import VIEWS
from tests.server.desk import Desk, digest, manual, passage, pdf
from tests.shelf import a_document, figure, texts

FIGURE_URL = "https://acme.blob.core.windows.net/figures/pump.png?sv=1&sig=a%2Fb"
WORN = "The old hose is made of leather. It was replaced each spring."
READ = "The boiler holds 300 litres. Drain it in winter."
OVER = ("Care of pumps\n1 Oil\nDrain the oil of the mill", "every 200 hours of work. Then rest.")
FILLED = "The tank of the mixer holds 40 litres. It stands in the yard."


async def put_warned_of(desk: Desk, folder: Path) -> None:
    """Add `old`, whose file changed, and `scan`, whose page was read by OCR."""
    old, scan = pdf(folder, "old.pdf", 1), pdf(folder, "scan.pdf", 1)
    was = digest(old)
    old.write_bytes(old.read_bytes() + b"\n% changed")
    await desk.put(
        manual("old", source_path=str(old), content_hash=was, page_count=1),
        [passage(WORN, doc_id="old", bbox=(72, 60, 300, 90))],
    )
    state = scan.stat()
    await desk.put(
        manual(
            "scan", source_path=str(scan), content_hash=digest(scan), page_count=1, source_size=state.st_size,
            source_mtime_ns=state.st_mtime_ns,
        ),
        [passage(READ, doc_id="scan", place="p1-ocr1", bbox=(72, 60, 300, 90))],
    )  # fmt: skip


async def put_over_two_pages(desk: Desk, folder: Path) -> None:
    """Add `over`, with a sentence that continues on its second page."""
    file = pdf(folder, "over.pdf", 2)
    box = (72.0, 60.0, 300.0, 90.0)
    said = [
        passage(OVER[0], doc_id="over", heading="1 Oil"),
        passage(OVER[1], doc_id="over", place="p2-1", page=2),
    ]
    blocks = [
        NewBlock(replace(one, access_control_list=("*",)), None, (LineBox(0, len(one.content), box),)) for one in said
    ]
    over = manual("over", source_path=str(file), content_hash=digest(file), page_count=2)
    await desk.index.replace(over, blocks)


@asynccontextmanager
async def asked_azure() -> AsyncIterator[Client]:
    """A client that shows views, of a server with Azure AI Search: a page of text and a figure with an address."""
    drawn = figure("mixer", "Figure 2: The mixer with its tank", 2)
    drawn = replace(drawn, block=replace(drawn.block, image_url=FIGURE_URL))
    async with StandIn() as service, design_shelf(service) as shelf:
        await shelf.put(a_document("mixer", page_count=9), *texts("mixer", FILLED), drawn)
        library = Library(shelf.index, None, image_url=no_url)

        async def opened() -> Library:
            return library

        async with Client(build_server(opened, CallLog(lambda: ANONYMOUS)), extensions=VIEWS) as client:
            yield client
