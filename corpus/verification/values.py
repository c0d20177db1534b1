"""The numbers, times, dates and names of a claim that stand in none of its sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.verification.dates import Date, dates
from corpus.verification.holdings import Holdings
from corpus.verification.quantities import Quantity, quantities
from corpus.verification.substitution import AbsentName, absent_names
from corpus.verification.times import Time, times

_MOST = 200
"""Numbers and dates of one claim that are compared; a claim is a sentence."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`asked` counts the numbers, times and dates of the claim, `absent` are those that stand nowhere, as the claim
    writes them, each with its offset."""

    asked: int
    absent: tuple[tuple[int, str], ...]
    names: tuple[AbsentName, ...]


def compared(claim: str, language: str | None, sources: Sequence[Holdings], *, with_names: bool) -> Compared:
    """Each letter belongs to one value: a date before a time, a time before a number, a number with its unit before a
    name."""
    asked: list[Date | Time | Quantity] = []
    asked += list(dates(claim))[:_MOST]
    taken = _letters(asked)
    asked += [one for one in times(claim) if one.start not in taken][:_MOST]
    taken = _letters(asked)
    asked += [one for one in quantities(claim, language) if not one.implied and one.start not in taken][
        :_MOST
    ]
    absent = [one for one in asked if not _stands(claim, one, sources, language)]
    names = absent_names(claim, sources, language, frozenset(_letters(asked))) if with_names else []
    spans = sorted({(one.start, one.end) for one in absent})
    return Compared(len(asked), tuple((start, claim[start:end]) for start, end in spans), tuple(names))


def _letters(values: Sequence[Date | Time | Quantity]) -> set[int]:
    return {at for one in values for at in range(one.start, one.end)}


def _stands(
    claim: str, value: Date | Time | Quantity, sources: Sequence[Holdings], language: str | None
) -> bool:
    for source in sources:
        # Two languages may write two numbers alike: "1.500".
        alike = language == source.language or language is None or source.language is None
        if _is_held(claim, value, source, language) or (
            alike and source.holds_literally(claim[value.start : value.end])
        ):
            return True
    return False


def _is_held(claim: str, value: Date | Time | Quantity, source: Holdings, language: str | None) -> bool:
    if isinstance(value, Date):
        return source.holds_date(value.ways)
    if isinstance(value, Quantity):
        return source.holds_number(value)
    # A score or a ratio is written as a time is.
    return source.holds_time(value) or all(
        source.holds_number(one) for one in quantities(claim[value.start : value.end], language)
    )
