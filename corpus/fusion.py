"""How a lexical and a dense ranking become one: a weighted sum of normalised scores, or reciprocal ranks.

Pure functions over candidates and their raw scores. The default weights are equal, chosen with the packaged embedder as
`corpus/index/local/ranking.py` tells; `bench/results` has what comes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

Key = TypeVar("Key", int, str)


@dataclass(frozen=True, slots=True)
class Fusion:
    """Which rule, and its parameters. The two weights need not sum to one; what counts is their ratio."""

    method: Literal["weighted", "reciprocal"] = "weighted"
    dense: float = 0.5
    lexical: float = 0.5
    rank_constant: int = 60


DEFAULT = Fusion()

STAND_IN = 0.75
"""A passage whose vector is still to come gets this share of its lexical part as its dense part: all of it would
put every such passage first, none of it last."""


def fuse(
    lexical: Mapping[Key, float],
    dense: Mapping[Key, float],
    rule: Fusion = DEFAULT,
    *,
    lowest: float | None = None,
    reach: float = 1.0,
) -> dict[Key, float]:
    """Every candidate of either part with its score in 0..1.

    `lexical` holds positive raw scores, a candidate without any match being absent; `dense` holds cosines, and
    `lowest` is the lowest cosine of all passages that might have been candidates. The weights were measured with
    both parts normalised over all passages; over the candidates alone, an order would change with their number.

    `reach` (0..1) is how much of what the query's words could score the best match has. The lexical part weighs by
    so much less beside a dense one: the best of chance matches, as of a question in another language, is no good match.
    """
    if rule.method == "reciprocal":
        return _reciprocal(lexical, dense, rule, reach)
    return _weighted(lexical, dense, rule, lowest, reach)


def best_first(scores: Mapping[Key, float]) -> list[tuple[Key, float]]:
    """The highest score first; ties fall to the smaller key."""
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def _weighted(
    lexical: Mapping[Key, float], dense: Mapping[Key, float], rule: Fusion, lowest: float | None, reach: float
) -> dict[Key, float]:
    words, meaning = over_maximum(lexical), min_max(dense, lowest)
    if not meaning:
        return words
    if not words:
        return meaning
    by_words = rule.lexical * reach
    share = by_words / (by_words + rule.dense) if by_words + rule.dense else 1.0
    stand_in = STAND_IN * reach if share > 0 else 0.0
    return {
        key: share * words.get(key, 0.0) + (1 - share) * meaning.get(key, stand_in * words.get(key, 0.0))
        for key in lexical.keys() | dense.keys()
    }


def _reciprocal(
    lexical: Mapping[Key, float], dense: Mapping[Key, float], rule: Fusion, reach: float
) -> dict[Key, float]:
    weighted = [(lexical, rule.lexical * (reach if dense else 1.0)), (dense, rule.dense)]
    parts = [(ranks(part), weight) for part, weight in weighted if part and weight > 0]
    best = sum(weight for _, weight in parts) / (rule.rank_constant + 1)
    return {
        key: sum(w / (rule.rank_constant + rank[key]) for rank, w in parts if key in rank) / best
        for key in lexical.keys() | dense.keys()
    }


def ranks(scores: Mapping[Key, float]) -> dict[Key, int]:
    """Places from 1, the highest score first; ties fall to the smaller key."""
    return {key: place for place, (key, _) in enumerate(best_first(scores), 1)}


def over_maximum(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores as shares of the highest, so that no match at all stays 0."""
    highest = max(scores.values(), default=0.0)
    return {key: score / highest for key, score in scores.items()} if highest > 0 else {}


def min_max(scores: Mapping[Key, float], lowest: float | None = None) -> dict[Key, float]:
    """Scores stretched over 0..1 between `lowest`, or the lowest of them, and the highest; equal ones are all 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    low = low if lowest is None else min(low, lowest)
    return {key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()}
