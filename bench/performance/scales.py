"""Positions of numbers on an axis, and the numbers shown on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """A conversion from numbers to pixels, which is logarithmic if the numbers span several orders of magnitude."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def at(self, value: float) -> float:
        share = (self._of(value) - self._of(self.low)) / ((self._of(self.high) - self._of(self.low)) or 1)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round numbers from one end of the axis to the other."""
        if not self.logarithmic:
            step = _round_step((self.high - self.low) / 5)
            first = math.ceil(self.low / step)
            return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        factors = (1,) if last - first > 3 else (1, 2, 5)
        marks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        return [mark for mark in marks if self.low * 0.999 <= mark <= self.high * 1.001]

    def _of(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.logarithmic else value


def fitted(values: Sequence[float], start: float, end: float, *, logarithmic: bool) -> Scale:
    """Return a scale that covers all values, starting at zero unless it is logarithmic."""
    if not logarithmic:
        return Scale(0, max(*values, 1e-9) * 1.05, start, end, False)
    above = [value for value in values if value > 0]
    low, high = min(above), max(above)
    return Scale(low / 1.25, high * 1.25, start, end, True)


def short(value: float) -> str:
    """Return the number in a short form: 1,000,000 as 1M, 20,000 as 20k, 0.5 unchanged."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= least * 0.999)
