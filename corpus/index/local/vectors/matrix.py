"""The vectors of one embedder at one generation, ready to be scanned.

The base rows are mapped or loaded once and never copied; later rows follow them. To its users, a matrix is immutable.
Its successor shares the rows, appends new ones in spare space that no user of the old matrix reads, and marks dead rows
in its own column. A matrix can therefore have only one successor.

This module also returns the page, language and stable key of candidate blocks, of which a search has hundreds. The
mapped vector file contains these data for most blocks; for each of the others, a database page must be read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.index.local.documents_and_blocks import Unit, page_unit
from corpus.index.local.store import State, descends
from corpus.index.local.vectors import kernel
from corpus.index.local.vectors.kernel import Coarse, Codes, Scales
from corpus.index.local.vectors.vector_file import UNKNOWN_POSITION, Columns

Integers = NDArray[np.int64]
_GONE = -1
_COLUMNS = "doc, held, blocks, pages, kinds, scales, codes"
_SPARE = 1024
"""Minimum number of spare rows to allocate."""


class RowsByBlock:
    """Finds the base rows of blocks. Each block occurs at most once in the base. Thread-safe."""

    def __init__(self, blocks: Integers) -> None:
        self._blocks = blocks
        self._sorted: tuple[Integers, NDArray[np.intp] | None] | None = None

    def of(self, sought: Integers) -> NDArray[np.intp]:
        """Return the base rows of the given blocks. Blocks that are not in the base are omitted."""
        blocks, rows = self._sorted = self._sorted or self._in_order()
        places = np.searchsorted(blocks, sought)
        places = places[blocks.take(places, mode="clip") == sought] if len(blocks) else places[:0]
        return places if rows is None else rows[places]

    def _in_order(self) -> tuple[Integers, NDArray[np.intp] | None]:
        """Return the sorted blocks and the permutation that sorts them, which is None if they are already sorted. They
        usually are, and are then not copied."""
        if np.all(self._blocks[1:] > self._blocks[:-1]):
            return self._blocks, None
        rows = np.argsort(self._blocks)
        return self._blocks[rows], rows


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one embedder, with one row per block that has a vector. `columns.docs` is -1 for dead rows.

    `base` contains the int8 codes of the first rows; `room` contains those of later rows, followed by spare space.
    `file` is the file to which the base is mapped, or None if the base was read from the database. `coarse` contains
    the product codes of the base, if there are any.
    """

    gen: int
    nonce: str
    columns: Columns
    base: Codes
    room: Codes
    by_block: RowsByBlock
    dead: int = 0
    file: Path | None = None
    coarse: Coarse | None = None

    @property
    def tail(self) -> Codes:
        """The codes of the rows after the base."""
        return self.room[: len(self.columns.blocks) - len(self.base)]

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.base.shape[1])

    def near(self, query: Vectors, rows: NDArray[np.intp] | None = None) -> Vectors:
        """Return the approximate cosines between a unit vector and each row or, if given, each of these rows in the
        order of `codes_of`."""
        old, scales = len(self.base), self.columns.scales
        if rows is not None:
            return kernel.similarities(query, *self.codes_of(rows))
        parts = [(self.base, scales[:old]), (self.tail, scales[old:])]
        parts_near = [kernel.similarities(query, *part) for part in parts if len(part[0])]
        if len(parts_near) == 1:
            return parts_near[0]
        return np.concatenate([*parts_near, np.zeros(0, dtype=np.float32)])

    def codes_of(self, rows: NDArray[np.intp]) -> tuple[Codes, Scales]:
        """Return copies of the codes and scales of these rows, with base rows first."""
        old = len(self.base)
        among = int(np.count_nonzero(rows < old))
        # `take` is twice as fast as fancy indexing.
        codes = self.base.take(rows[:among], axis=0)
        if among < len(rows):
            codes = np.concatenate([codes, self.tail.take(rows[among:] - old, axis=0)])
        return codes, self.columns.scales.take(rows)

    def rows_of(self, blocks: Collection[int]) -> Integers:
        """Return the live rows of these blocks. Blocks without a live row are omitted."""
        # searchsorted is several times faster on sorted values.
        sought = np.sort(np.fromiter(blocks, dtype=np.int64, count=len(blocks)))
        rows, old = self.by_block.of(sought), len(self.base)
        if old < len(self.columns.blocks):
            rows = np.concatenate([rows, np.flatnonzero(np.isin(self.columns.blocks[old:], sought)) + old])
        living: Integers = rows[self.columns.docs[rows] != _GONE]
        return living

    def living(self) -> Columns:
        """Return the columns of the live rows."""
        alive = self.columns.docs != _GONE
        return Columns(*(column[alive] for column in self.columns))

    def pieces(self, rows: int) -> Iterator[tuple[Codes, Scales]]:
        """Yield the codes and scales of the live rows in chunks, each taken from at most `rows` rows."""
        alive, old = self.columns.docs != _GONE, len(self.base)
        for codes, first in ((self.base, 0), (self.tail, old)):
            for start in range(0, len(codes), rows):
                piece = slice(first + start, min(first + start + rows, first + len(codes)))
                yield codes[start : start + rows][alive[piece]], self.columns.scales[piece][alive[piece]]


