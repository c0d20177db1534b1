"""rag_get_document: one document as a whole, and the text of some of its pages.

Annotations are evaluated as they stand: the SDK looks for a resolver's marker in the function that `make` makes.
"""

import operator
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, Resolve
from pydantic import Field, WithJsonSchema

from corpus.citations import printed_label
from corpus.documents.block import Block
from corpus.documents.document import Document, OutlineEntry
from corpus.documents.pages import PageText
from corpus.errors import AmbiguousDocument, IbidError
from tools import token_budget
from tools.elicitation import Chosen, Which, ask_which, can_elicit, choice, still_meant
from tools.multi_round import question
from tools.protocol import PART, ROWS, Answer, CallerOf, LibraryOf, Shape, ToolFunction
from tools.uris import document_uri

MAX_WARNINGS, MAX_WARNINGS_BESIDE_PAGES = 10, 3
MAX_SUMMARY, MAX_NAME = 800, 60


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


def named(document: Document) -> DocumentShape:
    """Beside pages: what it is called, how long it is and what its reading warned of."""
    return DocumentShape(
        doc_id=document.doc_id,
        filename=document.filename,
        title=token_budget.shortened(document.title, MAX_NAME),
        page_count=document.page_count,
        warnings=_warnings(document, MAX_WARNINGS_BESIDE_PAGES),
    )


def within_bounds(shape: DocumentShape, max_tokens: int) -> tuple[DocumentShape, tuple[str, ...]]:
    """The outline and the figures cut to half each of what the rest leaves; a short one leaves its part."""
    bare = shape.model_copy(update={"outline": [], "figures": []})
    left = max_tokens - token_budget.ROOM_FOR_WARNINGS - token_budget.tokens(bare)
    figures_need = sum(token_budget.tokens(one) for one in shape.figures)
    outline = token_budget.cut(shape.outline, "title", max(left // 2, left - figures_need))
    figures = token_budget.cut(
        shape.figures, "image_caption", left - sum(token_budget.tokens(one) for one in outline.rows)
    )
    cut = bare.model_copy(update={"outline": outline.rows, "figures": figures.rows})
    return cut, (*_left_out("outline", shape.outline, outline), *_left_out("figures", shape.figures, figures))


def _warnings(document: Document, most: int) -> list[str]:
    return [token_budget.shortened(warning, MAX_NAME * 2) for warning in document.warnings[:most]]


def _left_out(
    what: str, all_of: list[Heading] | list[Figure], cut: token_budget.Cut[Heading] | token_budget.Cut[Figure]
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
    page_number: int | None = Field(
        default=None, description="Left out: the document has no pages, this is its text."
    )
    page_label: str | None = Field(default=None, description="Number printed on it, where it differs.")
    text: str


class DocumentAnswer(Answer):
    document: Annotated[DocumentShape, WithJsonSchema(PART)] = Field(
        description="doc_id, filename, title, page_count; without pages also summaries, outline (title, level, "
        "page_number), figures (block_id, image_caption, page_number) and more."
    )
    pages: Annotated[list[Page], WithJsonSchema(ROWS)] = Field(
        default_factory=list, description="page_number, page_label, text."
    )


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    @question("document")
    async def chosen_by_the_user(ctx: Context[Any, Any], doc_id: str | None, name: str | None) -> Which:
        if doc_id or not name or not can_elicit(ctx):
            return None
        try:
            meant = await (await library()).resolver.by_name(name, caller_of())
        except AmbiguousDocument as several:
            return await ask_which(several, ctx, chosen_by_the_user)
        except IbidError:  # the tool meets the same failure and tells it, unless the choice is what is gone
            return still_meant(None, ctx, chosen_by_the_user)
        return still_meant(meant.doc_id, ctx, chosen_by_the_user)

    async def rag_get_document(
        chosen: Annotated[Chosen, Resolve(chosen_by_the_user)],
        doc_id: Annotated[str | None, Field(description="Its id. Give this or name.")] = None,
        name: Annotated[
            str | None,
            Field(description="Its file name or title, or words of them; the user is asked if several fit."),
        ] = None,
        pages: Annotated[
            str | None,
            Field(description="'7' or '3-5' of the file, for their text; '1' where there are no pages."),
        ] = None,
    ) -> DocumentAnswer:
        """Get one document (a PDF, manual, report, note or mail): summaries, outline and figures, or the text of some
        pages alone. Use it to summarize a document or to read on around a passage. Write (Source: file, S. page) after
        each fact you take."""
        if picked := choice(chosen):
            doc_id, name = picked, None
        view = await (await library()).get_document(caller_of(), doc_id=doc_id, name=name, pages=pages)
        return answered(view.document, view.figures, view.pages, view.warnings)

    return rag_get_document


def answered(
    document: Document,
    figures: tuple[Block, ...],
    pages: tuple[PageText, ...],
    warnings: tuple[str, ...],
    max_tokens: int = token_budget.MAX_TOKENS,
) -> DocumentAnswer:
    shape, cuts = (
        (named(document), ()) if pages else within_bounds(document_shape(document, figures), max_tokens)
    )
    start = DocumentAnswer(document=shape, warnings=[*warnings, *cuts])
    rows = [_page(page) for page in pages]
    shown, page_cuts = _pages_that_fit(rows, token_budget.room(start), document)
    return start.model_copy(update={"pages": shown, "warnings": [*start.warnings, *page_cuts]})


def _pages_that_fit(rows: list[Page], room: int, document: Document) -> tuple[list[Page], tuple[str, ...]]:
    """Whole pages as long as they fit; the first one, if it alone is too long, is cut."""
    kept = token_budget.rows_that_fit([token_budget.tokens(row) for row in rows], room)
    cut = token_budget.cut(rows[:kept], "text", room)
    cuts = []
    if cut.shortened:
        cuts.append(
            f"The text is cut to fit into one answer (it ends in …). rag_semantic_search with "
            f"filters.doc_id={document.doc_id} finds passages in the rest."
        )
    if left := rows[kept:]:
        cuts.append(
            f"Pages {left[0].page_number}-{left[-1].page_number} did not fit: ask for them with pages."
        )
    return cut.rows, tuple(cuts)


def _page(page: PageText) -> Page:
    label = printed_label(page.page_label)
    return Page(
        page_number=page.page_number,
        page_label=None if label == str(page.page_number) else label,
        text=page.text,
    )
