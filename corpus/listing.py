"""All documents that somebody may read, list after list."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from corpus.access import Caller
from corpus.documents import Document
from corpus.search import Listed, Listing

AT_ONCE = 100


class Lists(Protocol):
    """A library, or an index."""

    async def list_documents(self, listing: Listing, caller: Caller) -> Listed: ...


async def every_document(
    lists: Lists, caller: Caller, *, sort_by: str = "upload_date"
) -> AsyncIterator[Document]:
    """In this order; the next list is asked for when the one before is used up."""
    after = None
    while True:
        listed = await lists.list_documents(Listing(sort_by=sort_by, limit=AT_ONCE, after=after), caller)
        for document in listed.documents:
            yield document
        after = listed.next_after
        if after is None or not listed.documents:
            return
