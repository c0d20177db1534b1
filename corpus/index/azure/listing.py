"""Lists of documents, a page at a time.

The service pages by number and cannot be asked for what comes after a text. So a cursor remembers the number and the
last few documents of its page, and the next page begins after the last of these, wherever it now is.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from corpus.blocks import KEY
from corpus.documents import SORTABLE, Document
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.index.azure.conditions import on_documents_with_blocks
from corpus.index.azure.connection import MOST_ROWS, MOST_SKIPPED, Answer
from corpus.index.azure.failures import status_of
from corpus.index.azure.fields import SEARCHED_OF_DOCUMENTS
from corpus.index.azure.naming import each_word
from corpus.index.azure.rows import OF_LISTED_DOCUMENTS, document_of
from corpus.index.azure.view import View
from corpus.missing import foreign_cursor, no_order
from corpus.search import Listed, Listing
from corpus.text import clean

DESCENDING = ("upload_date", "document_date", "page_count")
ANCHORS = 5
"""Documents of a page that its cursor remembers."""
SLACK = 50
"""How many documents may come or go before a place without a cursor losing it."""
LONGEST_CURSOR = 20_000


async def listed(view: View, listing: Listing) -> Listed:
    """Raises InvalidRequest for an order that the index has not, and for a cursor that was not given for it."""
    if listing.sort_by not in SORTABLE:
        raise no_order(listing.sort_by, SORTABLE)
    start, anchors = _place(listing) if listing.after is not None else (0, ())
    limit = max(1, min(listing.limit, MOST_ROWS - 2 * SLACK - 1))
    words = each_word(listing.query) if listing.query else None
    if listing.query and clean(listing.query).strip() and words is None:
        return Listed((), 0)
    skip = max(0, start - SLACK)
    room = start - skip + limit + 1 + (SLACK if anchors else 0)
    answer = await _page(view, listing, words, skip=min(skip, MOST_SKIPPED), top=room)
    documents = [document_of(row) for row in answer.rows]
    begin = _after(documents, anchors, start - skip)
    shown = documents[begin : begin + limit]
    # A second look at rows may have left some out of the page, but not out of the total.
    more = len(documents) > begin + limit
    cursor = _cursor(listing.sort_by, skip + begin + len(shown), shown) if more and shown else None
    return Listed(tuple(shown), answer.total or 0, cursor)


async def _page(view: View, listing: Listing, words: str | None, *, skip: int, top: int) -> Answer:
    where = await on_documents_with_blocks(view, listing.filters)
    wishes: dict[str, Any] = {
        "skip": skip, "top": top, "include_total_count": True, "fields": OF_LISTED_DOCUMENTS,
    }  # fmt: skip
    if words:
        fields = view.shapes.documents.searched(SEARCHED_OF_DOCUMENTS)
        if fields == []:
            raise InvalidRequest("This index has no searchable field of a document. Leave the query out.")
        wishes |= {"text": words, "query_type": "full", "search_mode": "all", "search_fields": fields}
    refused: AzureSearchError | None = None
    for order in _orders(view, listing.sort_by):
        try:
            return await view.documents(where, order_by=order, **wishes)
        except AzureSearchError as error:
            # Without the right to read what the index is like, trying is the only way to know.
            if view.shapes.documents.known or status_of(error) != 400:
                raise
            refused = error
    raise InvalidRequest(
        f"The service refused this list; most likely the index cannot be sorted by {listing.sort_by}, or not be "
        "filtered as asked. Try another order, or without filters."
    ) from refused


def _orders(view: View, sort_by: str) -> list[list[str]]:
    """What to try, the best order first."""
    shape = view.shapes.documents
    if not shape.can(sort_by, "sortable"):
        able = shape.those(SORTABLE, "sortable")
        instead = f"Sort by {', '.join(able)}" if able else "It cannot be sorted at all"
        raise InvalidRequest(
            f"This index cannot be sorted by {sort_by}: the field is missing or not sortable. {instead}."
        )
    wanted = f"{sort_by} {'desc' if sort_by in DESCENDING else 'asc'}"
    if not shape.known:
        return [[wanted, "doc_id asc"], [wanted]]
    return [[wanted, "doc_id asc"] if shape.can("doc_id", "sortable") else [wanted]]


def _after(documents: Sequence[Document], anchors: Sequence[str], expected: int) -> int:
    """Where the next page begins: after the latest of the anchors that is still there, else where it was."""
    places = {one.doc_id: place for place, one in enumerate(documents)}
    known = [places[doc_id] for doc_id in anchors if doc_id in places]
    return max(known) + 1 if known else expected


def _cursor(sort_by: str, number: int, shown: Sequence[Document]) -> str:
    place = json.dumps([sort_by, number, *(one.doc_id for one in shown[-ANCHORS:])])
    return base64.urlsafe_b64encode(place.encode()).decode()


def _place(listing: Listing) -> tuple[int, tuple[str, ...]]:
    try:
        place = json.loads(base64.urlsafe_b64decode((listing.after or "")[:LONGEST_CURSOR]))
        sort_by, number, *anchors = place
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # not our base64, not JSON, too few values, a tower of lists
        raise foreign_cursor(listing.sort_by) from None
    counted = isinstance(number, int) and not isinstance(number, bool) and 0 < number <= MOST_SKIPPED
    keys = anchors and all(isinstance(one, str) and KEY.fullmatch(one) for one in anchors)
    if sort_by != listing.sort_by or not counted or not keys:
        raise foreign_cursor(listing.sort_by)
    return number, tuple(anchors)
