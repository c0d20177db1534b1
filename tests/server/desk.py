"""A server with a real index in a temporary folder, and the documents that tests add to it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, Implementation

from corpus.access import ANONYMOUS, Caller
from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.library import Library
from server.app import NO_MODELS, build_server
from server.calls.tool_call import CallLog
from server.sdk_gaps.subscriptions import Watch
from tests import answers
from tests.doubles.client_model import ClientModel
from tools.protocol import Models

ERAS = ("auto", "legacy")
CLIENT = Implementation(name="tests", version="1")
"""A name other than that of the SDK, which frameworks use."""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)


@dataclass
class Desk:
    """A server for tests. `caller` may change between calls, as the transport would change it."""

    index: LocalIndex
    library: Library
    caller: Caller = ANONYMOUS
    queries: bool = True
    models: Models = NO_MODELS
    server: MCPServer[Any] = field(init=False)
    watch: Watch = field(init=False)

    def __post_init__(self) -> None:
        call_log = CallLog(lambda: self.caller, queries=self.queries)
        self.watch = Watch(self.opened, seconds=0.01)
        self.server = build_server(self.opened, call_log, models=self.models, watch=self.watch)

    async def opened(self) -> Library:
        return self.library

    def client(self, era: str = "auto", model: ClientModel | None = None, **more: Any) -> Client:
        """Open a client. `model` is the client's own model, for tools that ask for it."""
        more.setdefault("client_info", CLIENT)
        return Client(self.server, mode=era, sampling_callback=model, **more)  # type: ignore[arg-type]

    async def put(self, document: Document, blocks: Sequence[Block]) -> None:
        acl = document.access_control_list
        new = [NewBlock(replace(block, access_control_list=acl), _picture(block)) for block in blocks]
        await self.index.replace(document, new)

    async def call(self, tool: str, era: str = "auto", **arguments: Any) -> dict[str, Any]:
        """Return the structured answer of a call that must succeed."""
        async with self.client(era) as client:
            return answer_in(await client.call_tool(tool, arguments))

    async def failure(self, tool: str, era: str = "auto", **arguments: Any) -> dict[str, Any]:
        """Return the error of a call that must fail, after checking its structure."""
        async with self.client(era) as client:
            return failure_in(await client.call_tool(tool, arguments))


def answer_in(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def failure_in(result: CallToolResult) -> dict[str, Any]:
    return answers.failure_in(result.model_dump(mode="json", by_alias=True, exclude_none=True))


def manual(doc_id: str = "pump", *, access: Sequence[str] = ("*",), **changes: Any) -> Document:
    base = Document(
        doc_id=doc_id,
        filename=f"{doc_id}.pdf",
        title=f"Manual of the {doc_id}",
        document_type="Manual",
        upload_date="2026-03-31T10:00:00+00:00",
        page_count=9,
        summary_brief=f"How the {doc_id} works.",
        access_control_list=tuple(access),
        source_path=f"/secret/folder/{doc_id}.pdf",
        content_hash="secrethash",
    )
    return replace(base, **changes)


def passage(text: str, *, doc_id: str = "pump", place: str = "p1-1", page: int | None = 1, **changes: Any) -> Block:
    base = Block(
        block_id=f"{doc_id}-{place}",
        doc_id=doc_id,
        block_type="text",
        content=text,
        page_number=page,
        language="en",
    )
    return replace(base, **changes)


def figure(caption: str, *, doc_id: str = "pump", place: str = "p2-f1", page: int | None = 2, **changes: Any) -> Block:
    base = Block(
        block_id=f"{doc_id}-{place}",
        doc_id=doc_id,
        block_type="image",
        image_caption=caption,
        page_number=page,
        language="en",
    )
    return replace(base, **changes)


def pdf(folder: Path, name: str = "pump.pdf", pages: int = 3) -> Path:
    """Write a real PDF, for tests that render pages."""
    from reportlab.pdfgen.canvas import Canvas

    path = folder / name
    canvas = Canvas(str(path))
    for number in range(1, pages + 1):
        canvas.drawString(72, 720, f"Page {number} of the pump manual")
        canvas.showPage()
    canvas.save()
    return path


def _picture(block: Block) -> Picture | None:
    return Picture(PNG, "image/png") if block.block_type == "image" else None


def digest(path: Path) -> str:
    """Return the content hash that an ingestion would store."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
