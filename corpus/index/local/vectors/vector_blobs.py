"""Vectors in the database: a float16 vector per passage, blobs of int8 codes in the layout that a scan needs, and the
passages that have no vector yet."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Embedder, Vectors
from corpus.index.local.documents_and_blocks import (
    BLOCK_COLUMNS,
    KINDS,
    VECTORS_HELD,
    block_of,
    known_embedder,
    passage_of,
)
from corpus.index.local.store import Change
from corpus.index.local.vectors.kernel import quantise
from corpus.index.protocol import Pending

ROWS_PER_BLOB = 256
"""Number of block positions per blob. A larger blob costs more whenever one of its vectors arrives and it is rewritten;
more blobs cost more reads when the index is opened."""
DIGITS = 7
"""Number of decimals of an exported number, which is enough for the float16 components of a unit vector."""


def add_embedder(connection: sqlite3.Connection, name: str, dimensions: int) -> int:
    """Return the row id of an embedder, and add the row if it does not exist."""
    connection.execute("INSERT OR IGNORE INTO embedders (name, dimensions) VALUES (?, ?)", (name, dimensions))
    return known_embedder(connection, name)


def put(connection: sqlite3.Connection, embedder: int, passages: Sequence[bytes], vectors: Vectors) -> None:
    """Store vectors, of shape (passages, dimensions), under the digests of their passages."""
    rows = ((embedder, passage, row.tobytes()) for passage, row in zip(passages, as_float16(vectors), strict=True))
    connection.executemany("INSERT OR REPLACE INTO vectors (embedder, passage, f16) VALUES (?, ?, ?)", rows)


def as_float16(vectors: Vectors) -> NDArray[np.float16]:
    """Return the vectors as little-endian float16."""
    return np.asarray(vectors, dtype="<f2")


def exact(connection: sqlite3.Connection, embedder: int, blocks: Iterable[int]) -> dict[int, bytes]:
    """Return the float16 vectors of these blocks, keyed by row id. Blocks without a vector are omitted."""
    # CROSS JOIN fixes the join order. Otherwise SQLite scans every vector.
    return dict(
        connection.execute(
            "SELECT blocks.id, vectors.f16 FROM json_each(?) AS wanted "
            "CROSS JOIN blocks ON blocks.id = wanted.value "
            "CROSS JOIN vectors ON vectors.embedder = ? AND vectors.passage = blocks.passage",
            (json.dumps(list(blocks)), embedder),
        )
    )


def numbers(stored: bytes) -> list[float]:
    """Return a stored float16 vector as a list of Python floats."""
    values: list[float] = np.frombuffer(stored, dtype="<f2").astype(np.float64).round(DIGITS).tolist()
    return values


def repack(connection: sqlite3.Connection, embedder: int, doc: int, positions: Iterable[int] | None = None) -> None:
    """Rebuild the blobs of a document; with `positions`, only the blobs that contain blocks at these positions."""
    if positions is None:
        (last,) = connection.execute("SELECT max(position) FROM blocks WHERE doc = ?", (doc,)).fetchone()
        connection.execute("DELETE FROM packs WHERE embedder = ? AND doc = ?", (embedder, doc))
        positions = range(0, (last or 0) + ROWS_PER_BLOB, ROWS_PER_BLOB)
    for part in sorted({position // ROWS_PER_BLOB for position in positions}):
        _write_blob(connection, embedder, doc, part)


def _write_blob(connection: sqlite3.Connection, embedder: int, doc: int, part: int) -> None:
    rows = connection.execute(
        "SELECT blocks.id, coalesce(page_number, 0), block_type, vectors.f16 FROM blocks "
        "JOIN vectors ON vectors.embedder = ? AND vectors.passage = blocks.passage "
        "WHERE doc = ? AND position >= ? AND position < ? ORDER BY position",
        (embedder, doc, part * ROWS_PER_BLOB, (part + 1) * ROWS_PER_BLOB),
    ).fetchall()
    if rows:
        connection.execute(
            "INSERT OR REPLACE INTO packs (embedder, doc, part, held, blocks, pages, kinds, scales, codes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (embedder, doc, part, len(rows), *_arrays(rows)),
        )


def _arrays(rows: Sequence[tuple[int, int, str, bytes]]) -> tuple[bytes, ...]:
    vectors = np.frombuffer(b"".join(row[3] for row in rows), dtype="<f2").reshape(len(rows), -1)
    codes, scales = quantise(vectors.astype(np.float32))
    blocks = np.array([row[0] for row in rows], dtype="<i8")
    pages = np.array([row[1] for row in rows], dtype="<i4")
    kinds = np.array([KINDS[row[2]] for row in rows], dtype="i1")
    return tuple(array.tobytes() for array in (blocks, pages, kinds, scales.astype("<f4"), codes))


def drop_document(connection: sqlite3.Connection, doc: int) -> None:
    """Delete the blobs of a document."""
    # The condition lists the embedders because the table's index starts with the embedder. With a condition on the
    # document alone, SQLite would scan the table.
    connection.execute("DELETE FROM packs WHERE doc = ? AND embedder IN (SELECT id FROM embedders)", (doc,))


def drop_unused(connection: sqlite3.Connection, passages: Iterable[bytes]) -> None:
    """Delete the vectors of passages that no block contains any more."""
    connection.executemany(
        "DELETE FROM vectors WHERE passage = ?1 AND NOT EXISTS (SELECT 1 FROM blocks WHERE passage = ?1)",
        ((passage,) for passage in passages),
    )


def drop_other_embedders(connection: sqlite3.Connection, embedder: int) -> None:
    """Delete the vectors of every other embedder."""
    # If there are no other embedders, the deletions below would scan every vector for nothing.
    if not connection.execute("SELECT 1 FROM embedders WHERE id <> ? LIMIT 1", (embedder,)).fetchone():
        return
    for table in ("vectors", "packs"):
        connection.execute(f"DELETE FROM {table} WHERE embedder <> ?", (embedder,))
    connection.execute("DELETE FROM embedders WHERE id <> ?", (embedder,))


_INCOMPLETE = f"FROM documents WHERE passages > {VECTORS_HELD}"
_LACKING = (
    "FROM blocks WHERE passage IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors "
    "WHERE vectors.embedder = ? AND vectors.passage = blocks.passage)"
)


def pending(connection: sqlite3.Connection, embedder: str, limit: int) -> tuple[Pending, ...]:
    """Return passages that have no vector, document by document. A passage that several blocks share is listed once."""
    embedder_row = known_embedder(connection, embedder)
    passages: dict[bytes, Pending] = {}
    for (doc,) in connection.execute(f"SELECT id {_INCOMPLETE} ORDER BY id", (embedder_row,)):
        rows = connection.execute(
            f"SELECT passage, {BLOCK_COLUMNS} {_LACKING} AND doc = ? ORDER BY position", (embedder_row, doc)
        )
        for row in rows:
            if len(passages) >= limit:
                return tuple(passages.values())
            block = block_of(row[1:], "", ())
            passages.setdefault(row[0], Pending(block.block_id, passage_of(block)))
    return tuple(passages.values())


def check_shape(block_ids: Sequence[str], vectors: Vectors, embedder: Embedder) -> Vectors:
    """Return the vectors as finite float32 rows, one per block. Raises ValueError."""
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.shape != (len(block_ids), embedder.dimensions):
        raise ValueError(f"Vectors of shape {rows.shape} for {len(block_ids)} blocks of {embedder.dimensions} numbers.")
    if not np.isfinite(rows).all():
        raise ValueError("A vector holds a number that is not finite.")
    return rows


def put_pending(change: Change, embedder: Embedder, block_ids: Sequence[str], vectors: Vectors) -> None:
    """Store the vectors for every block with the same passage. Once all passages have a vector, delete the vectors of
    other embedders."""
    connection = change.connection
    row = add_embedder(connection, embedder.id, embedder.dimensions)
    passages = [_passage(connection, block_id) for block_id in block_ids]
    rows = {passage: at for at, passage in enumerate(passages) if passage is not None}
    put(connection, row, list(rows), vectors[list(rows.values())])
    for doc, positions in _positions(connection, rows).items():
        repack(connection, row, doc, positions)
        change.touch(doc, words=False)
    if not connection.execute(f"SELECT 1 {_INCOMPLETE} LIMIT 1", (row,)).fetchone():
        drop_other_embedders(connection, row)


def _passage(connection: sqlite3.Connection, block_id: str) -> bytes | None:
    row = connection.execute("SELECT passage FROM blocks WHERE block_id = ?", (block_id,)).fetchone()
    return row[0] if row else None


def _positions(connection: sqlite3.Connection, passages: Iterable[bytes]) -> dict[int, list[int]]:
    """Return the positions of the blocks with these passages, by document."""
    positions: dict[int, list[int]] = {}
    for passage in passages:
        for doc, position in connection.execute("SELECT doc, position FROM blocks WHERE passage = ?", (passage,)):
            positions.setdefault(doc, []).append(position)
    return positions
