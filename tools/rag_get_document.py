"""rag_get_document: one document as a whole, and the text of some of its pages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.blocks import Block
from corpus.documents import Document, OutlineEntry
from corpus.pages import PageText
from tools import bounds
from tools.places import document_uri, page_uri
from tools.promise import Answer, CallerOf, LibraryOf, Shape, ToolFunction

MOST_FOR_DOCUMENT = 3000
"""Tokens of everything but the pages, when pages are asked for as well."""

LONGEST_SUMMARY, LONGEST_NAME = 800, 60


class Heading(Shape):
    title: str
    level: int
    page_number: int | None = None


class Figure(Shape):
    block_id: str
    image_caption: str
    image_url: str | None = None
    page_number: int | None = None


class DocumentShape(Shape):
    doc_id: str
    filename: str
    title: str
    document_type: str
    upload_date: str
    document_date: str | None = None
    author: str | None = None
    department: str | None = None
    page_count: int | None = None
    summary_brief: str = ""
    summary_standard: str = ""
    status: Literal["text", "ready"]
    warnings: list[str] = Field(
        default_factory=list, description="From its reading: pages without text and the like."
    )
    outline: list[Heading] = Field(default_factory=list, description="Table of contents.")
    figures: list[Figure] = Field(default_factory=list)
    uri: str


class Page(Shape):
    page_number: int | None = Field(
        default=None, description="null: the document has no pages, this is its text."
    )
    page_label: str | None = None
    text: str
    uri: str


class DocumentAnswer(Answer):
    document: DocumentShape
    pages: list[Page] = Field(default_factory=list)


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    async def rag_get_document(
        doc_id: Annotated[str | None, Field(description="Its id. Give this or name.")] = None,
        name: Annotated[str | None, Field(description="Its file name or title, or words of them.")] = None,
        pages: Annotated[str | None, Field(description="'7' or '3-5' of the file, for their text.")] = None,
    ) -> DocumentAnswer:
        """Get one document: summaries, outline, figures and, when asked for, the text of some pages. Use it to
        summarize a document or to read on around a passage."""
        view = await (await library()).get_document(caller_of(), doc_id=doc_id, name=name, pages=pages)
        return answered(view.document, view.figures, view.pages, view.warnings)

    return rag_get_document


def answered(
    document: Document, figures: tuple[Block, ...], pages: tuple[PageText, ...], warnings: tuple[str, ...]
) -> DocumentAnswer:
    shape, cuts = _within_bounds(document_shape(document, figures), bounded=bool(pages))
    start = DocumentAnswer(document=shape, warnings=[*warnings, *cuts])
    rows = [_page(document, page) for page in pages]
    shown, page_cuts = _pages_that_fit(rows, bounds.room(start), document)
    return start.model_copy(update={"pages": shown, "warnings": [*start.warnings, *page_cuts]})


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
        warnings=[bounds.shortened(one, LONGEST_NAME * 2) for one in document.warnings[:10]],
        outline=[_heading(entry) for entry in document.outline],
        figures=[_figure(block) for block in figures],
        uri=document_uri(document.doc_id),
    )


def _within_bounds(shape: DocumentShape, *, bounded: bool) -> tuple[DocumentShape, tuple[str, ...]]:
    """The outline and the figures cut to half each of what the rest leaves; a short one leaves its part."""
    bare = shape.model_copy(update={"outline": [], "figures": []})
    left = (MOST_FOR_DOCUMENT if bounded else bounds.room(bare)) - (bounds.tokens(bare) if bounded else 0)
    figures_need = sum(bounds.tokens(one) for one in shape.figures)
    outline = bounds.cut(shape.outline, "title", max(left // 2, left - figures_need))
    figures = bounds.cut(
        shape.figures, "image_caption", left - sum(bounds.tokens(one) for one in outline.rows)
    )
    cut = bare.model_copy(update={"outline": outline.rows, "figures": figures.rows})
    return cut, (*_left_out("outline", shape.outline, outline), *_left_out("figures", shape.figures, figures))


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


def _pages_that_fit(rows: list[Page], room: int, document: Document) -> tuple[list[Page], tuple[str, ...]]:
    """Whole pages as long as they fit; the first one, if it alone is too long, is cut."""
    kept = bounds.rows_that_fit([bounds.tokens(row) for row in rows], room)
    cut = bounds.cut(rows[:kept], "text", room)
    said = []
    if cut.shortened:
        said.append(
            f"The text is cut to fit into one answer (it ends in …). rag_semantic_search with "
            f"filters.doc_id={document.doc_id} finds passages in the rest."
        )
    if left := rows[kept:]:
        said.append(
            f"Pages {left[0].page_number}-{left[-1].page_number} did not fit: ask for them with pages."
        )
    return cut.rows, tuple(said)


def _page(document: Document, page: PageText) -> Page:
    return Page(
        page_number=page.page_number,
        page_label=page.page_label,
        text=page.text,
        uri=page_uri(document.doc_id, page.page_number),
    )


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
