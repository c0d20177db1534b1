"""The vectors of one embedder in memory, as of one generation, ready to be scanned.

A matrix is never changed for those who hold it. The next one shares its codes, with new rows behind the old
ones, where no holder of the old one looks, and dead rows marked in an array of its own; so each matrix has one
successor at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.index.local.changes import State, descends
from corpus.index.local.kernel import Codes, Scales

Integers = NDArray[np.int64]
_GONE = -1
_COLUMNS = "doc, held, blocks, pages, kinds, scales, codes"


@dataclass(frozen=True, slots=True)
class Matrix:
    """One row per block with a vector; `docs` is -1 where the row is dead."""

    gen: int
    nonce: str
    blocks: Integers
    docs: Integers
    pages: NDArray[np.int32]
    kinds: NDArray[np.int8]
    scales: Scales
    room: Codes

    @property
    def codes(self) -> Codes:
        return self.room[: len(self.blocks)]

    @property
    def dead(self) -> int:
        return int(np.count_nonzero(self.docs == _GONE))


def current(connection: sqlite3.Connection, state: State, embedder: int, known: Matrix | None) -> Matrix:
    """The matrix of this view of the database; from `known`, only documents changed since are read."""
    if known is None or not descends(connection, known.gen, known.nonce):
        return _loaded(connection, state, embedder)
    if known.gen == state.gen:
        return known
    grown = _grown(connection, state, embedder, known)
    return _loaded(connection, state, embedder) if grown.dead * 4 > len(grown.docs) else grown


def _loaded(connection: sqlite3.Connection, state: State, embedder: int) -> Matrix:
    (held,) = connection.execute(
        "SELECT coalesce(sum(held), 0) FROM packs WHERE embedder = ?", (embedder,)
    ).fetchone()
    # Without an index: by one, SQLite would sort the packs themselves, forty megabytes.
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM packs NOT INDEXED WHERE embedder = ? ORDER BY id", (embedder,)
    )
    return _matrix(state, *_columns(rows, held))


def _grown(connection: sqlite3.Connection, state: State, embedder: int, known: Matrix) -> Matrix:
    changed = [doc for (doc,) in connection.execute("SELECT doc FROM changes WHERE gen > ?", (known.gen,))]
    if not changed:
        return _matrix(state, known.blocks, known.docs, known.pages, known.kinds, known.scales, known.room)
    rows: list[Any] = []
    for doc in changed:
        rows += connection.execute(
            f"SELECT {_COLUMNS} FROM packs WHERE embedder = ? AND doc = ?", (embedder, doc)
        )
    blocks, docs, pages, kinds, scales, codes = _columns(rows, sum(row[1] for row in rows))
    old = np.where(np.isin(known.docs, np.array(changed, dtype=np.int64)), _GONE, known.docs)
    return _matrix(
        state,
        np.concatenate((known.blocks, blocks)),
        np.concatenate((old, docs)),
        np.concatenate((known.pages, pages)),
        np.concatenate((known.kinds, kinds)),
        np.concatenate((known.scales, scales)),
        _appended(known, codes),
    )


def _matrix(state: State, *arrays: NDArray[Any]) -> Matrix:
    return Matrix(state.gen, state.nonce, *arrays)


def _columns(rows: Iterable[Any], held: int) -> tuple[NDArray[Any], ...]:
    """Packs that hold that many vectors, each column in one piece; the codes are copied once."""
    numbers, parts = [], []
    codes, at = np.zeros((0, 0), dtype=np.int8), 0
    for doc, count, *small, packed in rows:
        if not at:
            codes = np.empty((held, len(packed) // count), dtype=np.int8)
        codes[at : at + count] = np.frombuffer(packed, dtype=np.int8).reshape(count, -1)
        at += count
        numbers.append((doc, count))
        parts.append(small)
    docs = np.repeat(np.array([doc for doc, _ in numbers], dtype=np.int64), [count for _, count in numbers])
    blocks, pages, kinds, scales = (
        np.frombuffer(b"".join(part[n] for part in parts), dtype=kind)
        for n, kind in enumerate(("<i8", "<i4", "i1", "<f4"))
    )
    return blocks, docs, pages, kinds, scales, codes


def _appended(known: Matrix, more: Codes) -> Codes:
    """Both, in spare room where there is some: forty megabytes are not copied for fifty rows."""
    used, total = len(known.blocks), len(known.blocks) + len(more)
    if not used or not len(more):
        return more if len(more) else known.room
    room = known.room
    if len(room) < total:
        room = np.empty((total + total // 8 + 1024, more.shape[1]), dtype=np.int8)
        room[:used] = known.codes
    room[used:total] = more
    return room
