"""Means with bootstrap confidence intervals over questions (Efron 1979), of one run or of a paired difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DRAWS, SEED = 10_000, 7
"""With so many resamples an interval bound varies by less than a hundredth of its width; the seed fixes it."""
MIN_VALUES = 8
"""Values. With fewer, resampled means hardly vary and the interval would be too narrow."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval; without bounds for too few values."""

    mean: float
    low: float | None = None
    high: float | None = None

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of zero."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def interval(values: Sequence[float]) -> Interval | None:
    """The mean with its interval; None without values. The resamples are the same at each call."""
    import numpy as np

    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) < MIN_VALUES:
        return Interval(mean)
    array = np.asarray(values, dtype=float)
    random = np.random.default_rng(SEED)
    # Row by row is slow; all rows at once take gigabytes for ten thousand questions.
    rows_at_once = max(1, 2_000_000 // len(array))
    means = np.concatenate(
        [
            array[random.integers(0, len(array), (min(rows_at_once, DRAWS - start), len(array)))].mean(axis=1)
            for start in range(0, DRAWS, rows_at_once)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(mean, float(low), float(high))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Interval | None:
    """The mean of ours minus theirs, over pairs."""
    return interval([a - b for a, b in zip(ours, theirs, strict=True)])
