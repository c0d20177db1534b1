"""How well a strength tells two groups apart: the ROC curve, the area under it, the point that refuses few."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_REFUSED = 0.05
"""The share of the answerable questions that may be refused."""
DRAWS = 10_000

Strengths = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """Refusing below `threshold` refuses this share of the answerable and catches this one of the others."""

    threshold: float
    refused: float
    caught: float


def area(answerable: Strengths, others: Strengths) -> float:
    """The chance that an answerable question is stronger than another one; a tie counts half (Mann and Whitney)."""
    above = answerable[:, None] > others[None]
    level = answerable[:, None] == others[None]
    return float((above + 0.5 * level).mean())


def interval(answerable: Strengths, others: Strengths) -> tuple[float, float]:
    """95 % of the area, by bootstrap over the questions of each group (Efron 1979), seed fixed."""
    random = np.random.default_rng(7)
    areas = [
        area(random.choice(answerable, len(answerable)), random.choice(others, len(others)))
        for _ in range(DRAWS)
    ]
    low, high = np.percentile(areas, [2.5, 97.5])
    return float(low), float(high)


def at(threshold: float, answerable: Strengths, others: Strengths) -> Point:
    return Point(threshold, float((answerable < threshold).mean()), float((others < threshold).mean()))


def curve(answerable: Strengths, others: Strengths) -> list[Point]:
    """A point for each strength that occurs, the lowest first."""
    found = sorted({float(one) for one in (*answerable, *others)})
    return [at(one, answerable, others) for one in (*found, math.inf)]


def chosen(answerable: Strengths, most: float = MOST_REFUSED) -> float:
    """The highest threshold that refuses at most this share of the answerable."""
    return float(np.sort(answerable)[math.floor(most * len(answerable))])


def exact(share: float, count: int) -> tuple[float, float]:
    """95 % of a share of `count` questions (Wilson 1927)."""
    if not count:
        return 0.0, 1.0
    z = 1.96
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def split(strengths: Sequence[float], answerable: Sequence[bool]) -> tuple[Strengths, Strengths]:
    """The strengths of the answerable questions, then those of the others."""
    values, kinds = np.array(strengths, dtype=np.float64), np.array(answerable, dtype=bool)
    return values[kinds], values[~kinds]
