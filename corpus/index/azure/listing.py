"""List documents page by page.

The service pages by row number and cannot continue after a given row. Each request therefore overlaps the previous
page, and the new page begins after the last documents of the previous one, even if they have moved.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from corpus.documents.block import KEY
from corpus.documents.document import SORTABLE
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.index.azure.filter_conditions import list_conditions
from corpus.index.azure.name_variants import each_word
from corpus.index.azure.rows import OF_LISTED_DOCUMENTS, document_of
from corpus.index.azure.schema.fields import SEARCHED_OF_DOCUMENTS
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import MAX_ROWS, MAX_SKIPPED, Answer
from corpus.index.azure.view import View
from corpus.lookup.not_found import foreign_cursor, no_order
from corpus.search import DocumentList, Listing
from corpus.text.normalization import clean

ANCHORS = 5
"""Number of document ids in a cursor, taken from the end of the page."""
MAX_CURSOR_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a list. `number` documents precede it, and `anchors` are the ids of the last few of them."""

    number: int = 0
    anchors: tuple[str, ...] = ()


def cursor(listing: Listing, number: int, doc_ids: Sequence[str]) -> str:
    """Return the cursor for the page after the one that has these ids and ends at document `number`."""
    place = json.dumps([_digest(listing), number, *doc_ids[-ANCHORS:]])
    return base64.urlsafe_b64encode(place.encode()).decode()


def place_of(listing: Listing) -> Place:
    """Return the position in the request's cursor. Raises InvalidRequest if the cursor belongs to different filters, a
    different query or a different order."""
    if listing.after is None:
        return Place()
    try:
        digest, number, *anchors = json.loads(base64.urlsafe_b64decode(listing.after[:MAX_CURSOR_CHARACTERS]))
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # invalid base64 or JSON, too few values, or nested too deeply
        raise foreign_cursor(listing.sort_by) from None
    counted = isinstance(number, int) and not isinstance(number, bool) and 0 < number <= MAX_SKIPPED
    keys = 0 < len(anchors) <= ANCHORS and all(isinstance(one, str) and KEY.fullmatch(one) for one in anchors)
    if digest != _digest(listing) or not counted or not keys:
        raise foreign_cursor(listing.sort_by)
    return Place(number, tuple(anchors))


def begin_after(ids: Sequence[str], anchors: Sequence[str], expected: int) -> int:
    """Return the position in `ids` at which the next page begins, which is after the anchors that are still adjacent.

    An anchor that moved alone is ignored. If the anchors form several groups, the page begins after the group that ends
    nearest to `expected`, with preference for groups that do not end beyond it, because repeating a document is better
    than skipping one.
    """
    places = {one: place for place, one in enumerate(ids)}
    known = [places[one] for one in anchors if one in places]
    side_by_side: dict[int, list[int]] = defaultdict(list)
    for nth, place in enumerate(known):
        side_by_side[place - nth].append(place)
    groups = list(side_by_side.values())
    ends = [group[-1] + 1 for group in groups if len(group) > 1] or [group[-1] + 1 for group in groups]
    # If all anchors are gone, the documents after them have moved up by the number of anchors.
    return min(ends, key=lambda end: (end > expected, abs(end - expected)), default=max(0, expected - len(anchors)))


def _digest(listing: Listing) -> str:
    wanted = {one.name: getattr(listing.filters, one.name) for one in fields(listing.filters)}
    # The order of a filter's values is irrelevant.
    wanted = {name: sorted(set(value)) if isinstance(value, tuple) else value for name, value in wanted.items()}
    text = json.dumps([listing.sort_by, listing.query or "", wanted])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


DESCENDING = ("upload_date", "document_date", "page_count")
SLACK = 50
"""Number of documents that can be added or removed before a position without invalidating its cursor."""

NO_FURTHER = (
    f"The service lists no more than the first {MAX_SKIPPED:,} documents, and this page ends there. Filters, a query "
    "or another order show the others."
)

LOST = (
    "None of the last documents of the previous page is near its place any more. Documents may be missing between "
    "these two pages or appear twice. Start the list again to see them all."
)


async def list_page(view: View, listing: Listing) -> DocumentList:
    """Return one page of readable documents. Raises InvalidRequest for an unavailable order or a cursor from another
    list."""
    if listing.sort_by not in SORTABLE:
        raise no_order(listing.sort_by, SORTABLE)
    place = place_of(listing)
    limit = max(1, min(listing.limit, MAX_ROWS - 2 * SLACK - 1))
    words = each_word(listing.query) if listing.query else None
    if listing.query and clean(listing.query).strip() and words is None:
        return DocumentList((), 0, warnings=view.rights_warnings)
    skip = max(0, place.number - SLACK)
    room = place.number - skip + limit + 1 + (SLACK if place.anchors else 0)
    answer = await _page(view, listing, words, skip=skip, top=room)
    documents = [document_of(row) for row in answer.rows]
    ids = [one.doc_id for one in documents]
    begin = begin_after(ids, place.anchors, place.number - skip)
    lost = bool(place.anchors) and not set(place.anchors) & set(ids)
    warnings = (*view.rights_warnings, LOST) if lost else view.rights_warnings
    left = [at for at in range(begin, len(documents)) if documents[at].doc_id not in place.anchors]
    page = [documents[at] for at in left[:limit]]
    # The second access check may have removed rows from the page, but the total still includes them.
    more = page and (len(left) > limit or answer.row_count >= room)
    end = skip + left[:limit][-1] + 1 if page else 0
    if not more or end > MAX_SKIPPED:
        warnings = (*warnings, NO_FURTHER) if more else warnings
        return DocumentList(tuple(page), answer.total or 0, None, warnings)
    after = cursor(listing, end, [one.doc_id for one in page])
    return DocumentList(tuple(page), answer.total or 0, after, warnings)


async def _page(view: View, listing: Listing, words: str | None, *, skip: int, top: int) -> Answer:
    where = await list_conditions(view, listing.filters)
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
            # If the definition cannot be read, only a request shows whether the index supports an order.
            if view.shapes.documents.known or status_of(error) != 400:
                raise
            refused = error
    raise InvalidRequest(
        f"The service refused this list; most likely the index cannot be sorted by {listing.sort_by}, or cannot be "
        "filtered as requested. Try another order, or omit the filters."
    ) from refused


def _orders(view: View, sort_by: str) -> list[list[str]]:
    """Return the orders to try, best first. Raises InvalidRequest if the index cannot sort by the field."""
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
