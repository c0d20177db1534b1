"""Ranked lists of rows, and their fusion into one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tests.doubles.azure_search.snapshot import Mask
from tests.doubles.azure_search.vectors import Scores

_FUSION = 60


@dataclass(frozen=True)
class Ranked:
    rows: npt.NDArray[np.intp]
    scores: Scores
    """Scores of these rows, in the same order."""
    weight: float = 1.0

    def only(self, passing: Mask) -> Ranked:
        kept = passing[self.rows]
        return replace(self, rows=self.rows[kept], scores=self.scores[kept])

    def weighing(self, weight: float) -> Ranked:
        return replace(self, weight=weight)


def best_first(scores: Scores, among: Mask, rng: np.random.Generator, most: int | None = None) -> Ranked:
    """Return the best of these rows. Rows with equal scores are shuffled, because no caller may rely on their order."""
    rows = np.flatnonzero(among)
    order = np.lexsort((rng.random(len(rows)), -scores[rows]))[:most]
    return Ranked(rows[order], scores[rows[order]])


def fused(lists: list[Ranked], size: int, rng: np.random.Generator) -> Ranked:
    """Fuse by reciprocal rank, counted from 0. A single list keeps its own scores."""
    if len(lists) == 1:
        return lists[0]
    scores = np.zeros(size)
    for one in lists:
        scores[one.rows] += one.weight / (_FUSION + np.arange(len(one.rows)))
    return best_first(scores, scores > 0, rng)
