"""rag_show_evidence: the page behind a claim, for the view that shows it; not listed to a model."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import Field

from tools.evidence_shape import citation_of, shown
from tools.given import gave
from tools.promise import NO_BOOLEAN, CallerOf, LibraryOf, ToolFunction

if TYPE_CHECKING:
    from corpus.evidence.page import EvidencePage

MOST_BYTES = 90_000
"""Of the picture: some clients refuse a result of more than 150,000 characters, text and boxes included."""


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    async def rag_show_evidence(
        block_id: Annotated[str, Field(description="Of a source.")],
        start: Annotated[int, Field(ge=0, description="Of the evidence in the block."), NO_BOOLEAN] = 0,
        end: Annotated[int, Field(ge=0, description="0, 0: the whole block."), NO_BOOLEAN] = 0,
        page_number: Annotated[
            int | None, Field(ge=1, description="Another page of the document."), NO_BOOLEAN
        ] = None,
    ) -> CallToolResult:
        """For the evidence view, which calls it itself: the page behind a claim, with the sentence's place on it. A
        model uses rag_show_page."""
        opened = await library()
        page = await opened.show_evidence(
            block_id, start, end, caller_of(), page_number=page_number, max_bytes=MOST_BYTES
        )
        gave(page.document.doc_id)
        word = opened.page_words.for_language(page.document.language)
        return CallToolResult(
            content=[*_picture(page), TextContent(type="text", text=citation_of(page, word))],
            structured_content=shown(page, word).model_dump(mode="json"),
        )

    return rag_show_evidence


def _picture(page: EvidencePage) -> list[ContentBlock]:
    if page.picture is None:
        return []
    data = base64.b64encode(page.picture.data).decode("ascii")
    return [ImageContent(type="image", data=data, mime_type=page.picture.mime_type)]
