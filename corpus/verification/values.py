"""The numbers, times, dates and names of a claim that stand in none of its sources."""

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

_MOST = 200
"""Numbers and dates of one claim that are compared; a claim is a sentence."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`asked` counts the numbers, times and dates of the claim, `absent` are those that stand nowhere, as the claim
    writes them, each with its offset. `all_compared` tells that there were not too many."""

    asked: int
    absent: tuple[tuple[int, str], ...]
    names: tuple[AbsentName, ...]
    all_compared: bool = True


def compared(claim: str, language: str | None, sources: Sequence[Holdings], *, with_names: bool) -> Compared:
    """Each letter belongs to one value: a date before a time, a time before a number, a number with its unit before a
    name."""
    every = _values(claim, language)
    asked = every[:_MOST]
    absent = {(one.start, one.end) for one in asked if not _stands(claim, one, sources, language)}
    names = absent_names(claim, sources, language, frozenset(_letters(asked))) if with_names else []
    others = set(_others(claim, sources)) - absent
    return Compared(
        len(asked) + len(others),
        tuple((start, claim[start:end]) for start, end in sorted(absent | others)),
        tuple(names),
        len(every) <= _MOST,
    )


@lru_cache(maxsize=4)  # a claim is compared with one sentence after the other
def _values(claim: str, language: str | None) -> tuple[Date | Time | Quantity, ...]:
    every: list[Date | Time | Quantity] = list(dates(claim))
    taken = _letters(every)
    every += [one for one in times(claim, language) if one.start not in taken]
    taken = _letters(every)
    every += [one for one in quantities(claim, language) if not one.implied and one.start not in taken]
    return tuple(every)


def _others(claim: str, sources: Sequence[Holdings]) -> Iterator[tuple[int, int]]:
    """Ratios, letters and versions in whose place a source has another one, and no source this one."""
    for ratio in islice(ratios(claim), _MOST):
        if not any(one.ratios.holds(ratio) for one in sources) and any(
            one.ratios.has_other(ratio) for one in sources
        ):
            yield ratio.start, ratio.end
    for mark in islice(designations(claim), _MOST):
        if not any(one.designations.holds(mark) for one in sources) and any(
            one.designations.has_other(mark) for one in sources
        ):
            yield mark.start, mark.end


def _letters(values: Sequence[Date | Time | Quantity]) -> set[int]:
    return {at for one in values for at in range(one.start, one.end)}


def _stands(
    claim: str, value: Date | Time | Quantity, sources: Sequence[Holdings], language: str | None
) -> bool:
    return any(
        _is_held(claim, value, source, language)
        or (
            _is_compared_as_written(value, source, language)
            and source.holds_literally(claim[value.start : value.end])
        )
        for source in sources
    )


def _is_compared_as_written(value: Date | Time | Quantity, source: Holdings, language: str | None) -> bool:
    """A number that can be read is compared by what it means: letter for letter, "5 MW" is "5 mW"."""
    if (isinstance(value, Quantity) and value.readings) or (
        isinstance(value, Time) and source.has_other_half(value)
    ):
        return False
    # Two languages may write two numbers alike: "1.500".
    return language == source.language or language is None or source.language is None


def _is_held(claim: str, value: Date | Time | Quantity, source: Holdings, language: str | None) -> bool:
    if isinstance(value, Date):
        return source.holds_date(value.ways)
    if isinstance(value, Quantity):
        return source.holds_number(value)
    # A score or a ratio is written as a time is.
    if source.holds_time(value) or source.has_other_half(value):
        return source.holds_time(value)
    written = claim[value.start : value.end]
    if ":" in written and (value.is_said or source.has_times):
        return not value.is_said and any(source.ratios.holds(one) for one in ratios(written))
    return all(source.holds_number(one) for one in quantities(written, language))
