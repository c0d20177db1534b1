"""rag_get_document: one document as a whole, and the text of some of its pages."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.blocks import Block
from corpus.citations import printed_label
from corpus.documents import Document
from corpus.pages import PageText
from tools import bounds
from tools.document_shape import DocumentShape, document_shape, within_bounds
from tools.places import page_uri
from tools.promise import Answer, CallerOf, LibraryOf, Shape, ToolFunction


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
        pages: Annotated[
            str | None,
            Field(description="'7' or '3-5' of the file, for their text; '1' where there are no pages."),
        ] = None,
    ) -> DocumentAnswer:
        """Get one document: summaries, outline, figures and, when asked for, the text of some pages. Use it to
        summarize a document or to read on around a passage."""
        view = await (await library()).get_document(caller_of(), doc_id=doc_id, name=name, pages=pages)
        return answered(view.document, view.figures, view.pages, view.warnings)

    return rag_get_document


def answered(
    document: Document, figures: tuple[Block, ...], pages: tuple[PageText, ...], warnings: tuple[str, ...]
) -> DocumentAnswer:
    shape, cuts = within_bounds(document_shape(document, figures), bounded=bool(pages))
    start = DocumentAnswer(document=shape, warnings=[*warnings, *cuts])
    rows = [_page(document, page) for page in pages]
    shown, page_cuts = _pages_that_fit(rows, bounds.room(start), document)
    return start.model_copy(update={"pages": shown, "warnings": [*start.warnings, *page_cuts]})


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
        page_label=printed_label(page.page_label),
        text=page.text,
        uri=page_uri(document.doc_id, page.page_number),
    )
