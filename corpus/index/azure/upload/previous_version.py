"""The previous version of a document on the service: read its rows, narrow their access lists, remove them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from corpus.access import PUBLIC
from corpus.documents.document import Document
from corpus.index.azure.schema.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.service.connection import MAX_ROWS, MAX_SKIPPED, Connection
from corpus.index.azure.upload.batches import Sender
from corpus.index.azure.upload.new_rows import Writable, facts_row
from corpus.index.azure.upload.remote_state import UploadMark, parse_mark
from corpus.index.azure.upload.upload_journal import UploadJournal
from corpus.index.azure.view import Rows, every_row
from corpus.odata import comparison, one_of


def narrowed(old: Sequence[str] | None, new: Sequence[str]) -> list[str]:
    """Return the access list for rows of the previous version, which contains the principals that are on both lists. If
    the old list is unknown, nobody is admitted."""
    if old is None:
        return []
    if PUBLIC in new:
        return list(old)
    if PUBLIC in old:
        return list(new)
    return [one for one in old if one in new]


MAX_SHOWN_ROWS = MAX_SKIPPED + MAX_ROWS
"""Maximum number of rows that the service returns for one query, over all of its pages."""
DATED = "upload_date"
_FIRST, _LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
_MIN_SPAN = timedelta(milliseconds=2)

RowLists = dict[str, list[str] | None]
"""Access lists by row key. A list is None if the index does not show it or it is malformed."""


@dataclass(frozen=True, slots=True)
class RemoteRows:
    """Access lists of rows on the service. `cut` is true if there are more rows."""

    rows: RowLists
    cut: bool


async def remote_blocks(connection: Connection, content: Writable, doc_id: str) -> RemoteRows:
    """Return the access lists of the rows of the document's blocks."""
    return await _remote_rows(connection, content, BLOCK_KEY, comparison(DOCUMENT_KEY, "eq", doc_id))


async def remote_document(connection: Connection, documents: Writable, doc_id: str) -> RemoteRows:
    """Return the access list of the document's own row, if the row exists."""
    return await _remote_rows(connection, documents, DOCUMENT_KEY, comparison(DOCUMENT_KEY, "eq", doc_id))


@dataclass(frozen=True, slots=True)
class Marks:
    """Upload marks by document id; None for a document without a mark. `unseen` counts documents that cannot be
    listed."""

    by_id: dict[str, UploadMark | None]
    unseen: int = 0


async def marks_of_all(connection: Connection, documents: Writable, doc_ids: Sequence[str]) -> Marks:
    """Return the marks of these documents, and of all other documents that can be listed.

    One query returns at most MAX_SHOWN_ROWS rows. If there are more, the rows are listed by date range.
    """
    names = [DOCUMENT_KEY, "pushed"] if "pushed" in documents.names else [DOCUMENT_KEY]
    rows = await _rows(connection, documents, DOCUMENT_KEY, None, names)
    marks = _marks(rows)
    if rows.cut and documents.shape.known and documents.shape.compares(DATED, "date"):
        marks |= _marks(await _rows(connection, documents, DOCUMENT_KEY, comparison(DATED, "eq", None), names))
        async for part in _by_dates(connection, documents, names, _FIRST, _LAST):
            marks |= _marks(part)
    if rows.cut:
        marks |= await marks_of(connection, documents, doc_ids)
    return Marks(marks, max(0, rows.total - len(marks)))


async def marks_of(connection: Connection, documents: Writable, doc_ids: Sequence[str]) -> dict[str, UploadMark | None]:
    """Return the marks of these documents. Documents that do not exist are omitted."""
    names = [DOCUMENT_KEY, "pushed"] if "pushed" in documents.names else [DOCUMENT_KEY]
    marks: dict[str, UploadMark | None] = {}
    for start in range(0, len(doc_ids), MAX_ROWS):
        where = one_of(DOCUMENT_KEY, doc_ids[start : start + MAX_ROWS])
        marks |= _marks(await _rows(connection, documents, DOCUMENT_KEY, where, names))
    return marks


async def _by_dates(
    connection: Connection, documents: Writable, names: list[str], since: datetime, until: datetime
) -> AsyncIterator[Rows]:
    """Yield the documents with dates in [since, until). The range is halved until one query can return all rows of a
    part."""
    where = f"{comparison(DATED, 'ge', since)} and {comparison(DATED, 'lt', until)}"
    counted = await connection.search(documents.index, top=0, filter=where, include_total_count=True)
    middle = since + (until - since) / 2
    if (counted.total or 0) > MAX_SHOWN_ROWS and until - since > _MIN_SPAN:
        for half in ((since, middle), (middle, until)):
            async for rows in _by_dates(connection, documents, names, *half):
                yield rows
    elif counted.total:
        yield await _rows(connection, documents, DOCUMENT_KEY, where, names)


