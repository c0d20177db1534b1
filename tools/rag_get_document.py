"""rag_get_document: one document as a whole, and the text of some of its pages.

Annotations are evaluated as they stand: the SDK looks for a resolver's marker in the function that `make` makes.
"""

from typing import Annotated, Any

from mcp.server.mcpserver import Context, Resolve
from pydantic import Field, WithJsonSchema

from corpus.citations import printed_label
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.documents.pages import PageText
from corpus.errors import AmbiguousDocument, IbidError
from tools import bounds
from tools.asking import Chosen, Which, ask_which, can_elicit, choice, still_meant
from tools.document_shape import DocumentShape, document_shape, named, within_bounds
from tools.promise import PART, ROWS, Answer, CallerOf, LibraryOf, Shape, ToolFunction
from tools.rounds import question


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
            meant = await (await library()).meant.by_name(name, caller_of())
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
    max_tokens: int = bounds.MOST_TOKENS,
) -> DocumentAnswer:
    shape, cuts = (
        (named(document), ()) if pages else within_bounds(document_shape(document, figures), max_tokens)
    )
    start = DocumentAnswer(document=shape, warnings=[*warnings, *cuts])
    rows = [_page(page) for page in pages]
    shown, page_cuts = _pages_that_fit(rows, bounds.room(start), document)
    return start.model_copy(update={"pages": shown, "warnings": [*start.warnings, *page_cuts]})


def _pages_that_fit(rows: list[Page], room: int, document: Document) -> tuple[list[Page], tuple[str, ...]]:
    """Whole pages as long as they fit; the first one, if it alone is too long, is cut."""
    kept = bounds.rows_that_fit([bounds.tokens(row) for row in rows], room)
    cut = bounds.cut(rows[:kept], "text", room)
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
