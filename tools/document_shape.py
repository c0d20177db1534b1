"""A document as the client sees it, bounded: nothing of where its file lies or who may read it."""

from __future__ import annotations

import operator
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from corpus.documents.block import Block
from corpus.documents.document import Document, OutlineEntry
from tools import bounds
from tools.places import document_uri
from tools.promise import ROWS, Shape

MAX_WARNINGS, MAX_WARNINGS_BESIDE_PAGES = 10, 3
LONGEST_SUMMARY, LONGEST_NAME = 800, 60


class Heading(Shape):
    """A heading of the outline, as the client sees it."""

    title: str
    level: int
    page_number: int | None = None


class Figure(Shape):
    """A figure of the document, as the client sees it."""

    block_id: str
    image_caption: str
    image_url: str | None = None
    page_number: int | None = None


class DocumentShape(Shape):
    doc_id: str
    filename: str
    title: str
    document_type: str | None = None
    upload_date: str | None = None
    document_date: str | None = None
    author: str | None = None
    department: str | None = None
    page_count: int | None = None
    summary_brief: str | None = None
    summary_standard: str | None = None
    status: Literal["text", "ready"] | None = None
    warnings: list[str] = Field(
        default_factory=list,
        exclude_if=operator.not_,
        description="From its reading: pages without text and the like.",
    )
    outline: Annotated[list[Heading], WithJsonSchema(ROWS)] = Field(
        default_factory=list,
        exclude_if=operator.not_,
        description="Table of contents: title, level, page_number.",
    )
    figures: Annotated[list[Figure], WithJsonSchema(ROWS)] = Field(
        default_factory=list,
        exclude_if=operator.not_,
        description="block_id, image_caption, image_url, page_number.",
    )
    uri: str | None = None


def document_shape(document: Document, figures: tuple[Block, ...]) -> DocumentShape:
    return DocumentShape(
        doc_id=document.doc_id,
        filename=document.filename,
        title=bounds.shortened(document.title, LONGEST_NAME),
        document_type=document.document_type,
        upload_date=document.upload_date,
        document_date=document.document_date,
        author=document.author and bounds.shortened(document.author, LONGEST_NAME),
        department=document.department,
        page_count=document.page_count,
        summary_brief=bounds.shortened(document.summary_brief, LONGEST_SUMMARY),
        summary_standard=bounds.shortened(document.summary_standard, LONGEST_SUMMARY),
        status=document.status,
        warnings=_warnings(document, MAX_WARNINGS),
        outline=[_heading(entry) for entry in document.outline],
        figures=[_figure(block) for block in figures],
        uri=document_uri(document.doc_id),
    )


def named(document: Document) -> DocumentShape:
    """Beside pages: what it is called, how long it is and what its reading warned of."""
    return DocumentShape(
        doc_id=document.doc_id,
        filename=document.filename,
        title=bounds.shortened(document.title, LONGEST_NAME),
        page_count=document.page_count,
        warnings=_warnings(document, MAX_WARNINGS_BESIDE_PAGES),
    )


def within_bounds(shape: DocumentShape, max_tokens: int) -> tuple[DocumentShape, tuple[str, ...]]:
    """The outline and the figures cut to half each of what the rest leaves; a short one leaves its part."""
    bare = shape.model_copy(update={"outline": [], "figures": []})
    left = max_tokens - bounds.ROOM_FOR_WARNINGS - bounds.tokens(bare)
    figures_need = sum(bounds.tokens(one) for one in shape.figures)
    outline = bounds.cut(shape.outline, "title", max(left // 2, left - figures_need))
    figures = bounds.cut(
        shape.figures, "image_caption", left - sum(bounds.tokens(one) for one in outline.rows)
    )
    cut = bare.model_copy(update={"outline": outline.rows, "figures": figures.rows})
    return cut, (*_left_out("outline", shape.outline, outline), *_left_out("figures", shape.figures, figures))


def _warnings(document: Document, most: int) -> list[str]:
    return [bounds.shortened(warning, LONGEST_NAME * 2) for warning in document.warnings[:most]]


def _left_out(
    what: str, all_of: list[Heading] | list[Figure], cut: bounds.Cut[Heading] | bounds.Cut[Figure]
) -> tuple[str, ...]:
    if not cut.dropped:
        return ()
    rest = (
        "pages shows the contents pages"
        if what == "outline"
        else "rag_semantic_search with filters.doc_id and filters.block_type=image finds the rest"
    )
    return (f"The {what} shows {len(cut.rows)} of {len(all_of)} entries; {rest}.",)


def _heading(entry: OutlineEntry) -> Heading:
    return Heading(
        title=bounds.shortened(entry.title, LONGEST_NAME), level=entry.level, page_number=entry.page_number
    )


def _figure(block: Block) -> Figure:
    return Figure(
        block_id=block.block_id,
        image_caption=bounds.shortened(block.image_caption or "", LONGEST_NAME),
        image_url=block.image_url,
        page_number=block.page_number,
    )
