"""rag_list_documents: which documents there are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.access import Caller
from corpus.documents import Document
from corpus.filters import Filters
from corpus.search import Listed, Listing
from tools import bounds
from tools.filter_schema import FilterArguments
from tools.places import document_uri
from tools.promise import Answer, CallerOf, LibraryOf, Shape, ToolFunction, none_found

SortBy = Literal["upload_date", "document_date", "title", "filename", "document_type", "page_count"]

LONGEST_NAME = 60
"""Tokens of a title or an author's list; fifty rows of this length still fit into one answer."""


class ListedDocument(Shape):
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
    status: Literal["text", "ready"] = Field(description="text: found by words only until vectors follow.")
    uri: str


class ListAnswer(Answer):
    documents: list[ListedDocument]
    count: int = Field(description="In this answer.")
    total: int = Field(description="All that fit and that you may read.")
    next_cursor: str | None = Field(
        default=None, description="Pass as cursor for the next ones; null at the end."
    )

    @property
    def counted(self) -> int:
        return self.count


def make(library: LibraryOf, caller_of: CallerOf) -> ToolFunction:
    async def rag_list_documents(
        query: Annotated[str | None, Field(description="Words of the title, file name or summary.")] = None,
        filters: FilterArguments | None = None,
        sort_by: Annotated[
            SortBy, Field(description="Newest or largest first, names from A.")
        ] = "upload_date",
        limit: Annotated[int, Field(ge=1, le=50, description="How many.")] = 20,
        cursor: Annotated[str | None, Field(description="next_cursor of the answer before.")] = None,
    ) -> ListAnswer:
        """List the user's documents with dates, types, authors and short summaries. Use it for what is there and for
        documents with a property; filters choose them. Follow next_cursor until total is reached."""
        caller = caller_of()
        opened = await library()
        listing = Listing(query, Filters.parse(filters), sort_by, limit, cursor)
        return answered(await opened.list_documents(listing, caller), caller)

    return rag_list_documents


def answered(listed: Listed, caller: Caller) -> ListAnswer:
    warnings = () if listed.total else none_found(caller)
    rows = [listed_document(document) for document in listed.documents]
    empty = ListAnswer(
        documents=[],
        count=len(rows),
        total=listed.total,
        next_cursor=listed.next_after,
        warnings=list(warnings),
    )
    cut = bounds.cut(rows, "summary_brief", bounds.room(empty))
    return empty.model_copy(
        update={"documents": cut.rows, "count": len(cut.rows), "warnings": [*warnings, *_cut_warnings(cut)]}
    )


def listed_document(document: Document) -> ListedDocument:
    return ListedDocument(
        doc_id=document.doc_id,
        filename=document.filename,
        title=bounds.shortened(document.title, LONGEST_NAME),
        document_type=document.document_type,
        upload_date=document.upload_date,
        document_date=document.document_date,
        author=document.author and bounds.shortened(document.author, LONGEST_NAME),
        department=document.department,
        page_count=document.page_count,
        summary_brief=document.summary_brief,
        status=document.status,
        uri=document_uri(document.doc_id),
    )


def _cut_warnings(cut: bounds.Cut[ListedDocument]) -> tuple[str, ...]:
    said = []
    if cut.shortened:
        said.append(
            f"{cut.shortened} summaries are cut to fit (they end in …); rag_get_document gives one whole."
        )
    if cut.dropped:
        said.append(
            f"The last {cut.dropped} documents did not fit into one answer, and next_cursor passes them over: "
            f"ask again with limit={len(cut.rows)}."
        )
    return tuple(said)
