"""What a search asks for and what it finds, the same for every index."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.blocks import Block
from corpus.documents import Document
from corpus.filters import Filters

Mode = Literal["lexical", "vector", "hybrid", "semantic", "none"]
ScoreKind = Literal["semantic", "hybrid", "vector", "text", "reranked", "none"]


ANSWERS = 0.5
"""The relevance from which on something seems to answer (docs/retrieval.md has how many questions lie on either side).
"""


@dataclass(frozen=True, slots=True)
class Search:
    query: str
    top_k: int = 10
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Hit:
    """A block with its document and score (0..1, for ordering within one answer).

    The document may come without its outline and page labels, which can be longer than all hits together;
    `Index.document` gives it whole.
    `lexical` is the raw BM25 score and `vector` the raw cosine, None where that part did not find the block.
    `highlight` is the passage of the block that a semantic ranking found to answer best, where one ran.
    """

    block: Block
    document: Document
    score: float
    score_kind: ScoreKind
    lexical: float | None = None
    vector: float | None = None
    highlight: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Hits best first, what really ran, and what the reader of the hits should know. `relevance` is how surely any of
    them answers, None where that cannot be told; below `ANSWERS` nothing seems to. `doubts` are those of the warnings
    that say so, `unknown` words of the query that no readable passage has."""

    hits: tuple[Hit, ...]
    mode: Mode
    warnings: tuple[str, ...] = ()
    relevance: float | None = None
    doubts: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Which documents to list; `after` is the `next_after` of an earlier answer."""

    query: str | None = None
    filters: Filters = field(default_factory=Filters)
    sort_by: str = "upload_date"
    limit: int = 20
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """`total` counts every readable match, not only those in `documents`, which may lack what a hit's may. `warnings`
    are what the reader of the list should know."""

    documents: tuple[Document, ...]
    total: int
    next_after: str | None = None
    warnings: tuple[str, ...] = ()