def current(connection: sqlite3.Connection, state: State, embedder: int, cached: Matrix | None) -> Matrix:
    """Return the matrix at this state of the database. With `cached`, only documents changed since then are read."""
    if cached is None or not descends(connection, cached.gen, cached.nonce):
        return _load(connection, state, embedder)
    if cached.gen == state.gen:
        return cached
    grown = _extend(connection, state, embedder, cached)
    return _load(connection, state, embedder) if grown.dead * 4 > len(grown.columns.docs) else grown


def _load(connection: sqlite3.Connection, state: State, embedder: int) -> Matrix:
    (count,) = connection.execute("SELECT coalesce(sum(held), 0) FROM packs WHERE embedder = ?", (embedder,)).fetchone()
    # If SQLite used an index, it would have to sort the blobs, which may be forty megabytes.
    rows = connection.execute(f"SELECT {_COLUMNS} FROM packs NOT INDEXED WHERE embedder = ? ORDER BY id", (embedder,))
    columns, codes = _columns(rows, count)
    return Matrix(state.gen, state.nonce, columns, codes, codes[:0], RowsByBlock(columns.blocks))


def _extend(connection: sqlite3.Connection, state: State, embedder: int, cached: Matrix) -> Matrix:
    changed = [doc for (doc,) in connection.execute("SELECT doc FROM changes WHERE gen > ?", (cached.gen,))]
    if not changed:
        return replace(cached, gen=state.gen, nonce=state.nonce)
    rows: list[Any] = []
    for doc in changed:
        rows += connection.execute(f"SELECT {_COLUMNS} FROM packs WHERE embedder = ? AND doc = ?", (embedder, doc))
    new, codes = _columns(rows, sum(row[1] for row in rows))
    docs = np.where(np.isin(cached.columns.docs, np.array(changed, dtype=np.int64)), _GONE, cached.columns.docs)
    before: Sequence[NDArray[Any]] = cached.columns._replace(docs=docs)
    after: Sequence[NDArray[Any]] = new
    columns = Columns(*(np.concatenate(both) for both in zip(before, after, strict=True)))
    base, room = _append(cached, codes)
    by_block = cached.by_block if len(cached.base) else RowsByBlock(columns.blocks)
    dead = int(np.count_nonzero(docs == _GONE))
    return replace(
        cached,
        gen=state.gen,
        nonce=state.nonce,
        columns=columns,
        base=base,
        room=room,
        by_block=by_block,
        dead=dead,
    )


def _columns(rows: Iterable[Any], total: int) -> tuple[Columns, Codes]:
    """Join packs with a total of `total` vectors into one contiguous array per column. The codes are copied only
    once."""
    numbers, parts = [], []
    codes, at = np.zeros((0, 0), dtype=np.int8), 0
    for doc, count, *small, packed in rows:
        if not at:
            codes = np.empty((total, len(packed) // count), dtype=np.int8)
        codes[at : at + count] = np.frombuffer(packed, dtype=np.int8).reshape(count, -1)
        at += count
        numbers.append((doc, count))
        parts.append(small)
    docs = np.repeat(np.array([doc for doc, _ in numbers], dtype=np.int64), [count for _, count in numbers])
    blocks, pages, kinds, scales = (
        np.frombuffer(b"".join(part[n] for part in parts), dtype=kind)
        for n, kind in enumerate(("<i8", "<i4", "i1", "<f4"))
    )
    positions = np.full(len(blocks), UNKNOWN_POSITION, dtype=np.int32)
    return Columns(blocks, docs, pages, kinds, scales, positions, np.zeros(len(blocks), dtype=np.uint16)), codes


def _append(cached: Matrix, more: Codes) -> tuple[Codes, Codes]:
    """Return base and room, with these rows appended to the old ones, in the spare space if it is large enough."""
    if not len(cached.base):
        return more, more[:0]
    if not len(more):
        return cached.base, cached.room
    used, total = len(cached.tail), len(cached.tail) + len(more)
    room = cached.room
    if len(room) < total:
        room = np.empty((total + total // 8 + _SPARE, cached.dimensions), dtype=np.int8)
        room[:used] = cached.tail
    room[used:total] = more
    return cached.base, room


_AT_ONCE = 10_000
"""Number of blocks per SQL statement, which limits the size of its JSON parameter."""


class BlockPlace(NamedTuple):
    """The location of a block. `unit` is the page, or the block itself in documents without pages. `language` is a
    two-letter code. `key` is the document id and the position, which are the same in every index of the same
    content."""

    unit: Unit
    language: str
    key: tuple[str, int]


def block_places(
    connection: sqlite3.Connection, matrix: Matrix | None, doc_ids: dict[int, str], blocks: Collection[int]
) -> dict[int, BlockPlace]:
    """Return the locations of the blocks that are in the database, keyed by row id. `doc_ids` is a growing cache of
    document ids by row id."""
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
    """Return the positions (int32) and language codes (uint16), both of shape (blocks,), as stored in the vector
    file."""
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
    """Return the language tag for a language code from the vector file."""
    return code.to_bytes(2, "big").rstrip(b"\0").decode("ascii")
