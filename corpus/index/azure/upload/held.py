"""What the service holds of a document already: keys with their access lists, by the rights of whoever keeps it."""

from __future__ import annotations

from functools import partial
from typing import Any

from corpus.index.azure.connection import MOST_ROWS, MOST_SKIPPED, Connection
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.paging import paged
from corpus.index.azure.upload.pushed import Pushed, pushed_in
from corpus.index.azure.upload.writable import Writable
from corpus.odata import compared

Held = dict[str, list[str] | None]
"""Keys of rows with their lists, None where the index does not show them."""


async def held_blocks(connection: Connection, content: Writable, doc_id: str) -> Held:
    where = compared(DOCUMENT_KEY, "eq", doc_id)
    return await _held(connection, content, BLOCK_KEY, where)


async def held_document(connection: Connection, documents: Writable, doc_id: str) -> Held:
    """One row or none."""
    return await _held(connection, documents, DOCUMENT_KEY, compared(DOCUMENT_KEY, "eq", doc_id))


async def marks_of_all(
    connection: Connection, content: Writable, documents: Writable
) -> dict[str, Pushed | None]:
    """Every document there with its mark, None without one; of the first hundred thousand. Empty where the index has
    no field for marks."""
    if "pushed" not in documents.names:
        return {}
    rows = await _rows(connection, documents, DOCUMENT_KEY, None, [DOCUMENT_KEY, "pushed"])
    marks = {row[DOCUMENT_KEY]: pushed_in(row.get("pushed")) for row in rows}
    every = await connection.search(content.index, top=0, filter=None, include_total_count=True)
    if every.total:
        return marks
    # The index of blocks was made anew, and these marks tell of the former one.
    return {doc_id: mark and mark.unfinished for doc_id, mark in marks.items()}


async def _held(connection: Connection, index: Writable, key: str, where: str) -> Held:
    names = [key, ACCESS] if index.shows_lists else [key]
    rows = await _rows(connection, index, key, where, names)
    return {row[key]: list(row[ACCESS]) if row.get(ACCESS) is not None else None for row in rows}


async def _rows(
    connection: Connection, index: Writable, key: str, where: str | None, names: list[str]
) -> list[dict[str, Any]]:
    ask = partial(connection.search, index.index, filter=where, select=names, order_by=index.shape.order(key))
    found = {row[key]: row async for answer in paged(ask, MOST_SKIPPED + MOST_ROWS) for row in answer.rows}
    return list(found.values())
