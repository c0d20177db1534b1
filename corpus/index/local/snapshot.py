"""The data that a search uses: one generation of the database, and the data derived from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.access import Caller
from corpus.embedding.protocol import Vectors
from corpus.index.local.bm25 import Words
from corpus.index.local.bm25_index import Health
from corpus.index.local.documents_and_blocks import VECTORS_HELD
from corpus.index.local.ranking import Ranking
from corpus.index.local.store import State
from corpus.index.local.vectors.matrix import Matrix
from corpus.index.local.vectors.nearest_neighbours import RowMask
from corpus.index.local.visible_documents import AMONG, Languages, VisibleDocuments, document_column
from corpus.search import Search

_HEALTH = {
    "behind": "The word index is being brought up to date; the newest changes may be missing from this answer.",
    "missing": "The word index is damaged or being rebuilt; this answer was found without it.",
}


def coverage_warnings(snapshot: Snapshot, question: Question) -> Iterator[str]:
    """Yield warnings if the BM25 index is behind or missing, if the embedder or vectors are missing, or if there are no
    readable documents."""
    if snapshot.health != "current":
        yield _HEALTH[snapshot.health]
    if question.embedder is None:
        yield "There is no embedding model, so this answer was found by keyword search only. `ibid doctor` says why."
    coverage = snapshot.coverage
    if not coverage.documents and question.caller.anonymous:
        yield "No identity is set, so only public documents are readable, and there are none. `ibid ingest` adds some."
    if question.embedder is not None and coverage.with_vector < coverage.passages:
        yield from _pending(snapshot, question, coverage)


def _pending(snapshot: Snapshot, question: Question, coverage: Coverage) -> Iterator[str]:
    lacking = f"{coverage.passages - coverage.with_vector} of {coverage.passages} passages have no vector yet"
    yield f"{lacking}; those were found by keyword search only."
    others = snapshot.connection.execute("SELECT name FROM embedders WHERE name <> ?", (question.embedder,)).fetchall()
    if others and not snapshot.embedder:
        yield (
            f"The index holds vectors of {others[0][0]}, which are not used with {question.embedder}. "
            "Run `ibid ingest` to compute new ones."
        )


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """The number of passages, and of vectors from one embedder, for each document row id. Both have shape (last row id
    + 2,)."""

    passages: NDArray[np.int64]
    vectors: NDArray[np.int64]


def vector_counts(
    connection: sqlite3.Connection,
    embedder: int,
    known: VectorCounts | None = None,
    changed: Sequence[int] = (),
) -> VectorCounts:
    """Return the counts for all documents. With `known`, only documents in `changed` are read again."""
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
    """Return the totals over the readable documents."""
    docs = readable.docs
    return Coverage(len(docs), int(counts.passages[docs].sum()), int(counts.vectors[docs].sum()))


@dataclass(frozen=True, slots=True)
class Question:
    """A prepared search. `text` is cleaned and limited in length; `vector` has shape (dimensions,), or is None if the
    query was not embedded; `warnings` report cuts and failures."""

    search: Search
    caller: Caller
    text: str
    embedder: str | None = None
    vector: Vectors | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The number of readable documents, of their passages, and of the passages with a vector."""

    documents: int
    passages: int
    with_vector: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The data for one search.

    `visible` contains those documents in `readable` that pass the filters. `words` and `matrix` are None if the search
    does not use them; `embedder` is a row id. `searched` counts the visible passages; `mask` selects the visible rows
    of the matrix; `stemmed` contains the languages whose stemmers apply to readable documents; `doc_ids` caches
    document ids by row id.
    """

    connection: sqlite3.Connection
    state: State
    prefixed: bool
    visible: VisibleDocuments
    readable: VisibleDocuments
    coverage: Coverage
    searched: int
    words: Words | None
    health: Health
    embedder: int
    matrix: Matrix | None
    mask: RowMask | None
    languages: Languages
    stemmed: tuple[str, ...]
    doc_ids: dict[int, str]
    ranking: Ranking

    @property
    def settled(self) -> bool:
        """Return whether all parts belong to the same generation. The vectors may be from a later generation than that
        of the database snapshot."""
        ahead = self.matrix is not None and self.matrix.gen > self.state.gen
        return self.health == "current" and not ahead
