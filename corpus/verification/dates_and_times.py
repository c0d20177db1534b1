"""English and German dates and times of day in text, in words and in digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

_NAMES = (
    "January Januar Jänner Jan", "February Februar Feber Feb", "March März Mrz Mar", "April Apr", "May Mai",
    "June Juni Jun", "July Juli Jul", "August Aug", "September Sept Sep", "October Oktober Oct Okt", "November Nov",
    "December Dezember Dec Dez",
)  # fmt: skip
MONTHS = {name: at for at, names in enumerate(_NAMES, 1) for name in names.split()}
"""Month numbers, 1 to 12, by name."""
_UNSURE = frozenset({"May", "March", "Mar", "Jan", "Jun", "Jul", "Apr", "Sep", "Dec", "Okt", "Nov", "Feb", "Aug"})
"""Month names that may be other words unless they have a day or a year."""

_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_DAYS = rf"{_DAY}(?:st|nd|rd|th|\.)?"
_DAY_AFTER = rf"{_DAY}(?:st|nd|rd|th)?"
_AND = r" ?(?:[-–,/]|and|to|und|bis|&|or|oder) ?"
_IN_WORDS = re.compile(
    rf"(?<![\w.,])(?:(?P<days>{_DAYS}(?:{_AND}{_DAYS}){{0,3}})[ \u00a0]?(?:of )?)?"
    rf"\b(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
    rf"(?:[ \u00a0](?P<after>(?!\d{{3}}){_DAY_AFTER}(?:{_AND}{_DAY_AFTER}(?!\d)){{0,3}})(?![\w%]|[.,]\d))?"
    r"(?:,?[ \u00a0](?:of )?(?P<year>[12]\d{3})(?!\d))?"
)
_IN_DIGITS = re.compile(
    r"(?<![\d.,/-])(?:(?P<iso>[12]\d{3})-(?P<m>[01]\d)-(?P<d>[0-3]\d)"
    r"|(?P<one>[0-3]?\d)(?P<mark>[./])(?P<two>[0-3]?\d)(?P=mark)(?P<year>[12]\d{3}|\d{2}))(?![\d/-]|\.\d)"
)


Way: TypeAlias = tuple[int | None, int, int | None]
"""Year, month and day."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date and its offsets; missing parts are None. `ways` contains several interpretations if it is ambiguous which
    number is the day and which is the month."""

    start: int
    end: int
    ways: tuple[Way, ...]


def dates(text: str) -> Iterator[Date]:
    """Yield the dates in order: first those with a month name, then those in digits. A list of days ("4 and 7 July")
    yields one date per day, all at the same offsets."""
    for match in _IN_WORDS.finditer(text):
        yield from _in_words(match)
    for match in _IN_DIGITS.finditer(text):
        if ways := _ways(match):
            yield Date(*match.span(), ways)


def _in_words(match: re.Match[str]) -> Iterator[Date]:
    year = int(match["year"]) if match["year"] else None
    days = [int(day) for day in re.findall(r"\d+", f"{match['days'] or ''} {match['after'] or ''}")]
    if not days and year is None and match["month"] in _UNSURE:
        return
    for day in days or (None,):
        yield Date(*match.span(), ((year, MONTHS[match["month"]], day),))


def _ways(match: re.Match[str]) -> tuple[Way, ...]:
    if match["iso"]:
        candidates = [(int(match["iso"]), int(match["m"]), int(match["d"]))]
    else:
        year, first, second = _full_year(match["year"]), int(match["one"]), int(match["two"])
        candidates = [(year, second, first)] if match["mark"] == "." else [(year, second, first), (year, first, second)]
    return tuple((year, month, day) for year, month, day in candidates if 1 <= month <= 12 and 1 <= day <= 31)


def _full_year(year: str) -> int:
    if len(year) == 4:
        return int(year)
    return int(year) + (2000 if int(year) < 50 else 1900)


_TIME = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-4])(?:(?P<colon>:)|\.)(?P<minute>[0-5]\d)(?![\d:.]\d|\d)"
    r"(?P<after>[ \u00a0]?(?:Uhr|[ap]\.?m\b\.?))?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<![\d.,:])(?P<hour>1[0-2]|0?[1-9])[ \u00a0]?(?P<after>[ap]\.?m\b\.?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day with its offsets. `hour` is below 12. `is_late` is True for p.m., and None if the text does not
    specify it. Noon and midnight are treated as equal, because many texts do not distinguish them. `is_said` is True if
    a word marks the digits as a time."""

    start: int
    end: int
    hour: int
    minute: int
    is_late: bool | None = None
    is_said: bool = False


def times(text: str, language: str | None) -> Iterator[Time]:
    """Yield the times in order: first those with minutes, then the others. Digits separated by a full stop are a time
    only if a word such as "Uhr" follows."""
    for match in _TIME.finditer(text):
        if match["colon"] or match["after"]:
            hour = int(match["hour"])
            yield Time(
                *match.span(),
                hour % 12,
                int(match["minute"]),
                _is_late(hour, match["after"]),
                bool(match["after"]),
            )
    if language == "en":
        for match in _HOUR.finditer(text):
            hour = int(match["hour"])
            yield Time(*match.span(), hour % 12, 0, _is_late(hour, match["after"]), True)


def _is_late(hour: int, after: str | None) -> bool | None:
    letter = (after or "").strip().lower()[:1]
    if letter in ("a", "p"):
        return letter == "p"
    return True if 12 < hour < 24 else None
