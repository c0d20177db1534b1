"""Everything one search looks at: one generation of the database and what is derived from it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from corpus.access import Caller
from corpus.embedding.protocol import Vectors
from corpus.index.local.database.changes import State
from corpus.index.local.ranking import Ranking
from corpus.index.local.vectors.matrix import Matrix
from corpus.index.local.vectors.row_mask import RowMask
from corpus.index.local.visible_documents import Languages, VisibleDocuments
from corpus.index.local.words.bm25 import Words
from corpus.index.local.words.bm25_index import Health
from corpus.search import Search


@dataclass(frozen=True, slots=True)
class Question:
    """A prepared search: `text` is cleaned and bounded, `vector` has shape (dimensions,) or is None where the query was
    not embedded, `warnings` tell what was cut or failed."""

    search: Search
    caller: Caller
    text: str
    embedder: str | None = None
    vector: Vectors | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Readable documents, their passages, and how many of those have a vector."""

    documents: int
    passages: int
    with_vector: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`visible` is what the filters leave of `readable`. `words` and `matrix` are None where a search does without;
    `embedder` is a row id. `searched` counts visible passages, `mask` selects the visible matrix rows, `stemmed` are
    the languages by which words of readable documents are stemmed, `doc_ids` caches document ids by row id."""

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
        """Whether all parts are of one generation. The vectors may be of a later one than the database was when the
        snapshot began."""
        ahead = self.matrix is not None and self.matrix.gen > self.state.gen
        return self.health == "current" and not ahead
