"""A server with generated documents, called by a client that shows views and by one that does not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.extension import advertise
from mcp.types import CallToolResult

from corpus.access import Caller
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from server.evidence_claims import KEY
from tests.server.conftest import PEN
from tests.server.desk import Desk, digest, figure, manual, passage, pdf

EXTENSION = "io.modelcontextprotocol/ui"
VIEWS = [advertise(EXTENSION, {"mimeTypes": ["text/html;profile=mcp-app"]})]
ANN = Caller(user_id="ann")
SEAL = "The pump stands dry. Change the seal every 2000 hours."
FROM, TO = SEAL.index("Change"), len(SEAL)


@asynccontextmanager
async def a_desk(folder: Path) -> AsyncIterator[Desk]:
    """A public PDF of three pages with a figure, a public note without pages, and a report that only ann may read."""
    index = LocalIndex.open(folder / "index", None)
    path = pdf(folder)
    state = path.stat()
    async with ReadingProcesses() as reading:
        desk = Desk(index, Library(index, reading, pen=PEN))
        await desk.put(
            manual(
                source_path=str(path), content_hash=digest(path), page_count=3, source_size=state.st_size,
                source_mtime_ns=state.st_mtime_ns, page_labels=("i", "ii", "1"),
            ),
            [
                passage(SEAL, place="p2-1", page=2, page_label="ii", bbox=(72, 60, 300, 90)),
                figure("Figure 3: Impeller, exploded view", bbox=(100, 200, 400, 500), content="Blade and hub"),
            ],
        )  # fmt: skip
        await desk.put(
            manual("notes", filename="notes.txt", page_count=None, source_path=""),
            [passage("The valve sticks in winter.", doc_id="notes", place="l1", page=None)],
        )
        await desk.put(
            manual("salaries", access=("user:ann",)),
            [passage("The salary of the director is secret.", doc_id="salaries")],
        )
        yield desk
    await index.aclose()


def with_views(desk: Desk, era: str) -> Client:
    return desk.client(era, extensions=VIEWS)


async def asked(desk: Desk, era: str, tool: str, **arguments: Any) -> CallToolResult:
    """Return the answer to a client that shows views."""
    async with with_views(desk, era) as client:
        result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result


def told(result: CallToolResult) -> dict[str, Any]:
    """Return the view data of the result."""
    assert result.meta
    held: dict[str, Any] = result.meta[KEY]
    assert set(held) == {"claims", "blocks", "prints", "more"}
    assert len(held["prints"]) == len(held["blocks"])
    return held


def size_of(result: CallToolResult) -> int:
    """Return the number of bytes of JSON by which the result grew."""
    return len(json.dumps({KEY: told(result)}, separators=(",", ":"), ensure_ascii=False).encode())


def units(text: str, start: int, end: int) -> str:
    """Return the part of a text at these UTF-16 offsets, as in JavaScript."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def wire(result: CallToolResult) -> Mapping[str, Any]:
    """Return the result as it is sent, without the data for the view."""
    whole: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    meta = {key: value for key, value in (whole.pop("_meta", None) or {}).items() if key != KEY}
    return whole | {"_meta": meta}
