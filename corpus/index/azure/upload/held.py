"""What the service holds of a document already: keys with their access lists, by the rights of whoever keeps it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from corpus.index.azure.connection import MOST_ROWS, MOST_SKIPPED, Connection
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.odata import comparison, one_of
from corpus.index.azure.paging import Rows, every_row
from corpus.index.azure.upload.pushed import Pushed, pushed_in
from corpus.index.azure.upload.writable import Writable

SHOWN = MOST_SKIPPED + MOST_ROWS
"""Rows that the service shows of one question."""
DATED = "upload_date"
_FIRST, _LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
_SHORTEST = timedelta(milliseconds=2)

Held = dict[str, list[str] | None]
"""Keys of rows with their lists, None where the index does not show them."""


@dataclass(frozen=True, slots=True)
class HeldRows:
    """`cut` tells that there are more."""

    rows: Held
    cut: bool


async def held_blocks(connection: Connection, content: Writable, doc_id: str) -> HeldRows:
    return await _held(connection, content, BLOCK_KEY, comparison(DOCUMENT_KEY, "eq", doc_id))


async def held_document(connection: Connection, documents: Writable, doc_id: str) -> HeldRows:
    """One row or none."""
    return await _held(connection, documents, DOCUMENT_KEY, comparison(DOCUMENT_KEY, "eq", doc_id))


@dataclass(frozen=True, slots=True)
class Marks:
    """Documents there with their marks, None without one. `unseen` counts those beyond what the service shows."""

    by_id: dict[str, Pushed | None]
    unseen: int = 0


async def marks_of_all(connection: Connection, documents: Writable, doc_ids: Sequence[str]) -> Marks:
    """The marks of these documents, and of every other one that can be seen.

    The service shows no further than a number of rows, so where there are more, they are asked for by their dates.
    """
    names = [DOCUMENT_KEY, "pushed"] if "pushed" in documents.names else [DOCUMENT_KEY]
    found = await _rows(connection, documents, DOCUMENT_KEY, None, names)
    marks = _marks(found)
    if found.cut and documents.shape.known and documents.shape.compares(DATED, "date"):
        marks |= _marks(
            await _rows(connection, documents, DOCUMENT_KEY, comparison(DATED, "eq", None), names)
        )
        async for rows in _by_dates(connection, documents, names, _FIRST, _LAST):
            marks |= _marks(rows)
    if found.cut:
        marks |= await marks_of(connection, documents, doc_ids)
    return Marks(marks, max(0, found.total - len(marks)))


async def marks_of(
    connection: Connection, documents: Writable, doc_ids: Sequence[str]
) -> dict[str, Pushed | None]:
    """The marks of those of these documents that can be found."""
    names = [DOCUMENT_KEY, "pushed"] if "pushed" in documents.names else [DOCUMENT_KEY]
    marks: dict[str, Pushed | None] = {}
    for start in range(0, len(doc_ids), MOST_ROWS):
        where = one_of(DOCUMENT_KEY, doc_ids[start : start + MOST_ROWS])
        marks |= _marks(await _rows(connection, documents, DOCUMENT_KEY, where, names))
    return marks


async def _by_dates(
    connection: Connection, documents: Writable, names: list[str], since: datetime, until: datetime
) -> AsyncIterator[Rows]:
    """Rows of the documents of a span of time, which is halved until the service shows all of a part."""
    where = f"{comparison(DATED, 'ge', since)} and {comparison(DATED, 'lt', until)}"
    counted = await connection.search(documents.index, top=0, filter=where, include_total_count=True)
    middle = since + (until - since) / 2
    if (counted.total or 0) > SHOWN and until - since > _SHORTEST:
        for half in ((since, middle), (middle, until)):
            async for rows in _by_dates(connection, documents, names, *half):
                yield rows
    elif counted.total:
        yield await _rows(connection, documents, DOCUMENT_KEY, where, names)


def _marks(rows: Rows) -> dict[str, Pushed | None]:
    return {str(row[DOCUMENT_KEY]): pushed_in(row.get("pushed")) for row in rows.rows}


async def is_empty(connection: Connection, index: Writable) -> bool:
    """Whether nothing can be found in it."""
    return not (await connection.search(index.index, top=0, filter=None, include_total_count=True)).total


async def _held(connection: Connection, index: Writable, key: str, where: str) -> HeldRows:
    names = [key, ACCESS] if index.shows_lists else [key]
    found = await _rows(connection, index, key, where, names)
    return HeldRows({str(row[key]): _listed(row.get(ACCESS)) for row in found.rows}, found.cut)


async def _rows(
    connection: Connection, index: Writable, key: str, where: str | None, names: list[str]
) -> Rows:
    ask = partial(connection.search, index.index, filter=where, select=names)
    return await every_row(ask, key, SHOWN, index.shape)


def _listed(value: object) -> list[str] | None:
    """None for what is no list of names, which then admits nobody."""
    return list(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else None
