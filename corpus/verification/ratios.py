"""Ratios, fractions and shares: "1:10", "1/2", "half of". Reported only where a source has a similar one instead."""

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
    """Two numbers in order with their offsets; with `first` 0, a part of a whole in words."""

    start: int
    end: int
    first: int
    second: int
    may_be_time: bool = False


def ratios(claim: str) -> Iterator[Ratio]:
    """The ratios of a claim, then its parts in words."""
    for match in _RATIO.finditer(claim):
        first, second = int(match[1]), int(match[3])
        may_be_time = match[2] == ":" and len(match[3]) == 2 and first <= 24 and second < 60
        yield Ratio(*match.span(), first, second, may_be_time)
    for match in _SHARE.finditer(claim):
        yield Ratio(*match.span(1), 0, _PARTS[match[1].lower()])


class Ratios:
    """The ratios of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, ratio: Ratio) -> bool:
        """Whether the ratio occurs here, also as another ratio of the same value."""
        if not ratio.first:
            return ratio.second in self._parts
        return (ratio.first, ratio.second) in self._pairs or self._has_value(ratio)

    def has_other(self, ratio: Ratio) -> bool:
        """Whether a similar ratio occurs here: reversed, with one number in common, or another part of a whole."""
        if not ratio.first:
            return bool(self._shares - {ratio.second})
        if (ratio.second, ratio.first) in self._signed:
            return True
        # Two different times may share the hour or the minute.
        return not ratio.may_be_time and (ratio.first in self._firsts or ratio.second in self._seconds)

    def _has_value(self, ratio: Ratio) -> bool:
        return ratio.second != 0 and Fraction(ratio.first, ratio.second) in self._values

    @cached_property
    def _signed(self) -> frozenset[tuple[int, int]]:
        return frozenset((ratio.first, ratio.second) for ratio in ratios(self._text) if ratio.first)

    @cached_property
    def _pairs(self) -> frozenset[tuple[int, int]]:
        return self._signed | {(int(first), int(second)) for first, second in _PAIR.findall(self._text)}

    @cached_property
    def _firsts(self) -> frozenset[int]:
        return frozenset(first for first, _ in self._signed)

    @cached_property
    def _seconds(self) -> frozenset[int]:
        return frozenset(second for _, second in self._signed)

    @cached_property
    def _values(self) -> frozenset[Fraction]:
        """Values of the pairs and of the parts in words."""
        of_pairs = {Fraction(first, second) for first, second in self._signed if second}
        return frozenset(of_pairs | {Fraction(1, part) for part in self._parts})

    @cached_property
    def _shares(self) -> frozenset[int]:
        return frozenset(_PARTS[part.lower()] for part in _SHARE.findall(self._text))

    @cached_property
    def _parts(self) -> frozenset[int]:
        parts = {_PARTS[word.lower()] for word in _PART.findall(self._text)}
        forms = {
            2: r"½|\b50\b|\b0[.,]5\b|1/2",
            3: r"⅓|⅔|\b33\b|/3\b",
            4: r"¼|¾|\b25\b|\b75\b|/4\b",
            5: r"\b20\b|/5\b",
        }
        return frozenset(parts | {part for part, form in forms.items() if re.search(form, self._text)})
