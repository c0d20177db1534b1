"""The vectors of one embedder, as of one generation, ready to be scanned.

The first rows lie where they were found, in a mapped file or in memory, and are never copied; what came since lies
behind them. A matrix is never changed for those who hold it. The next one shares its rows, with new ones behind the
old, where no holder of the old one looks, and dead ones marked in an array of its own; so each matrix has one successor
at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.index.local import kernel
from corpus.index.local.changes import State, descends
from corpus.index.local.kernel import Codes, Scales
from corpus.index.local.product_codes import Coarse
from corpus.index.local.vector_file import UNKNOWN_POSITION, Columns

Integers = NDArray[np.int64]
_GONE = -1
_COLUMNS = "doc, held, blocks, pages, kinds, scales, codes"
_SPARE = 1024
"""Rows for which room is made at least, where rows come."""


class RowsByBlock:
    """Where the blocks of a base stand in it; each is there once. Safe to use from several threads."""

    def __init__(self, blocks: Integers) -> None:
        self._blocks = blocks
        self._sorted: tuple[Integers, NDArray[np.intp] | None] | None = None

    def of(self, wanted: Integers) -> NDArray[np.intp]:
        """The rows of those that are there."""
        blocks, rows = self._sorted = self._sorted or self._in_order()
        places = np.searchsorted(blocks, wanted)
        places = places[blocks.take(places, mode="clip") == wanted] if len(blocks) else places[:0]
        return places if rows is None else rows[places]

    def _in_order(self) -> tuple[Integers, NDArray[np.intp] | None]:
        """Most often they are in order, and need no copy."""
        if np.all(self._blocks[1:] > self._blocks[:-1]):
            return self._blocks, None
        rows = np.argsort(self._blocks)
        return self._blocks[rows], rows


@dataclass(frozen=True, slots=True)
class Matrix:
    """One row per block with a vector; `docs` is -1 where the row is dead. `base` are the codes of the first rows,
    `room` those of the others and spare room; `by_block` finds rows of the base. `file` is the mapped file that
    holds the base, None where the base was read from the database; `coarse` are its product codes, if it has any."""

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
    def blocks(self) -> Integers:
        return self.columns.blocks

    @property
    def docs(self) -> Integers:
        return self.columns.docs

    @property
    def pages(self) -> NDArray[np.int32]:
        return self.columns.pages

    @property
    def kinds(self) -> NDArray[np.int8]:
        return self.columns.kinds

    @property
    def tail(self) -> Codes:
        return self.room[: len(self.blocks) - len(self.base)]

    @property
    def dimensions(self) -> int:
        return int(self.base.shape[1])

    def near(self, query: Vectors, rows: NDArray[np.intp] | None = None) -> Vectors:
        """About the cosine of a unit vector with each row, or with these, as `codes_of` has them."""
        old, scales = len(self.base), self.columns.scales
        if rows is not None:
            return kernel.similarities(query, *self.codes_of(rows))
        parts = [(self.base, scales[:old]), (self.tail, scales[old:])]
        parts_near = [kernel.similarities(query, *part) for part in parts if len(part[0])]
        if len(parts_near) == 1:
            return parts_near[0]
        return np.concatenate([*parts_near, np.zeros(0, dtype=np.float32)])

    def codes_of(self, rows: NDArray[np.intp]) -> tuple[Codes, Scales]:
        """A copy of the codes of these rows, those of the base first, and of their scales."""
        old = len(self.base)
        among = int(np.count_nonzero(rows < old))
        # Twice as fast as by an index in brackets.
        codes = self.base.take(rows[:among], axis=0)
        if among < len(rows):
            codes = np.concatenate([codes, self.tail.take(rows[among:] - old, axis=0)])
        return codes, self.columns.scales.take(rows)

    def rows_of(self, blocks: Collection[int]) -> Integers:
        """The rows of these blocks, of those that have one."""
        # In order they are found several times as fast.
        wanted = np.sort(np.fromiter(blocks, dtype=np.int64, count=len(blocks)))
        rows, old = self.by_block.of(wanted), len(self.base)
        if old < len(self.blocks):
            rows = np.concatenate([rows, np.flatnonzero(np.isin(self.blocks[old:], wanted)) + old])
        living: Integers = rows[self.docs[rows] != _GONE]
        return living

    def cosines(self, query: Vectors, rows: NDArray[np.intp]) -> Vectors:
        """The cosine of a unit vector with each of these rows, in that order too, as exactly as their codes tell it."""
        return kernel.cosines(query, *self.codes_of(rows))

    def living(self) -> Columns:
        """The columns of the rows that are not dead."""
        alive = self.docs != _GONE
        return Columns(*(column[alive] for column in self.columns))

    def pieces(self, rows: int) -> Iterator[tuple[Codes, Scales]]:
        """The codes of the same and their scales, so many rows at once."""
        alive, old = self.docs != _GONE, len(self.base)
        for codes, first in ((self.base, 0), (self.tail, old)):
            for start in range(0, len(codes), rows):
                piece = slice(first + start, min(first + start + rows, first + len(codes)))
                yield codes[start : start + rows][alive[piece]], self.columns.scales[piece][alive[piece]]


def current(connection: sqlite3.Connection, state: State, embedder: int, cached: Matrix | None) -> Matrix:
    """The matrix of this view of the database; from `known`, only documents changed since are read."""
    if cached is None or not descends(connection, cached.gen, cached.nonce):
        return _load(connection, state, embedder)
    if cached.gen == state.gen:
        return cached
    grown = _extend(connection, state, embedder, cached)
    return _load(connection, state, embedder) if grown.dead * 4 > len(grown.docs) else grown


def _load(connection: sqlite3.Connection, state: State, embedder: int) -> Matrix:
    (count,) = connection.execute(
        "SELECT coalesce(sum(held), 0) FROM packs WHERE embedder = ?", (embedder,)
    ).fetchone()
    # Without an index: by one, SQLite would sort the packs themselves, forty megabytes.
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM packs NOT INDEXED WHERE embedder = ? ORDER BY id", (embedder,)
    )
    columns, codes = _columns(rows, count)
    return Matrix(state.gen, state.nonce, columns, codes, codes[:0], RowsByBlock(columns.blocks))


def _extend(connection: sqlite3.Connection, state: State, embedder: int, cached: Matrix) -> Matrix:
    changed = [doc for (doc,) in connection.execute("SELECT doc FROM changes WHERE gen > ?", (cached.gen,))]
    if not changed:
        return replace(cached, gen=state.gen, nonce=state.nonce)
    rows: list[Any] = []
    for doc in changed:
        rows += connection.execute(
            f"SELECT {_COLUMNS} FROM packs WHERE embedder = ? AND doc = ?", (embedder, doc)
        )
    new, codes = _columns(rows, sum(row[1] for row in rows))
    docs = np.where(np.isin(cached.docs, np.array(changed, dtype=np.int64)), _GONE, cached.docs)
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
    """Packs that hold that many vectors, each column in one piece; the codes are copied once."""
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
    return Columns(
        blocks, docs, pages, kinds, scales, positions, np.zeros(len(blocks), dtype=np.uint16)
    ), codes


def _append(cached: Matrix, more: Codes) -> tuple[Codes, Codes]:
    """Base and room with these rows behind the old ones, in spare room where there is some."""
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
