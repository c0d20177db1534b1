"""List the passages that still need a vector, and store the vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from corpus.embedding.protocol import Embedder, Vectors
from corpus.index.local.database.changes import Change
from corpus.index.local.database.rows import BLOCK_COLUMNS, VECTORS_HELD, block_of, known_embedder, passage_of
from corpus.index.local.vectors import vector_blobs
from corpus.index.protocol import Pending

_INCOMPLETE = f"FROM documents WHERE passages > {VECTORS_HELD}"
_LACKING = (
    "FROM blocks WHERE passage IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors "
    "WHERE vectors.embedder = ? AND vectors.passage = blocks.passage)"
)


def pending(connection: sqlite3.Connection, embedder: str, limit: int) -> tuple[Pending, ...]:
    """Passages without a vector, document by document; a passage of several blocks is listed once."""
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
    """The vectors as finite float32 rows, one per block. Raises ValueError."""
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.shape != (len(block_ids), embedder.dimensions):
        raise ValueError(f"Vectors of shape {rows.shape} for {len(block_ids)} blocks of {embedder.dimensions} numbers.")
    if not np.isfinite(rows).all():
        raise ValueError("A vector holds a number that is not finite.")
    return rows


def put(change: Change, embedder: Embedder, block_ids: Sequence[str], vectors: Vectors) -> None:
    """Store the vectors, for every block with the same passage. Once all passages have one, vectors of other embedders
    are deleted."""
    connection = change.connection
    row = vector_blobs.add_embedder(connection, embedder.id, embedder.dimensions)
    passages = [_passage(connection, block_id) for block_id in block_ids]
    rows = {passage: at for at, passage in enumerate(passages) if passage is not None}
    vector_blobs.put(connection, row, list(rows), vectors[list(rows.values())])
    for doc, positions in _positions(connection, rows).items():
        vector_blobs.repack(connection, row, doc, positions)
        change.touch(doc, words=False)
    if not connection.execute(f"SELECT 1 {_INCOMPLETE} LIMIT 1", (row,)).fetchone():
        vector_blobs.drop_other_embedders(connection, row)


def _passage(connection: sqlite3.Connection, block_id: str) -> bytes | None:
    row = connection.execute("SELECT passage FROM blocks WHERE block_id = ?", (block_id,)).fetchone()
    return row[0] if row else None


def _positions(connection: sqlite3.Connection, passages: Iterable[bytes]) -> dict[int, list[int]]:
    """The positions of these passages, by document."""
    positions: dict[int, list[int]] = {}
    for passage in passages:
        for doc, position in connection.execute("SELECT doc, position FROM blocks WHERE passage = ?", (passage,)):
            positions.setdefault(doc, []).append(position)
    return positions
