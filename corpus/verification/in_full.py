"""Expand elliptical quantities ("20 to 35 million" -> "20 million to 35 million", "mg per day" -> "mg/day")."""

from __future__ import annotations

import re

from corpus.verification.number_words import multiplier
from corpus.verification.units import unit

_RANGE = re.compile(
    r"(?<![\d.,])(?P<low>\d[\d.,]{0,20}+)(?P<between> ?(?:to|bis|and|und|or|oder|[-–]) ?(?:[$€£] ?)?)"
    r"(?P<high>\d[\d.,]{0,20}+)(?P<space> ?)(?P<times>[^\W\d_]{1,12}\.?)"
)
_PER = re.compile(r"(?<=[^\W\d_]) (?:per|pro|je|a) (?=(?P<unit>[^\W\d_]{1,12}))")


def in_full(text: str, language: str | None) -> str:
    """The text with elliptical quantities expanded; the text itself where it has none."""

    def low_too(match: re.Match[str]) -> str:
        times = match["times"]
        if multiplier(times, language) is None and multiplier(times.rstrip("."), language) is None:
            return match[0]
        shared = match["space"] + times
        return f"{match['low']}{shared}{match['between']}{match['high']}{shared}"

    def with_stroke(match: re.Match[str]) -> str:
        return "/" if unit(match["unit"]) else match[0]

    return _PER.sub(with_stroke, _RANGE.sub(low_too, text))
