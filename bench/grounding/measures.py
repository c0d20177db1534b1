"""Measures of verdicts, each with a bootstrap interval over claims (Efron 1979) and a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
DRAWS = 1_000


@dataclass(frozen=True)
class Measured:
    value: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        if not self.count:
            return "none"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def balanced_accuracy(said: Sequence[bool], true: Sequence[bool], draws: int = DRAWS) -> Measured:
    """Return the mean of two fractions: that of the supported claims and that of the unsupported claims that are
    classified correctly."""
    return _measured(_balanced, _array(said), _array(true), draws)


def auroc(scores: Sequence[float], true: Sequence[bool], draws: int = DRAWS) -> Measured:
    """Return how often a supported claim scores higher than an unsupported one; a tie counts as half."""
    return _measured(_auroc, _array(scores), _array(true), draws)


def share(hits: Sequence[bool], draws: int = DRAWS) -> Measured:
    """Return the fraction of hits; the result is zero for an empty sequence."""
    if not hits:
        return Measured(0.0, 0.0, 0.0, 0)
    return _measured(lambda one, _: float(one.mean()), _array(hits), _array(hits), draws)


def _measured(measure: Callable[[Values, Values], float], one: Values, true: Values, draws: int) -> Measured:
    random = np.random.default_rng(7)
    drawn = [random.integers(0, len(one), len(one)) for _ in range(draws)]
    found = [measure(one[at], true[at]) for at in drawn] or [measure(one, true)]
    low, high = np.percentile(found, [2.5, 97.5])
    return Measured(measure(one, true), float(low), float(high), len(one))


def _balanced(said: Values, true: Values) -> float:
    return float((said[true == 1].mean() + 1 - said[true == 0].mean()) / 2)


def _auroc(scores: Values, true: Values) -> float:
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    supported = true.sum()
    return float((ranks[true == 1].sum() - supported * (supported + 1) / 2) / (supported * (len(true) - supported)))


def _array(values: Sequence[float] | Sequence[bool]) -> Values:
    return np.asarray(values, dtype=np.float64)
