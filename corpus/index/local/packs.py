"""Vectors in the database: one per passage as float16, and packed as int8 the way a scan reads them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.index.local.kernel import quantised
from corpus.index.local.rows import KINDS, known_embedder

ROWS_A_PACK = 256


def embedder_row(connection: sqlite3.Connection, name: str, dimensions: int) -> int:
    connection.execute("INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (?, ?)", (name, dimensions))
    return known_embedder(connection, name)


def store(connection: sqlite3.Connection, embedder: int, passages: Sequence[bytes], vectors: Vectors) -> None:
    rows = (
        (embedder, passage, row.tobytes()) for passage, row in zip(passages, halves(vectors), strict=True)
    )
    connection.executemany("INSERT OR REPLACE INTO vectors (embedder, passage, f16) VALUES (?, ?, ?)", rows)


def halves(vectors: Vectors) -> NDArray[np.float16]:
    return np.asarray(vectors, dtype="<f2")


def exact(connection: sqlite3.Connection, embedder: int, blocks: Iterable[int]) -> dict[int, bytes]:
    """The float16 vectors of these blocks, of those that have one."""
    # Joined in the order written: SQLite would rather go through every vector.
    return dict(
        connection.execute(
            "SELECT blocks.id, vectors.f16 FROM json_each(?) AS wanted "
            "CROSS JOIN blocks ON blocks.id = wanted.value "
            "CROSS JOIN vectors ON vectors.embedder = ? AND vectors.passage = blocks.passage",
            (json.dumps(list(blocks)), embedder),
        )
    )


def repack(
    connection: sqlite3.Connection, embedder: int, doc: int, positions: Iterable[int] | None = None
) -> None:
    """Bring the packs of a document up to date; with `positions`, only those that hold these blocks."""
    if positions is None:
        (last,) = connection.execute("SELECT max(position) FROM blocks WHERE doc = ?", (doc,)).fetchone()
        connection.execute("DELETE FROM packs WHERE embedder = ? AND doc = ?", (embedder, doc))
        positions = range(0, (last or 0) + ROWS_A_PACK, ROWS_A_PACK)
    for part in sorted({position // ROWS_A_PACK for position in positions}):
        _pack(connection, embedder, doc, part)


def _pack(connection: sqlite3.Connection, embedder: int, doc: int, part: int) -> None:
    rows = connection.execute(
        "SELECT blocks.id, coalesce(page_number, 0), block_type, vectors.f16 FROM blocks "
        "JOIN vectors ON vectors.embedder = ? AND vectors.passage = blocks.passage "
        "WHERE doc = ? AND position >= ? AND position < ? ORDER BY position",
        (embedder, doc, part * ROWS_A_PACK, (part + 1) * ROWS_A_PACK),
    ).fetchall()
    if rows:
        connection.execute(
            "INSERT OR REPLACE INTO packs (embedder, doc, part, held, blocks, pages, kinds, scales, codes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (embedder, doc, part, len(rows), *_arrays(rows)),
        )


def _arrays(rows: Sequence[tuple[int, int, str, bytes]]) -> tuple[bytes, ...]:
    vectors = np.frombuffer(b"".join(row[3] for row in rows), dtype="<f2").reshape(len(rows), -1)
    codes, scales = quantised(vectors.astype(np.float32))
    blocks = np.array([row[0] for row in rows], dtype="<i8")
    pages = np.array([row[1] for row in rows], dtype="<i4")
    kinds = np.array([KINDS[row[2]] for row in rows], dtype="i1")
    return tuple(array.tobytes() for array in (blocks, pages, kinds, scales.astype("<f4"), codes))


def drop_document(connection: sqlite3.Connection, doc: int) -> None:
    # Embedder by embedder, by which packs are looked up: by document alone, SQLite would go through all of them.
    connection.execute("DELETE FROM packs WHERE doc = ? AND embedder IN (SELECT id FROM embedders)", (doc,))


def drop_unused(connection: sqlite3.Connection, passages: Iterable[bytes]) -> None:
    """Forget the vectors of those passages that no block has any more."""
    connection.executemany(
        "DELETE FROM vectors WHERE passage = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE passage = ?1)",
        ((passage,) for passage in passages),
    )


def drop_others(connection: sqlite3.Connection, embedder: int) -> None:
    """Forget every other embedder's vectors."""
    # Without others, the deletions below would read every vector to find none.
    if not connection.execute("SELECT 1 FROM embedders WHERE id <> ? LIMIT 1", (embedder,)).fetchone():
        return
    for table in ("vectors", "packs"):
        connection.execute(f"DELETE FROM {table} WHERE embedder <> ?", (embedder,))
    connection.execute("DELETE FROM embedders WHERE id <> ?", (embedder,))
