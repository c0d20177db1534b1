"""rag_get_document: return the summaries, outline and figures of a document, or the text of some of its pages.

No `from __future__ import annotations` here: the SDK evaluates annotations that name resolvers local to `make`.
"""

import operator
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, Resolve
from pydantic import Field, WithJsonSchema

from corpus.citations import printed_label
from corpus.documents.block import Block
from corpus.documents.document import Document, OutlineEntry
from corpus.documents.page_ranges import PageText
from corpus.errors import AmbiguousDocument, IbidError
from tools import token_budget
from tools.elicitation import Chosen, Which, ask_which, can_elicit, choice, still_meant
from tools.multi_round import question
from tools.protocol import PART, ROWS, Answer, CallerOf, LibraryOf, Shape, ToolFunction
from tools.uris import document_uri

MAX_WARNINGS, MAX_WARNINGS_BESIDE_PAGES = 10, 3
MAX_SUMMARY, MAX_NAME = 800, 60


class Heading(Shape):
    """A heading of the outline."""

    title: str
    level: int
    page_number: int | None = None


class Figure(Shape):
    """A figure of the document."""

    block_id: str
    image_caption: str
    image_url: str | None = None
    page_number: int | None = None


class DocumentShape(Shape):
    """A document. An answer with pages contains only the first fields."""

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
        description="Problems in reading it, such as pages without text.",
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
    """Return all fields of a document, with texts shortened."""
    return DocumentShape(
        doc_id=document.doc_id,
        filename=document.filename,
        title=token_budget.shortened(document.title, MAX_NAME),
        document_type=document.document_type,
        upload_date=document.upload_date,
        document_date=document.document_date,
        author=document.author and token_budget.shortened(document.author, MAX_NAME),
        department=document.department,
        page_count=document.page_count,
        summary_brief=token_budget.shortened(document.summary_brief, MAX_SUMMARY),
        summary_standard=token_budget.shortened(document.summary_standard, MAX_SUMMARY),
        status=document.status,
        warnings=_warnings(document, MAX_WARNINGS),
        outline=[_heading(entry) for entry in document.outline],
        figures=[_figure(block) for block in figures],
        uri=document_uri(document.doc_id),
    )


def page_header(document: Document) -> DocumentShape:
    """Return the fields of a document that accompany its pages: name, length and warnings."""
    return DocumentShape(
        doc_id=document.doc_id,
        filename=document.filename,
        title=token_budget.shortened(document.title, MAX_NAME),
        page_count=document.page_count,
        warnings=_warnings(document, MAX_WARNINGS_BESIDE_PAGES),
    )


