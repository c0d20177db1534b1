"""The numbers, times, dates and names of a claim that none of its sources has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from corpus.verification.dates import Date, dates
from corpus.verification.designations import designations
from corpus.verification.holdings import Holdings
from corpus.verification.quantities import Quantity, quantities
from corpus.verification.ratios import ratios
from corpus.verification.substitution import AbsentName, absent_names
from corpus.verification.times import Time, times

_MAX_VALUES = 200
"""Values per claim that are compared; a claim is a sentence."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`asked` counts the numbers, times and dates of the claim; `absent` are those in no source, as written, with their
    offsets. `all_compared` is False where there were too many."""

    asked: int
    absent: tuple[tuple[int, str], ...]
    names: tuple[AbsentName, ...]
    all_compared: bool = True


def compared(claim: str, language: str | None, sources: Sequence[Holdings], *, with_names: bool) -> Compared:
    """Compare the values of a claim with its sources. Each character belongs to one value: dates take precedence over
    times, times over numbers, numbers with their unit over names."""
    all_values = _values_of(claim, language)
    values = all_values[:_MAX_VALUES]
    absent = {(value.start, value.end) for value in values if not _is_in_any(claim, value, sources, language)}
    names = absent_names(claim, sources, language, frozenset(_offsets(values))) if with_names else []
    replaced = set(_replaced_marks(claim, sources)) - absent
    return Compared(
        len(values) + len(replaced),
        tuple((start, claim[start:end]) for start, end in sorted(absent | replaced)),
        tuple(names),
        len(all_values) <= _MAX_VALUES,
    )


@lru_cache(maxsize=4)  # a claim is compared with many sentences in a row
def _values_of(claim: str, language: str | None) -> tuple[Date | Time | Quantity, ...]:
    values: list[Date | Time | Quantity] = list(dates(claim))
    covered = _offsets(values)
    values += [value for value in times(claim, language) if value.start not in covered]
    covered = _offsets(values)
    values += [
        value for value in quantities(claim, language) if not value.implied and value.start not in covered
    ]
    return tuple(values)


def _replaced_marks(claim: str, sources: Sequence[Holdings]) -> Iterator[tuple[int, int]]:
    """Ratios, letters and versions that no source has and in whose place a source has another one."""
    for ratio in islice(ratios(claim), _MAX_VALUES):
        if not any(source.ratios.holds(ratio) for source in sources) and any(
            source.ratios.has_other(ratio) for source in sources
        ):
            yield ratio.start, ratio.end
    for mark in islice(designations(claim), _MAX_VALUES):
        if not any(source.designations.holds(mark) for source in sources) and any(
            source.designations.has_other(mark) for source in sources
        ):
            yield mark.start, mark.end


def _offsets(values: Sequence[Date | Time | Quantity]) -> set[int]:
    return {at for value in values for at in range(value.start, value.end)}


def _is_in_any(
    claim: str, value: Date | Time | Quantity, sources: Sequence[Holdings], language: str | None
) -> bool:
    return any(
        _is_in_source(claim, value, source, language)
        or (
            _is_compared_as_written(value, source, language)
            and source.holds_literally(claim[value.start : value.end])
        )
        for source in sources
    )


def _is_compared_as_written(value: Date | Time | Quantity, source: Holdings, language: str | None) -> bool:
    """Numbers with readings are compared by value: literally, "5 MW" would match "5 mW"."""
    if (isinstance(value, Quantity) and value.readings) or (
        isinstance(value, Time) and source.has_other_half(value)
    ):
        return False
    # The same digits mean different numbers in two languages: "1.500".
    return language == source.language or language is None or source.language is None


def _is_in_source(claim: str, value: Date | Time | Quantity, source: Holdings, language: str | None) -> bool:
    if isinstance(value, Date):
        return source.holds_date(value.ways)
    if isinstance(value, Quantity):
        return source.holds_number(value)
    # A score or ratio looks like a time.
    if source.holds_time(value) or source.has_other_half(value):
        return source.holds_time(value)
    text = claim[value.start : value.end]
    if ":" in text and (value.is_said or source.has_times):
        return not value.is_said and any(source.ratios.holds(part) for part in ratios(text))
    return all(source.holds_number(part) for part in quantities(text, language))