def _marks(rows: Rows) -> dict[str, UploadMark | None]:
    return {str(row[DOCUMENT_KEY]): parse_mark(row.get("pushed")) for row in rows.rows}


async def is_empty(connection: Connection, index: Writable) -> bool:
    """Return whether the index has no rows."""
    return not (await connection.search(index.index, top=0, filter=None, include_total_count=True)).total


async def _remote_rows(connection: Connection, index: Writable, key: str, where: str) -> RemoteRows:
    names = [key, ACCESS] if index.shows_lists else [key]
    rows = await _rows(connection, index, key, where, names)
    return RemoteRows({str(row[key]): _listed(row.get(ACCESS)) for row in rows.rows}, rows.cut)


async def _rows(connection: Connection, index: Writable, key: str, where: str | None, names: list[str]) -> Rows:
    ask = partial(connection.search, index.index, filter=where, select=names)
    return await every_row(ask, key, MAX_SHOWN_ROWS, index.shape)


def _listed(value: object) -> list[str] | None:
    """Return the access list, or None if it is malformed. A malformed list admits nobody."""
    return list(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


NOTHING: Mapping[str, Any] = {}


class PreviousVersion:
    """Restricts and removes the previous version of a document, whose rows are known from the service and the journal.
    Raises the same errors as `Uploader`."""

    def __init__(self, connection: Connection, sender: Sender, sent: UploadJournal) -> None:
        self._connection, self._send, self._sent = connection, sender, sent

    async def narrow_document(
        self, documents: Writable, document: Document, more: Mapping[str, Any], *, recent: bool
    ) -> bool:
        """Restrict the document's row to principals on both access lists, and set the fields in `more`. Return False if
        there is no row or it had to be deleted. If `recent`, the access list that the service shows may be outdated, so
        nobody is admitted."""
        remote = await remote_document(self._connection, documents, document.doc_id)
        rows = dict.fromkeys(remote.rows) if recent else remote.rows
        return bool(rows) and not await self._narrow(documents, DOCUMENT_KEY, rows, document, more)

    async def narrow_blocks(self, content: Writable, document: Document, *, recent: bool) -> frozenset[str]:
        """Restrict or delete the rows of all blocks, and return their keys. `recent` works as in `narrow_document`."""
        sent = dict.fromkeys(self._sent.block_ids(document.doc_id))
        seen: RowLists = {}
        remote = await remote_blocks(self._connection, content, document.doc_id)
        while remote.cut and remote.rows.keys() - seen.keys():
            # One query cannot return all rows, so delete these to make the others visible.
            await self._send.delete(content.index, BLOCK_KEY, sorted(remote.rows))
            seen |= remote.rows
            remote = await remote_blocks(self._connection, content, document.doc_id)
        rows = remote.rows | sent if recent else sent | remote.rows
        await self._narrow(content, BLOCK_KEY, rows, document)
        return frozenset(seen | rows)

    async def remove_blocks(
        self, content: Writable, doc_id: str, known: Iterable[str], *, kept: Iterable[str] = ()
    ) -> None:
        """Delete every block except those in `kept`. Repeat until no more rows are found, because searches find new
        rows only after a delay and one query returns a limited number of rows."""
        removed = set(kept)
        going = set(known) - removed
        while going or (going := (await remote_blocks(self._connection, content, doc_id)).rows.keys() - removed):
            await self._send.delete(content.index, BLOCK_KEY, sorted(going))
            removed |= going
            going = set()

    async def _narrow(
        self, index: Writable, key: str, rows: RowLists, document: Document, more: Mapping[str, Any] = NOTHING
    ) -> list[str]:
        """Restrict rows to principals on both access lists, and delete rows for which this fails. Return the deleted
        keys."""
        merged, readers = [], facts_row(document)[ACCESS]
        for name, old in rows.items():
            kept = narrowed(old, readers)
            if more or kept != old:
                merged.append({key: name, ACCESS: kept, **more})
        refused = await self._send.try_merge(index.index, key, merged)
        await self._send.delete(index.index, key, refused)
        return refused
