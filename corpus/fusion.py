"""How a lexical and a dense ranking become one: a weighted sum of normalised scores, or reciprocal ranks.

Pure functions over candidates and their raw scores. The default weights were chosen with the packaged embedder by
`bench/weights.py`; `bench/results` has what comes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

Key = TypeVar("Key", int, str)


@dataclass(frozen=True, slots=True)
class Fusion:
    """Which rule, and its parameters. `dense` and `lexical` need not sum to one; what counts is their ratio. The
    lexical weight grows by up to `codes` times itself, the more of a query is numbers and identifiers: an embedder
    hardly tells one part number from another."""

    method: Literal["weighted", "reciprocal"] = "weighted"
    dense: float = 0.5
    lexical: float = 0.5
    codes: float = 4.0
    rank_constant: int = 60


DEFAULT = Fusion()

STAND_IN = 0.75
"""A passage whose vector is still to come gets this share of its lexical part as its dense part: all of it would
put every such passage first, none of it last."""


@dataclass(frozen=True, slots=True)
class Match(Generic[Key]):
    """What is known of a match by words beside its scores.

    `full` is the raw score from which on the best match counts in full; None counts any so. `coded` (0..1) is how much
    of what the query's words could score its numbers and identifiers have. `languages` are those of the candidates,
    where there are several; one that it lacks is compared with the best match of any.
    """

    full: float | None = None
    coded: float = 0.0
    languages: Mapping[Key, int] = field(default_factory=dict)


def fuse(
    lexical: Mapping[Key, float],
    dense: Mapping[Key, float],
    rule: Fusion = DEFAULT,
    *,
    lowest: float | None = None,
    match: Match[Key] | None = None,
) -> dict[Key, float]:
    """Every candidate of either part with its score in 0..1.

    `lexical` holds positive raw scores, a candidate without any match being absent; `dense` holds cosines, and
    `lowest` is the lowest cosine of all passages that might have been candidates. The weights were measured with
    both parts normalised over all passages; over the candidates alone, an order would change with their number.

    The lexical part weighs less beside a dense one, the less the best match has of `match.full`: the best of chance
    matches, as of a question in another language, is no good match. Where there are several languages, that is so for
    each by its own best match, since the words of a question hardly stand in passages of another language.
    """
    match = match or Match()
    if rule.method == "reciprocal":
        return _reciprocal(lexical, dense, rule, match)
    return _weighted(lexical, dense, rule, lowest, match)


def best_first(scores: Mapping[Key, float]) -> list[tuple[Key, float]]:
    """The highest score first; ties fall to the smaller key."""
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def _weighted(
    lexical: Mapping[Key, float],
    dense: Mapping[Key, float],
    rule: Fusion,
    lowest: float | None,
    match: Match[Key],
) -> dict[Key, float]:
    meaning = min_max(dense, lowest)
    if not meaning:
        return over_maximum(lexical)
    if not lexical:
        return meaning
    highest = _highest(lexical, match)
    parts = {language: _part(best, rule, match) for language, best in highest.items()}
    fused = {}
    for key in lexical.keys() | dense.keys():
        language = match.languages.get(key)
        share, stand_in = parts[language]
        words = lexical[key] / highest[language] if key in lexical else 0.0
        fused[key] = share * words + (1 - share) * meaning.get(key, stand_in * words)
    return fused


def _highest(lexical: Mapping[Key, float], match: Match[Key]) -> dict[int | None, float]:
    """The score that counts as a whole match, by language. Codes are the same in each, so that a passage without them
    is compared with one that has them, whatever its language."""
    best = max(lexical.values())
    highest: dict[int | None, float] = {None: best}
    for key, language in match.languages.items():
        highest[language] = max(highest.get(language, match.coded * best), lexical.get(key, 0.0))
    return highest


def _part(best: float, rule: Fusion, match: Match[Key]) -> tuple[float, float]:
    """The share of the lexical part, and what a passage without a vector gets of it as its dense part."""
    reach = _reach(best, match)
    by_words = _lexical_weight(rule, match) * reach
    share = by_words / (by_words + rule.dense) if by_words + rule.dense else 1.0
    return share, STAND_IN * reach if share > 0 else 0.0


def _reach(best: float, match: Match[Key]) -> float:
    return 1.0 if match.full is None else min(1.0, best / match.full) if match.full > 0 else 0.0


def _lexical_weight(rule: Fusion, match: Match[Key]) -> float:
    return rule.lexical * (1 + rule.codes * match.coded)


def _reciprocal(
    lexical: Mapping[Key, float], dense: Mapping[Key, float], rule: Fusion, match: Match[Key]
) -> dict[Key, float]:
    reach = _reach(max(lexical.values(), default=0.0), match) if dense else 1.0
    weighted = [(lexical, _lexical_weight(rule, match) * reach), (dense, rule.dense)]
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
