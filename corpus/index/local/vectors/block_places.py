"""The page, language and stable key of each candidate block.

A search needs hundreds of them. The mapped vector file has most of them; each one from the database costs a page read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.index.local.documents_and_blocks import Unit, page_unit
from corpus.index.local.vectors.matrix import Matrix
from corpus.index.local.vectors.vector_file import UNKNOWN_POSITION

_AT_ONCE = 10_000
"""Number of blocks per SQL statement, which bounds its JSON parameter."""


class BlockPlace(NamedTuple):
    """The place of a block. `unit` is the page, or the block in documents without pages. `language` has two characters.
    `key` is the document id and the position, which are the same in every index of the same content."""

    unit: Unit
    language: str
    key: tuple[str, int]


def block_places(
    connection: sqlite3.Connection, matrix: Matrix | None, doc_ids: dict[int, str], blocks: Collection[int]
) -> dict[int, BlockPlace]:
    """Return places by row id, for blocks that the database has. `doc_ids` is a growing cache of document ids by row
    id."""
    places = _from_matrix(connection, matrix, doc_ids, blocks) if matrix else {}
    return places | _from_database(connection, [block for block in blocks if block not in places])


def _from_matrix(
    connection: sqlite3.Connection, matrix: Matrix, doc_ids: dict[int, str], blocks: Collection[int]
) -> dict[int, BlockPlace]:
    rows, columns = matrix.rows_of(blocks), matrix.columns
    rows = rows[columns.positions[rows] != UNKNOWN_POSITION]
    docs, positions = columns.docs[rows].tolist(), columns.positions[rows].tolist()
    if missing := {*docs} - doc_ids.keys():
        doc_ids.update(_doc_ids(connection, missing))
    return {
        block: BlockPlace(page_unit(doc, page, position), language_of(code), (doc_ids[doc], position))
        for block, doc, page, position, code in zip(
            columns.blocks[rows].tolist(), docs, columns.pages[rows].tolist(), positions,
            columns.languages[rows].tolist(), strict=True,
        )
        if doc in doc_ids
    }  # fmt: skip


def _doc_ids(connection: sqlite3.Connection, docs: Iterable[int]) -> dict[int, str]:
    rows = connection.execute(
        "SELECT id, doc_id FROM documents WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps([*docs]),),
    )
    return dict(rows.fetchall())


def _from_database(connection: sqlite3.Connection, blocks: Collection[int]) -> dict[int, BlockPlace]:
    if not blocks:
        return {}
    rows = connection.execute(
        "SELECT blocks.id, blocks.doc, page_number, position, documents.doc_id, "
        "coalesce(blocks.language, documents.language, '') FROM json_each(?) AS wanted "
        "CROSS JOIN blocks ON blocks.id = wanted.value CROSS JOIN documents ON documents.id = blocks.doc",
        (json.dumps([*blocks]),),
    )
    return {
        block: BlockPlace(page_unit(doc, page, position), language[:2], (doc_id, position))
        for block, doc, page, position, doc_id, language in rows
    }


def columns_of(
    connection: sqlite3.Connection, blocks: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """Return positions, shape (blocks,) int32, and language codes, shape (blocks,) uint16, as the vector file stores
    them."""
    positions = np.full(len(blocks), UNKNOWN_POSITION, dtype=np.int32)
    languages = np.zeros(len(blocks), dtype=np.uint16)
    for start in range(0, len(blocks), _AT_ONCE):
        some = {block: start + n for n, block in enumerate(blocks[start : start + _AT_ONCE].tolist())}
        for block, place in _from_database(connection, some).items():
            positions[some[block]] = place.key[1]
            languages[some[block]] = _code(place.language)
    return positions, languages


@cache
def _code(language: str) -> int:
    return int.from_bytes(language.encode("ascii", "replace").ljust(2, b"\0"), "big")


@cache
def language_of(code: int) -> str:
    """Return the language tag of a language code of the vector file."""
    return code.to_bytes(2, "big").rstrip(b"\0").decode("ascii")
