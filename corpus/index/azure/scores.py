"""Scores of the service scaled to 0..1, and their kinds.

Semantic scores are in 0..4. A cosine similarity arrives as 1/(2 - cosine). Fused ranks add up to at most 1/60 per list
(zero-based, measured on recorded responses). BM25 has no upper bound, so its best hit scores 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.index.azure.rows import Row
from corpus.search import Mode, ScoreKind

SCORE, RERANKED = "@search.score", "@search.reranker_score"
RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True)
class SearchParts:
    """Parts of a search that ran: text, number of vector fields, semantic ranking."""

    text: bool
    vectors: int
    semantic: bool = False

    @property
    def mode(self) -> Mode:
        """The mode of the search."""
        if self.semantic:
            return "semantic"
        if self.text and self.vectors:
            return "hybrid"
        return "vector" if self.vectors else "lexical"

    @property
    def kind(self) -> ScoreKind:
        """The kind of its scores."""
        if self.mode == "vector" and self.vectors > 1:
            return "hybrid"  # two lists of vectors are fused like any two
        kinds: dict[Mode, ScoreKind] = {
            "lexical": "text",
            "vector": "vector",
            "hybrid": "hybrid",
            "semantic": "semantic",
        }
        return kinds[self.mode]


def scores(rows: Sequence[Row], ran: SearchParts) -> list[float]:
    """Return scores in 0..1, in the order of the rows."""
    raw = [_number(row.get(RERANKED if ran.semantic else SCORE)) for row in rows]
    if ran.kind == "semantic":
        return [_bounded(one / 4) for one in raw]
    if ran.kind == "hybrid":
        return [_bounded(one * RANK_CONSTANT / (ran.vectors + ran.text)) for one in raw]
    if ran.kind == "vector":
        return [_bounded(one) for one in raw]
    best = max(raw, default=0.0)
    return [_bounded(one / best) if best > 0 else 0.0 for one in raw]


def cosine(row: Row) -> float | None:
    """Return the cosine similarity of a hit of a search by a single vector; None without a score."""
    score = _number(row.get(SCORE))
    return max(-1.0, min(1.0, 2 - 1 / score)) if score > 0 else None


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


def _bounded(score: float) -> float:
    return max(0.0, min(1.0, score))
