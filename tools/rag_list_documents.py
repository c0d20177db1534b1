"""rag_list_documents: list and filter the documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.filters import Filters
from corpus.search import DocumentList, Listing
from tools import token_budget
from tools.input_schemas import FilterArgumentsInShort
from tools.protocol import (
    NO_BOOLEAN,
    ROWS,
    Answer,
    CallerOf,
    LibraryOf,
    Shape,
    ToolFunction,
    no_identity_warning,
)
from tools.uris import document_uri

SortBy = Literal["upload_date", "document_date", "title", "filename", "document_type", "page_count"]

MAX_NAME = 60
"""Maximum length of a title, and of the list of authors, in tokens."""


class ListedDocument(Shape):
    """A document in the list."""

    doc_id: str
    filename: str
    title: str
    document_type: str
    upload_date: str = Field(description="When it was indexed.")
    document_date: str | None = Field(default=None, description="The document's own date.")
    author: str | None = None
    department: str | None = None
    page_count: int | None = None
    summary_brief: str = ""
    status: Literal["text", "ready"] = Field(description="text: keyword search only, until vectors exist.")
    uri: str


class ListAnswer(Answer):
    """A page of the list."""

    documents: Annotated[list[ListedDocument], WithJsonSchema(ROWS)] = Field(
        description="Each: doc_id, filename, title, document_type, author, upload_date (of indexing), document_date "
        "(its own), page_count, summary_brief, status (text: keyword search only, until vectors exist) and more."
    )
    count: int = Field(description="Documents in this answer.")
    total: int = Field(description="All documents that match.")
    next_cursor: str | None = Field(default=None, description="Pass as cursor; left out at the end.")

    @property
    def counted(self) -> int:
        """See `Answer`."""
        return self.count


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    """Return the tool's function."""

    async def rag_list_documents(
        query: Annotated[str | None, Field(description="Words of the title, file name or summary.")] = None,
        filters: FilterArgumentsInShort = None,
        sort_by: Annotated[SortBy, Field(description="Newest or largest first; names from A to Z.")] = "upload_date",
        limit: Annotated[int, Field(ge=1, le=50, description="How many."), NO_BOOLEAN] = 20,
        cursor: Annotated[str | None, Field(description="next_cursor of the previous answer.")] = None,
    ) -> ListAnswer:
        """List the user's documents (my files: PDFs, manuals, reports, notes, mail) with dates, types, authors and
        short summaries. Use it to see which documents exist, or those with a property (filters). Follow next_cursor
        until total is reached."""
        caller = caller_of()
        opened = await library()
        listing = Listing(query, Filters.parse(filters), sort_by, limit, cursor)
        listed = await opened.list_documents(listing, caller)
        answer = build_answer(listed, caller)
        page_size = len(listed.documents)
        while answer.count < len(listed.documents):
            # Repeat the listing with the number of documents that fit, so that the cursor continues where this answer
            # ends.
            listed = await opened.list_documents(replace(listing, limit=answer.count), caller)
            answer = build_answer(listed, caller, page_size=page_size)
        return answer

    return rag_list_documents


def build_answer(listed: DocumentList, caller: Caller, page_size: int = 0) -> ListAnswer:
    """Return the answer with the rows that fit. `page_size` is the number of rows before some were dropped, or 0 if
    none were dropped."""
    warnings = [*(() if listed.total else no_identity_warning(caller)), *listed.warnings]
    rows = [listed_document(document) for document in listed.documents]
    empty = ListAnswer(documents=[], count=0, total=listed.total, next_cursor=listed.next_after, warnings=warnings)
    cut = token_budget.cut(rows, "summary_brief", token_budget.room(empty))
    if cut.shortened:
        warnings.append(f"{cut.shortened} summaries are cut (they end in …); rag_get_document returns the full text.")
    if page_size:
        warnings.append(f"{len(rows)} of {page_size} documents fit into one answer; next_cursor continues from there.")
    return empty.model_copy(update={"documents": cut.rows, "count": len(cut.rows), "warnings": warnings})


def listed_document(document: Document) -> ListedDocument:
    """Return a document as a row of the list, with its complete summary."""
    return ListedDocument(
        doc_id=document.doc_id,
        filename=document.filename,
        title=token_budget.shortened(document.title, MAX_NAME),
        document_type=document.document_type,
        upload_date=document.upload_date,
        document_date=document.document_date,
        author=document.author and token_budget.shortened(document.author, MAX_NAME),
        department=document.department,
        page_count=document.page_count,
        summary_brief=document.summary_brief,
        status=document.status,
        uri=document_uri(document.doc_id),
    )