def within_bounds(shape: DocumentShape, max_tokens: int) -> tuple[DocumentShape, tuple[str, ...]]:
    """Cut outline and figures to `max_tokens`. Each may use half of the available tokens, plus those that the other
    does not need. Also return warnings about the cuts."""
    bare = shape.model_copy(update={"outline": [], "figures": []})
    left = max_tokens - token_budget.ROOM_FOR_WARNINGS - token_budget.tokens(bare)
    figures_need = sum(map(token_budget.tokens, shape.figures))
    outline = token_budget.cut(shape.outline, "title", max(left // 2, left - figures_need))
    figures = token_budget.cut(shape.figures, "image_caption", left - sum(map(token_budget.tokens, outline.rows)))
    cut = bare.model_copy(update={"outline": outline.rows, "figures": figures.rows})
    return cut, (*_left_out("outline", shape.outline, outline), *_left_out("figures", shape.figures, figures))


def _warnings(document: Document, count: int) -> list[str]:
    return [token_budget.shortened(warning, MAX_NAME * 2) for warning in document.warnings[:count]]


def _left_out(
    what: str, all_of: list[Heading] | list[Figure], cut: token_budget.Cut[Heading] | token_budget.Cut[Figure]
) -> tuple[str, ...]:
    if not cut.dropped:
        return ()
    rest = (
        "for the rest, read its table of contents with pages"
        if what == "outline"
        else "rag_semantic_search with filters.doc_id and filters.block_type=image finds the rest"
    )
    return (f"The {what} shows {len(cut.rows)} of {len(all_of)} entries; {rest}.",)


def _heading(entry: OutlineEntry) -> Heading:
    return Heading(
        title=token_budget.shortened(entry.title, MAX_NAME), level=entry.level, page_number=entry.page_number
    )


def _figure(block: Block) -> Figure:
    return Figure(
        block_id=block.block_id,
        image_caption=token_budget.shortened(block.image_caption or "", MAX_NAME),
        image_url=block.image_url,
        page_number=block.page_number,
    )


class Page(Shape):
    """The text of a page."""

    page_number: int | None = Field(default=None, description="Left out if the document has no pages.")
    page_label: str | None = Field(default=None, description="Number printed on it, if it differs.")
    text: str


class DocumentAnswer(Answer):
    """A document and the requested pages."""

    document: Annotated[DocumentShape, WithJsonSchema(PART)] = Field(
        description="doc_id, filename, title, page_count; without pages also summaries, outline (title, level, "
        "page_number), figures (block_id, image_caption, page_number) and more."
    )
    pages: Annotated[list[Page], WithJsonSchema(ROWS)] = Field(
        default_factory=list, description="page_number, page_label, text."
    )


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    """Return the tool's function."""

    @question("document")
    async def choose_document(ctx: Context[Any, Any], doc_id: str | None, name: str | None) -> Which:
        if doc_id or not name or not can_elicit(ctx):
            return None
        try:
            meant = await (await library()).resolver.by_name(name, caller_of())
        except AmbiguousDocument as several:
            return await ask_which(several, ctx, choose_document)
        except IbidError:  # the tool itself will report this error, unless the chosen document is gone
            return still_meant(None, ctx, choose_document)
        return still_meant(meant.doc_id, ctx, choose_document)

    async def rag_get_document(
        chosen: Annotated[Chosen, Resolve(choose_document)],
        doc_id: Annotated[str | None, Field(description="Its id. Give this or name.")] = None,
        name: Annotated[
            str | None,
            Field(description="Its file name or title, or words from it; the user is asked if several fit."),
        ] = None,
        pages: Annotated[
            str | None,
            Field(description="Pages of the file to read: '7' or '3-5'; '1' if it has no pages."),
        ] = None,
    ) -> DocumentAnswer:
        """Get one document (a PDF, manual, report, note or mail): summaries, outline and figures, or only the text of
        some pages. Use it to summarize a document or to read on around a passage. Write (Source: file, S. page) after
        each fact you take."""
        if picked := choice(chosen):
            doc_id, name = picked, None
        view = await (await library()).get_document(caller_of(), doc_id=doc_id, name=name, pages=pages)
        return build_answer(view.document, view.figures, view.pages, view.warnings)

    return rag_get_document


def build_answer(
    document: Document,
    figures: tuple[Block, ...],
    pages: tuple[PageText, ...],
    warnings: tuple[str, ...],
    max_tokens: int = token_budget.MAX_TOKENS,
) -> DocumentAnswer:
    """Return the answer within `max_tokens`. If there are pages, the answer contains only a few of the document's
    fields."""
    shape, cuts = (page_header(document), ()) if pages else within_bounds(document_shape(document, figures), max_tokens)
    start = DocumentAnswer(document=shape, warnings=[*warnings, *cuts])
    rows = [_page(page) for page in pages]
    fitting, page_cuts = _pages_that_fit(rows, token_budget.room(start), document)
    return start.model_copy(update={"pages": fitting, "warnings": [*start.warnings, *page_cuts]})


def _pages_that_fit(rows: list[Page], room: int, document: Document) -> tuple[list[Page], tuple[str, ...]]:
    """Return as many complete pages as fit into `room` tokens. If even the first page is too long, cut it. Also return
    warnings about the cuts."""
    kept = token_budget.rows_that_fit([token_budget.tokens(row) for row in rows], room)
    cut = token_budget.cut(rows[:kept], "text", room)
    cuts = []
    if cut.shortened:
        cuts.append(
            f"The text is cut to fit into one answer (it ends in …). rag_semantic_search with "
            f"filters.doc_id={document.doc_id} finds passages in the rest."
        )
    if left := rows[kept:]:
        cuts.append(f"Pages {left[0].page_number}-{left[-1].page_number} did not fit: request them with pages.")
    return cut.rows, tuple(cuts)


def _page(page: PageText) -> Page:
    label = printed_label(page.page_label)
    return Page(
        page_number=page.page_number,
        page_label=None if label == str(page.page_number) else label,
        text=page.text,
    )
