"""rag_show_evidence: return the page with a claim's evidence, for the evidence view. The tool is not listed to
models."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Annotated

from mcp.types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import Field

from corpus.citations import citation, on_page, printed_label
from corpus.documents.block import BlockType
from corpus.documents.line_boxes import highlight_box
from corpus.documents.machine_text import is_ocr_text
from tools.disclosed_documents import disclose
from tools.protocol import NO_BOOLEAN, CallerOf, LibraryOf, Shape, ToolFunction
from tools.text_anchors import block_print, utf16_offset

if TYPE_CHECKING:
    from corpus.documents.block import Block
    from corpus.evidence_page import EvidencePage


MAX_TEXT = 20_000
"""Maximum length of the block text around the evidence, in characters."""


class EvidencePageShape(Shape):
    """A page, a block on it and the location of the evidence."""

    citation: str = Field(description="Of the page shown.")
    filename: str
    page_number: int | None = Field(description="Of the page shown; null if the document has no pages.")
    page_label: str | None = Field(description="The number printed on it.")
    page_count: int | None
    evidence_pages: list[int] = Field(description="Pages on which the evidence has boxes.")
    boxes: list[tuple[float, float, float, float]] = Field(
        description="Left, top, width and height, in percent of the page shown."
    )
    text: str = Field(description="Of the block, around the evidence.")
    mark: tuple[int, int] = Field(description="The evidence in `text`, in UTF-16 units.")
    rest: str = Field(description="The rest of the evidence, on the last of its pages; empty if there is none.")
    cut: bool = Field(description="Whether the block has more text.")
    block_type: BlockType
    image_url: str | None = Field(description="Of a figure, if the index has a web address for it.")
    alt: str | None = Field(description="The caption of a figure.")
    print: str = Field(description="Digest of the block's content. It changes when the content changes.")
    notes: list[str] = Field(description="Notes for the reader: stale, ocr, no_image.")


def evidence_page_shape(page: EvidencePage, page_word: str) -> EvidencePageShape:
    """Return the page in the form that the view receives, with at most MAX_TEXT characters of the block."""
    block = page.block
    first = _first_character(page)
    text = block.content[first : first + MAX_TEXT]
    mark = (page.start - first, min(page.end - first, len(text)))
    return EvidencePageShape(
        citation=citation_of(page, page_word),
        filename=page.document.filename,
        page_number=page.page_number,
        page_label=printed_label(_block_on_page(page).page_label),
        page_count=page.document.page_count,
        evidence_pages=[place.page_number for place in page.places],
        boxes=_boxes(page),
        text=text,
        mark=(utf16_offset(text, mark[0]), utf16_offset(text, mark[1])),
        rest=next((place.text for place in page.places if place.text), "")[:MAX_TEXT],
        cut=len(text) < len(block.content),
        block_type=block.block_type,
        image_url=_address(block),
        alt=block.image_caption,
        print=block_print(block),
        notes=_notes(page),
    )


def citation_of(page: EvidencePage, page_word: str) -> str:
    """Return the citation of a block in the form used in answers."""
    return citation(page.document, _block_on_page(page), page_word)


def _block_on_page(page: EvidencePage) -> Block:
    if page.page_number is None:
        return page.block
    return on_page(page.document, page.block, page.page_number)


def _first_character(page: EvidencePage) -> int:
    """Return the offset at which the text for the view begins. A long text is centred on the evidence."""
    spare = MAX_TEXT - (page.end - page.start)
    last = len(page.block.content) - MAX_TEXT
    return max(0, min(page.start - max(spare, 0) // 2, last))


def _boxes(page: EvidencePage) -> list[tuple[float, float, float, float]]:
    if page.picture is None:
        return []
    here = (place for place in page.places if place.page_number == page.page_number)
    shares = (highlight_box(box, page.picture.size) for place in here for box in place.boxes)
    return [(round(x, 2), round(y, 2), round(w, 2), round(h, 2)) for x, y, w, h in shares]


def _address(block: Block) -> str | None:
    """Return the figure's address from the index, or None if a browser cannot open it."""
    url = block.image_url
    return url if url and url.startswith(("https://", "http://")) else None


def _notes(page: EvidencePage) -> list[str]:
    notes_by_kind = {
        "stale": page.changed,
        "ocr": is_ocr_text(page.block),
        "no_image": page.picture is None,
    }
    return [note for note, holds in notes_by_kind.items() if holds]


MAX_BYTES = 90_000
"""Maximum size of the picture, in bytes. Some clients refuse results with more than 150,000 characters, which also
include text and boxes."""


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    """Return the tool's function."""

    async def rag_show_evidence(
        block_id: Annotated[str, Field(description="Of a source.")],
        start: Annotated[int, Field(ge=0, description="Of the evidence in the block."), NO_BOOLEAN] = 0,
        end: Annotated[int, Field(ge=0, description="0, 0: the whole block."), NO_BOOLEAN] = 0,
        page_number: Annotated[int | None, Field(ge=1, description="Another page of the document."), NO_BOOLEAN] = None,
    ) -> CallToolResult:
        """For the evidence view, which calls it itself: the page behind a claim, and the position of the sentence on
        it. A model uses rag_show_page."""
        opened = await library()
        page = await opened.show_evidence(
            block_id, start, end, caller_of(), page_number=page_number, max_bytes=MAX_BYTES
        )
        disclose(page.document.doc_id)
        word = opened.page_words.for_language(page.document.language)
        return CallToolResult(
            content=[*_picture(page), TextContent(type="text", text=citation_of(page, word))],
            structured_content=evidence_page_shape(page, word).model_dump(mode="json"),
        )

    return rag_show_evidence


def _picture(page: EvidencePage) -> list[ContentBlock]:
    if page.picture is None:
        return []
    data = base64.b64encode(page.picture.data).decode("ascii")
    return [ImageContent(type="image", data=data, mime_type=page.picture.mime_type)]
