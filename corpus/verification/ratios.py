"""Ratios, fractions and shares: "1:10", "1/2", "half of". Told wrong only where a source has another one like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

_RATIO = re.compile(r"(?<![\w.,:/])(\d{1,6})[ ]?([:/])[ ]?(\d{1,6})(?![\w:/]|[.,]\d)")
_PAIR = re.compile(
    r"(?<![\d.,])(\d{1,6})\s?(?:[:/\-–−‑]|\b(?:to|zu|bis|of|in|von|aus|and|und|or|oder|auf)\b)\s?(?=(\d{1,6}))"
)
_PARTS = {
    "half": 2, "halves": 2, "hälfte": 2, "halb": 2, "third": 3, "thirds": 3, "drittel": 3, "quarter": 4,
    "quarters": 4, "viertel": 4, "fifth": 5, "fifths": 5, "fünftel": 5,
}  # fmt: skip
_SHARE = re.compile(rf"\b({'|'.join(_PARTS)})\s+(?:of|the|all|der|des|aller|von)\b", re.IGNORECASE)
_PART = re.compile(rf"\b({'|'.join(_PARTS)})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Two numbers in their order where they stand, or, where `first` is 0, a part of a whole in words."""

    start: int
    end: int
    first: int
    second: int
    may_be_time: bool = False


def ratios(claim: str) -> Iterator[Ratio]:
    for found in _RATIO.finditer(claim):
        first, second = int(found[1]), int(found[3])
        may_be_time = found[2] == ":" and len(found[3]) == 2 and first <= 24 and second < 60
        yield Ratio(*found.span(), first, second, may_be_time)
    for found in _SHARE.finditer(claim):
        yield Ratio(*found.span(1), 0, _PARTS[found[1].lower()])


class Ratios:
    """Those of one text. Everything is made at the first question that needs it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, asked: Ratio) -> bool:
        if not asked.first:
            return asked.second in self._parts
        return (asked.first, asked.second) in self._pairs or self._has_value(asked)

    def has_other(self, asked: Ratio) -> bool:
        """Whether one stands here that is turned round or has one of the two numbers, or another part of a whole."""
        if not asked.first:
            return bool(self._shares - {asked.second})
        if (asked.second, asked.first) in self._signed:
            return True
        # Two times may well have the hour or the minute in common.
        return not asked.may_be_time and (asked.first in self._firsts or asked.second in self._seconds)

    def _has_value(self, asked: Ratio) -> bool:
        return asked.second != 0 and Fraction(asked.first, asked.second) in self._values

    @cached_property
    def _signed(self) -> frozenset[tuple[int, int]]:
        return frozenset((one.first, one.second) for one in ratios(self._text) if one.first)

    @cached_property
    def _pairs(self) -> frozenset[tuple[int, int]]:
        return self._signed | {(int(one), int(other)) for one, other in _PAIR.findall(self._text)}

    @cached_property
    def _firsts(self) -> frozenset[int]:
        return frozenset(first for first, _ in self._signed)

    @cached_property
    def _seconds(self) -> frozenset[int]:
        return frozenset(second for _, second in self._signed)

    @cached_property
    def _values(self) -> frozenset[Fraction]:
        """What the pairs come to; a part in words is one of it."""
        of_pairs = {Fraction(first, second) for first, second in self._signed if second}
        return frozenset(of_pairs | {Fraction(1, part) for part in self._parts})

    @cached_property
    def _shares(self) -> frozenset[int]:
        return frozenset(_PARTS[found.lower()] for found in _SHARE.findall(self._text))

    @cached_property
    def _parts(self) -> frozenset[int]:
        found = {_PARTS[one.lower()] for one in _PART.findall(self._text)}
        written = {
            2: r"½|\b50\b|\b0[.,]5\b|1/2",
            3: r"⅓|⅔|\b33\b|/3\b",
            4: r"¼|¾|\b25\b|\b75\b|/4\b",
            5: r"\b20\b|/5\b",
        }
        return frozenset(found | {part for part, form in written.items() if re.search(form, self._text)})
