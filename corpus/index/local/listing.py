"""List documents page by page. A cursor names the last document of a page instead of an offset, so documents that come
or go between two pages shift nothing."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from corpus.documents.block import KEY
from corpus.documents.document import SORTABLE, Document
from corpus.index.local.database.rows import BRIEF_COLUMNS, documents_from
from corpus.index.local.reader import MAX_QUERY_WORDS, Reader
from corpus.lookup.not_found import foreign_cursor, no_order
from corpus.search import DocumentList, Listing
from corpus.text.normalization import clean, fold_case, is_text

MAX_CURSOR_CHARACTERS = 200_000
"""A cursor holds the last title or file name of a page, which may be long."""


@dataclass(frozen=True, slots=True)
class Order:
    """The SQL of one of `SORTABLE`; `key` is never NULL, and unknown values come last."""

    key: str
    descending: bool = False


ORDERS = {
    "upload_date": Order("upload_date", descending=True),
    "document_date": Order("coalesce(document_date, '')", descending=True),
    "title": Order("title_key"),
    "filename": Order("filename_key"),
    "document_type": Order("type_key"),
    "page_count": Order("coalesce(page_count, -1)", descending=True),
}


def list_page(reader: Reader, listing: Listing) -> DocumentList:
    """A page of readable documents. Raises InvalidRequest for an unknown order, and for a cursor of another order."""
    order = ORDERS.get(listing.sort_by)
    if order is None:
        raise no_order(listing.sort_by, SORTABLE)
    where, parameters = _matching(reader, listing)
    (total,) = reader.connection.execute(f"SELECT count(*) FROM documents WHERE {where}", parameters).fetchone()
    after, place = _after(order, listing)
    limit = max(1, listing.limit)
    documents = documents_from(
        reader.connection,
        f"WHERE {where} AND {after} ORDER BY {order.key} {'DESC' if order.descending else 'ASC'}, doc_id LIMIT ?",
        (*parameters, *place, limit + 1),
        reader.embedder,
        embeds=reader.embeds,
        columns=BRIEF_COLUMNS,
    )
    more = len(documents) > limit
    return DocumentList(documents[:limit], total, _cursor(listing, documents[limit - 1]) if more else None)


def _matching(reader: Reader, listing: Listing) -> tuple[str, list[object]]:
    where, parameters = reader.where(listing.filters)
    words = fold_case(clean(listing.query or "")).split()[:MAX_QUERY_WORDS]
    return " AND ".join([where, *["instr(described, ?)"] * len(words)]), [*parameters, *words]


def _after(order: Order, listing: Listing) -> tuple[str, tuple[object, ...]]:
    if listing.after is None:
        return "1", ()
    key, doc_id = _place(listing)
    beyond = "<" if order.descending else ">"
    return f"({order.key} {beyond} ? OR ({order.key} = ? AND doc_id > ?))", (key, key, doc_id)


def _cursor(listing: Listing, last: Document) -> str:
    place = json.dumps([listing.sort_by, _key(listing.sort_by, last), last.doc_id], ensure_ascii=False)
    return base64.urlsafe_b64encode(place.encode()).decode()


def _key(sort_by: str, document: Document) -> str | int:
    if sort_by == "page_count":
        return -1 if document.page_count is None else document.page_count
    value = str(getattr(document, sort_by) or "")
    return value if sort_by.endswith("_date") else fold_case(value)


def _place(listing: Listing) -> tuple[str | int, str]:
    try:
        sort_by, key, doc_id = json.loads(base64.urlsafe_b64decode((listing.after or "")[:MAX_CURSOR_CHARACTERS]))
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # not our base64, not JSON, not three values, nested too deeply
        sort_by, key, doc_id = None, None, None
    fits = _is_page_count(key) if listing.sort_by == "page_count" else isinstance(key, str) and is_text(key)
    if sort_by != listing.sort_by or not fits or not isinstance(doc_id, str) or not KEY.fullmatch(doc_id):
        raise foreign_cursor(listing.sort_by)
    return key, doc_id


def _is_page_count(key: object) -> bool:
    return isinstance(key, int) and not isinstance(key, bool) and -1 <= key < 2**31
