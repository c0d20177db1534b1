"""How much of the readable content can be searched by vector, and the warnings about it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.index.local.database.rows import VECTORS_HELD
from corpus.index.local.snapshot import Coverage, Question, Snapshot
from corpus.index.local.visible_documents import AMONG, VisibleDocuments, document_column

_HEALTH = {
    "behind": "The word index is being brought up to date; the newest changes may be missing from this answer.",
    "missing": "The word index is damaged or being rebuilt; this answer was found without it.",
}


def warnings(snapshot: Snapshot, question: Question) -> Iterator[str]:
    """Warnings about a lagging word index, a missing embedder, missing vectors and a lack of readable documents."""
    if snapshot.health != "current":
        yield _HEALTH[snapshot.health]
    if question.embedder is None:
        yield "There is no embedding model, so this answer was found by words alone. `ibid doctor` says why."
    coverage = snapshot.coverage
    if not coverage.documents and question.caller.anonymous:
        yield "No identity is set, so only public documents are readable, and there are none. `ibid ingest` adds some."
    if question.embedder is not None and coverage.with_vector < coverage.passages:
        yield from _pending(snapshot, question, coverage)


def _pending(snapshot: Snapshot, question: Question, coverage: Coverage) -> Iterator[str]:
    lacking = f"{coverage.passages - coverage.with_vector} of {coverage.passages} passages have no vector yet"
    yield f"{lacking}; those were found by words alone."
    others = snapshot.connection.execute("SELECT name FROM embedders WHERE name <> ?", (question.embedder,)).fetchall()
    if others and not snapshot.embedder:
        yield (
            f"The index holds vectors of {others[0][0]}, which are not used with {question.embedder}. "
            "Run `ibid ingest` to compute new ones."
        )


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """Passages and vectors of one embedder per document, by row id; each of shape (last row id + 2,)."""

    passages: NDArray[np.int64]
    vectors: NDArray[np.int64]


def vector_counts(
    connection: sqlite3.Connection,
    embedder: int,
    known: VectorCounts | None = None,
    changed: Sequence[int] = (),
) -> VectorCounts:
    """Counts of all documents; with `known`, only documents in `changed` are read again."""
    among, parameters = (f"WHERE {AMONG}", [json.dumps(changed)]) if known else ("", [])
    rows = connection.execute(
        f"SELECT id, passages, {VECTORS_HELD} FROM documents {among} ORDER BY id", [embedder, *parameters]
    ).fetchall()
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM documents").fetchone()
    columns = [
        document_column(column, changed, last, np.dtype(np.int64))
        for column in ((known.passages, known.vectors) if known else (None, None))
    ]
    counts = np.array(rows, dtype=np.int64).reshape(-1, 3)
    for number, column in enumerate(columns, 1):
        column[counts[:, 0]] = counts[:, number]
    return VectorCounts(*columns)


def coverage_of(readable: VisibleDocuments, counts: VectorCounts) -> Coverage:
    """The totals over readable documents."""
    docs = readable.docs
    return Coverage(len(docs), int(counts.passages[docs].sum()), int(counts.vectors[docs].sum()))
