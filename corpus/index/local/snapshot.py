"""Everything that one search looks at: one generation of the database, and what lies beside it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from corpus.access import Caller
from corpus.embedding.protocol import Vectors
from corpus.index.local.bm25 import Words
from corpus.index.local.bm25_index import Health
from corpus.index.local.changes import State
from corpus.index.local.matrix import Matrix
from corpus.index.local.ranking import Ranking
from corpus.index.local.row_mask import RowMask
from corpus.index.local.visible_documents import Languages, VisibleDocuments
from corpus.search import Search


@dataclass(frozen=True, slots=True)
class Question:
    """A search made ready outside the database: `text` is clean and bounded, `vector` None where the query was
    not embedded, `warnings` what was cut or failed on the way."""

    search: Search
    caller: Caller
    text: str
    embedder: str | None = None
    vector: Vectors | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of what the caller may read: documents, their passages, and how many of these have a vector."""

    documents: int
    passages: int
    held: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`visible` is what filters leave of what is `readable`. `words` and `matrix` are None where a search goes without;
    `embedder` is a row id. `searched` counts the visible passages. `mask` are the rows of the matrix that may be found,
    `stemmed` the languages by which words of what is readable are stemmed, `doc_ids` names of documents by row id, as
    far as they were asked for."""

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
        """Whether everything is of one generation: the vectors may be of a later one than the database was when
        this snapshot began."""
        ahead = self.matrix is not None and self.matrix.gen > self.state.gen
        return self.health == "current" and not ahead
