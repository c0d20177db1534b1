"""Iterate over all readable documents, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.search import DocumentList, Listing

AT_ONCE = 100
"""Number of documents per page."""


class Lists(Protocol):
    """A library or an index."""

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """One page of readable documents."""


async def every_document(lists: Lists, caller: Caller, *, sort_by: str = "upload_date") -> AsyncIterator[Document]:
    """Yield all readable documents in this order. The next page is requested after the last document of the previous
    one."""
    after = None
    while True:
        listed = await lists.list_documents(Listing(sort_by=sort_by, limit=AT_ONCE, after=after), caller)
        for document in listed.documents:
            yield document
        after = listed.next_after
        if after is None or not listed.documents:
            return
