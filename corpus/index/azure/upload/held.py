"""What the service holds of a document already: keys with their access lists, by the rights of whoever keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from corpus.index.azure.connection import MOST_ROWS, MOST_SKIPPED, Connection
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.paging import Rows, every_row
from corpus.index.azure.upload.pushed import Pushed, pushed_in
from corpus.index.azure.upload.writable import Writable
from corpus.odata import compared, one_of

Held = dict[str, list[str] | None]
"""Keys of rows with their lists, None where the index does not show them."""


@dataclass(frozen=True, slots=True)
class HeldRows:
    """`cut` tells that there are more."""

    rows: Held
    cut: bool


async def held_blocks(connection: Connection, content: Writable, doc_id: str) -> HeldRows:
    return await _held(connection, content, BLOCK_KEY, compared(DOCUMENT_KEY, "eq", doc_id))


async def held_document(connection: Connection, documents: Writable, doc_id: str) -> HeldRows:
    """One row or none."""
    return await _held(connection, documents, DOCUMENT_KEY, compared(DOCUMENT_KEY, "eq", doc_id))


async def marks_of_all(
    connection: Connection, documents: Writable, doc_ids: Sequence[str]
) -> dict[str, Pushed | None]:
    """Documents there with their marks, None without one: those of these ids, and as many others as can be seen."""
    names = [DOCUMENT_KEY, "pushed"] if "pushed" in documents.names else [DOCUMENT_KEY]
    found = await _rows(connection, documents, DOCUMENT_KEY, None, names)
    rows = list(found.rows)
    for start in range(0, len(doc_ids) if found.cut else 0, MOST_ROWS):
        where = one_of(DOCUMENT_KEY, doc_ids[start : start + MOST_ROWS])
        rows += (await _rows(connection, documents, DOCUMENT_KEY, where, names)).rows
    return {str(row[DOCUMENT_KEY]): pushed_in(row.get("pushed")) for row in rows}


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
    return await every_row(ask, key, MOST_SKIPPED + MOST_ROWS, index.shape)


def _listed(value: object) -> list[str] | None:
    """None for what is no list of names, which then admits nobody."""
    return list(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else None
