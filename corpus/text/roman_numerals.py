"""Roman numerals, as used for pages, chapters and rulers."""

from __future__ import annotations

import re

_FORM = re.compile(
    r"(?=[mdclxvi])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE | re.ASCII
)
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def roman(word: str) -> int | None:
    """The value of a numeral in one case ("iv", "XIV"); None for any other word."""
    if not (word.isupper() or word.islower()) or len(word) > 15 or not _FORM.fullmatch(word):
        return None
    values = [_VALUES[letter] for letter in word.lower()]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )
