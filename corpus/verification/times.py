"""Times of day: "14:30", "14.30 Uhr", "2:30 pm"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TIME = re.compile(
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-4])(?:(?P<colon>:)|\.)(?P<minute>[0-5]\d)(?![\d:.]\d|\d)"
    r"(?P<after>[ \u00a0]?(?:Uhr|[ap]\.?m\b\.?))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Time:
    """A time where it stands; noon and midnight are not told apart, since many texts do not."""

    start: int
    end: int
    hour: int
    minute: int


def times(text: str) -> Iterator[Time]:
    """In order. A full stop between makes a time only where a word after it says so."""
    for match in _TIME.finditer(text):
        if match["colon"] or match["after"]:
            yield Time(*match.span(), int(match["hour"]) % 12, int(match["minute"]))
