"""Times of day: "14:30", "14.30 Uhr", "2:30 pm", in English "2 pm"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TIME = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-4])(?:(?P<colon>:)|\.)(?P<minute>[0-5]\d)(?![\d:.]\d|\d)"
    r"(?P<after>[ \u00a0]?(?:Uhr|[ap]\.?m\b\.?))?",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<![\d.,:])(?P<hour>1[0-2]|0?[1-9])[ \u00a0]?(?P<after>[ap]\.?m\b\.?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """A time with its offsets, the hour below 12. `is_late` is True for p.m., None where the text does not tell; noon
    and midnight are not distinguished, since many texts do not. `is_said` where a word marks it as a time."""

    start: int
    end: int
    hour: int
    minute: int
    is_late: bool | None = None
    is_said: bool = False


def times(text: str, language: str | None) -> Iterator[Time]:
    """Times in order, those with minutes first. With a full stop as separator, only a word after it makes a time."""
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
