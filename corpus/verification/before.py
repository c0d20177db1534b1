"""What stands before a number and belongs to it: a minus, a currency, whether it is a least or a greatest value."""

from __future__ import annotations

import re

_REACH = 24
"""Letters."""
_CURRENCY = re.compile(r"(US\$|USD|EUR|GBP|CHF|[$€£¥])[ \u00a0]?$")
_MINUS = re.compile(
    r"(?:(?:^|[\s(|\[=:,;])[-−‑]|(?:[^\s\d][ \u00a0]|[(|\[=:,;])–|(?:^|[\s(|\[=:,;])[Mm]inus[ \u00a0])$"
)
"""A dash that ends a line before, or begins one, is none."""
_RANGE = re.compile(r"\d\s*[-−‑–]$")
_BOUND = re.compile(
    r"(?P<not>\b(?:not?|nicht|never|nie)[ ])?"
    r"(?:(?P<least>\b(?:at least|mindestens|more than|mehr als)[ \u00a0]|(?:[≥⩾]|(?<=[\w|(] )>=?)[ \u00a0]?)"
    r"|(?P<most>\b(?:at most|höchstens|less than|fewer than|weniger als)[ \u00a0]"
    r"|(?:[≤⩽]|(?<=[\w|(] )<=?)[ \u00a0]?))$",
    re.IGNORECASE,
)


def is_negative(text: str, at: int) -> bool:
    """Whether a minus, in whichever sign or as a word, belongs to the number at this place."""
    before = text[max(0, at - 8) : at]
    return bool(_MINUS.search(before)) and not _RANGE.search(before)


def currency(text: str, at: int) -> str | None:
    found = _CURRENCY.search(text[max(0, at - 8) : at])
    return found[1] if found else None


def bound(text: str, at: int) -> int:
    """1 for a least value ("at least 5", "≥ 5", "not less than 5"), -1 for a greatest, 0 where nothing says so."""
    found = _BOUND.search(text[max(0, at - _REACH) : at])
    if not found:
        return 0
    return (1 if found["least"] else -1) * (-1 if found["not"] else 1)
