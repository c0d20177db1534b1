"""The passages that an answer quotes, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.synthesis.extractive.aggregates import Computed
from corpus.synthesis.extractive.reading import Reading

MAX_ROWS_OF_AGGREGATE = 24
"""Maximum number of rows shown below an aggregate. Any further rows are only counted."""
SAME_VALUE = 0.005
"""Maximum difference in value at which passages count as equal."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The quoted units of a reading, in order, and the quoted rows of each table unit. `value` is the value of the
    passage's first candidate."""

    reading: Reading
    units: tuple[int, ...]
    rows: dict[int, tuple[int, ...]] = field(default_factory=dict)
    value: float = 0.0

    @property
    def text(self) -> str:
        """Return the text of the quoted units."""
        return " ".join(self.reading.units[n].text for n in self.units)


@dataclass(frozen=True, slots=True)
class Selection:
    """Passages, best first. `left_out` counts the good candidates that did not fit. `computed` is the aggregate over
    the quoted rows, if any."""

    passages: tuple[Passage, ...]
    left_out: int = 0
    computed: Computed | None = None


def rows_of(readings: Sequence[Reading], computed: Computed, value: float) -> Selection:
    """Return the rows that an aggregate covers as passages in reading order. Each passage gets this `value`."""
    passages: list[Passage] = []
    left = MAX_ROWS_OF_AGGREGATE
    for (n, unit), rows in sorted(computed.rows.items(), key=lambda item: readings[item[0][0]].place):
        if left > 0:
            passages.append(Passage(readings[n], (unit,), {unit: rows[:left]}, value))
            left -= len(rows)
    return Selection(tuple(passages), 0, computed)


def in_reading_order(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages. Table rows from the first passage's document that are as good as that passage come first, in
    page order."""
    best = passages[0]
    equals = [
        each
        for each in passages
        if each.reading.document == best.reading.document
        and best.value - each.value <= SAME_VALUE
        and each.rows
        and best.rows
    ]
    others = [each for each in passages if each not in equals]
    return [*sorted(equals, key=lambda each: each.reading.place), *others]
