"""The numbers, dates and names of a claim that stand in none of its sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.verification.dates import Date, dates
from corpus.verification.holdings import Holdings
from corpus.verification.quantities import Quantity, quantities
from corpus.verification.substitution import AbsentName, absent_names

_MOST = 200
"""Numbers and dates of one claim that are compared; a claim is a sentence."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`asked` counts the numbers and dates of the claim, `absent` are those that stand nowhere, as the claim writes
    them, each with its offset."""

    asked: int
    absent: tuple[tuple[int, str], ...]
    names: tuple[AbsentName, ...]


def compared(claim: str, language: str | None, sources: Sequence[Holdings], *, with_names: bool) -> Compared:
    """Each letter belongs to one value: a date before a number, a number with its unit before a name."""
    found_dates = tuple(dates(claim))[:_MOST]
    taken = {at for one in found_dates for at in range(one.start, one.end)}
    numbers = tuple(one for one in quantities(claim, language) if not one.implied and one.start not in taken)[
        :_MOST
    ]
    taken |= {at for one in numbers for at in range(one.start, one.end)}
    asked: tuple[Date | Quantity, ...] = (*found_dates, *numbers)
    absent = [one for one in asked if not _stands(claim, one, sources, language)]
    names = absent_names(claim, sources, language, frozenset(taken)) if with_names else []
    spans = sorted({(one.start, one.end) for one in absent})
    return Compared(
        len(found_dates) + len(numbers),
        tuple((start, claim[start:end]) for start, end in spans),
        tuple(names),
    )


def _stands(claim: str, value: Date | Quantity, sources: Sequence[Holdings], language: str | None) -> bool:
    for source in sources:
        held = source.holds_date(value.ways) if isinstance(value, Date) else source.holds_number(value)
        # Two languages may write two numbers alike: "1.500".
        alike = language == source.language or language is None or source.language is None
        if held or (alike and source.holds_literally(claim[value.start : value.end])):
            return True
    return False
