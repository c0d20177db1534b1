"""Which passages still need a vector, and where the vectors go when they come."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from corpus.embedding.protocol import Embedder, Vectors
from corpus.index.local import vector_blobs
from corpus.index.local.changes import Change
from corpus.index.local.rows import BLOCK_COLUMNS, VECTORS_HELD, block_of, known_embedder, passage_of
from corpus.index.protocol import Pending

_INCOMPLETE = f"FROM documents WHERE passages > {VECTORS_HELD}"
_LACKING = (
    "FROM blocks WHERE passage IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors "
    "WHERE vectors.embedder = ? AND vectors.passage = blocks.passage)"
)


def pending(connection: sqlite3.Connection, embedder: str, limit: int) -> tuple[Pending, ...]:
    """Passages without a vector, document by document; one that stands in several blocks comes once."""
    known = known_embedder(connection, embedder)
    found: dict[bytes, Pending] = {}
    for (doc,) in connection.execute(f"SELECT id {_INCOMPLETE} ORDER BY id", (known,)):
        rows = connection.execute(
            f"SELECT passage, {BLOCK_COLUMNS} {_LACKING} AND doc = ? ORDER BY position",
            (known, doc),
        )
        for row in rows:
            if len(found) >= limit:
                return tuple(found.values())
            block = block_of(row[1:], "", ())
            found.setdefault(row[0], Pending(block.block_id, passage_of(block)))
    return tuple(found.values())


def check_shape(block_ids: Sequence[str], vectors: Vectors, embedder: Embedder) -> Vectors:
    """The vectors as finite float32 rows, one per block. Raises ValueError."""
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.shape != (len(block_ids), embedder.dimensions):
        raise ValueError(
            f"Vectors of shape {rows.shape} for {len(block_ids)} blocks of {embedder.dimensions} numbers."
        )
    if not np.isfinite(rows).all():
        raise ValueError("A vector holds a number that is not finite.")
    return rows


def put(change: Change, embedder: Embedder, block_ids: Sequence[str], vectors: Vectors) -> None:
    """The vectors, for every block with the same passage; and no other embedder's once this one's are complete."""
    connection = change.connection
    row = vector_blobs.add_embedder(connection, embedder.id, embedder.dimensions)
    places = [(at, _passage(connection, block_id)) for at, block_id in enumerate(block_ids)]
    there = {passage: at for at, passage in places if passage is not None}
    vector_blobs.put(connection, row, list(there), vectors[list(there.values())])
    for doc, positions in _places(connection, there).items():
        vector_blobs.repack(connection, row, doc, positions)
        change.touch(doc, words=False)
    if not connection.execute(f"SELECT 1 {_INCOMPLETE} LIMIT 1", (row,)).fetchone():
        vector_blobs.drop_other_embedders(connection, row)


def _passage(connection: sqlite3.Connection, block_id: str) -> bytes | None:
    row = connection.execute("SELECT passage FROM blocks WHERE block_id = ?", (block_id,)).fetchone()
    return row[0] if row else None


def _places(connection: sqlite3.Connection, passages: Iterable[bytes]) -> dict[int, list[int]]:
    """Where these passages stand: positions by document."""
    places: dict[int, list[int]] = {}
    for passage in passages:
        for doc, position in connection.execute(
            "SELECT doc, position FROM blocks WHERE passage = ?", (passage,)
        ):
            places.setdefault(doc, []).append(position)
    return places
