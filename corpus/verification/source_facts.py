"""The facts of a source that a claim may state: numbers, dates, times and names, indexed for lookup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

from corpus.text.normalization import roman
from corpus.verification.dates_and_times import Time, Way, dates, times
from corpus.verification.names import Designations, NameContexts, SourceNames
from corpus.verification.number_parsing import multiplier
from corpus.verification.quantities import Quantity, Ratios, quantities
from corpus.verification.units import SIGNS, Unit, unit

_RANGE = re.compile(
    r"(?<![\d.,])(?P<low>\d[\d.,]{0,20}+)(?P<between> ?(?:to|bis|and|und|or|oder|[-–]) ?(?:[$€£] ?)?)"
    r"(?P<high>\d[\d.,]{0,20}+)(?P<space> ?)(?P<times>[^\W\d_]{1,12}\.?)"
)
_PER = re.compile(r"(?<=[^\W\d_]) (?:per|pro|je|a) (?=(?P<unit>[^\W\d_]{1,12}))")


def expand_ellipsis(text: str, language: str | None) -> str:
    """Return the text with elliptical quantities expanded; or the text itself if it has none."""

    def low_too(match: re.Match[str]) -> str:
        times = match["times"]
        if multiplier(times, language) is None and multiplier(times.rstrip("."), language) is None:
            return match[0]
        shared = match["space"] + times
        return f"{match['low']}{shared}{match['between']}{match['high']}{shared}"

    def with_stroke(match: re.Match[str]) -> str:
        return "/" if unit(match["unit"]) else match[0]

    return _PER.sub(with_stroke, _RANGE.sub(low_too, text))


_WHOLE = re.compile(r"(?<![\d.,])\d{1,9}(?!\d|[.,]\d)")

_LATE = re.compile(r"afternoon|evening|night|\d ?p\.?m\b|nachmittag|abend|nacht", re.IGNORECASE)
"""Pattern for words for the second half of the day."""


_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
_UNBROKEN = re.compile(r"(?<=[\w,])\n(?=[^\W\d_]{2}|[a-zµ°%€]|\d{4}\b)")
"""Pattern for a line break within a value: "48\\nm", "September 20,\\n1565"."""


class SourceFacts:
    """The facts of one text, computed lazily."""

    def __init__(self, text: str, language: str | None) -> None:
        self.text = _UNBROKEN.sub(" ", _BROKEN_WORD.sub("", text.translate(_LIGATURES)))
        self.language = language

    def holds_number(self, number: Quantity) -> bool:
        """Return whether the text contains one of the number's possible values, either in its unit or in an exactly
        convertible one, or without a unit if the unit occurs elsewhere, as in a table column.

        A number without a unit matches by value; a decade matches any of its years if the source mentions no decade. A
        lower bound does not match an upper one.
        """
        return self._holds_value(number) and not self._is_bound_otherwise(number)

    def _holds_value(self, number: Quantity) -> bool:
        if number.is_decade and not self._has_decades:
            return any(number.readings[0] + year in self._bare for year in range(10))
        if number.unit is None:
            return not self._bare.isdisjoint(number.readings)
        values = {reading * number.unit.size for reading in number.readings}
        if not values.isdisjoint(self._by_dimension.get(number.unit.dimension, ())):
            return True
        return number.unit in self._units and not self._unitless.isdisjoint(number.readings)

    def _is_bound_otherwise(self, number: Quantity) -> bool:
        bounds = {bound for value in _base_values(number) for bound in self._bounds.get(value, ())}
        return bool(number.bound) and bounds == {-number.bound}

    def holds_date(self, ways: Iterable[Way]) -> bool:
        """Return whether a date in the text agrees with one of these interpretations. If the date in the text lacks the
        day or the year, they may occur elsewhere in the text."""
        return any(self._holds_way(*way) for way in ways)

    def _holds_way(self, year: int | None, month: int, day: int | None) -> bool:
        for its_year, its_day in self._dates.get(month, ()):
            same_day = day == its_day or day is None or (its_day is None and day in self._bare)
            same_year = year == its_year or year is None or (its_year is None and year in self._bare)
            if same_day and same_year:
                return True
        return False

    def holds_time(self, time: Time) -> bool:
        """Return whether the text contains the time of day."""
        halves = self._times.get((time.hour, time.minute), ())
        if time.is_late and time.hour and None in halves and not self._may_be_late(time):
            return True in halves
        return any(None in (half, time.is_late) or half == time.is_late for half in halves)

    @property
    def has_times(self) -> bool:
        """Return whether the text contains times of day."""
        return bool(self._times)

    def has_other_half(self, time: Time) -> bool:
        """Return whether the text contains this time, but only in the other half of the day."""
        return (time.hour, time.minute) in self._times and not self.holds_time(time)

    def holds_literally(self, phrase: str) -> bool:
        """Return whether the text contains the phrase, ignoring white space and case, and not within another word."""
        phrase = _flat(phrase)
        at = self._flat.find(phrase) if phrase else -1
        while at >= 0:
            before, after = self._flat[max(0, at - 1) : at], self._flat[at + len(phrase) :][:2]
            signed = before in ("-", "−") and phrase[0].isdecimal()
            if not before.isalnum() and not signed and not re.match(r"\w|[.,]\d", after):
                return True
            at = self._flat.find(phrase, at + 1)
        return False

    @cached_property
    def names(self) -> SourceNames:
        """Return the names of the text."""
        return SourceNames(self.text)

    @cached_property
    def ratios(self) -> Ratios:
        """Return the ratios of the text."""
        return Ratios(self.text)

    @cached_property
    def designations(self) -> Designations:
        """Return the labels of the text."""
        return Designations(self.text)

    @cached_property
    def places(self) -> NameContexts:
        """Return the words of the text, indexed by the words before them."""
        return NameContexts(self.text)

    @cached_property
    def _flat(self) -> str:
        return _flat(self.text)

    @cached_property
    def _quantities(self) -> tuple[Quantity, ...]:
        numbers = quantities(self.text, self.language)
        expanded = expand_ellipsis(self.text, self.language)
        return numbers if expanded == self.text else (*numbers, *quantities(expanded, self.language))

    @cached_property
    def _bare(self) -> frozenset[Fraction]:
        values = {reading for number in self._quantities for reading in number.readings}
        values |= {Fraction(int(run[0])) for run in _WHOLE.finditer(self.text) if run.start() not in self._negative}
        values |= {Fraction(value) for run in re.findall(r"[^\W\d_]+", self.text) if (value := roman(run))}
        return frozenset(values | {abs(number) for number in values if number < 0 and abs(number) >= 1000})

    @cached_property
    def _negative(self) -> frozenset[int]:
        """Return the offsets of negative numbers. A hyphen at the start of a line does not count, because it may be a
        list mark."""
        starts = (number.start for number in self._quantities if number.readings and number.readings[0] < 0)
        return frozenset(
            start for start in starts if self.text[max(0, start - 8) : start].rpartition("\n")[2].strip(" -−‑")
        )

    @cached_property
    def _bounds(self) -> dict[tuple[str, Fraction], set[int]]:
        bounds: dict[tuple[str, Fraction], set[int]] = {}
        for number in self._quantities:
            for value in _base_values(number):
                bounds.setdefault(value, set()).add(number.bound)
        return bounds

    @cached_property
    def _has_decades(self) -> bool:
        return any(number.is_decade for number in self._quantities)

    @cached_property
    def _unitless(self) -> frozenset[Fraction]:
        return frozenset(reading for number in self._quantities if number.unit is None for reading in number.readings)

    @cached_property
    def _by_dimension(self) -> dict[str, set[Fraction]]:
        values: dict[str, set[Fraction]] = {}
        for number in self._quantities:
            if number.unit:
                values.setdefault(number.unit.dimension, set()).update(
                    reading * number.unit.size for reading in number.readings
                )
        return values

    @cached_property
    def _units(self) -> frozenset[Unit]:
        units_of_numbers = {number.unit for number in self._quantities if number.unit}
        words = {*re.findall(r"[^\W\d_]{2,}[²³]?", self.text), *(sign for sign in SIGNS if sign in self.text)}
        return frozenset(units_of_numbers | {parsed for word in words if (parsed := unit(word))})

    @cached_property
    def _times(self) -> dict[tuple[int, int], set[bool | None]]:
        halves: dict[tuple[int, int], set[bool | None]] = {}
        for time in times(self.text, self.language):
            halves.setdefault((time.hour, time.minute), set()).add(time.is_late)
        return halves

    def _may_be_late(self, time: Time) -> bool:
        return self._speaks_of_evenings or (time.hour, time.minute) in self._in_cells

    @cached_property
    def _speaks_of_evenings(self) -> bool:
        return bool(_LATE.search(self.text))

    @cached_property
    def _in_cells(self) -> frozenset[tuple[int, int]]:
        """Return the times at the start of a table cell. The table's heading may state whether they are in the morning
        or the afternoon."""
        every = times(self.text, self.language)
        return frozenset(
            (one.hour, one.minute)
            for one in every
            if self.text[max(0, one.start - 8) : one.start].rstrip(" ").endswith(("|", "\t"))
        )

    @cached_property
    def _dates(self) -> dict[int, list[tuple[int | None, int | None]]]:
        by_month: dict[int, dict[tuple[int | None, int | None], None]] = {}
        for date in dates(self.text):
            for year, month, day in date.ways:
                by_month.setdefault(month, {})[year, day] = None
        return {month: list(days) for month, days in by_month.items()}


def _base_values(number: Quantity) -> set[tuple[str, Fraction]]:
    """Return the number's readings in the base unit of its dimension."""
    dimension, size = (number.unit.dimension, number.unit.size) if number.unit else ("", Fraction(1))
    return {(dimension, reading * size) for reading in number.readings}


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
