"""The context before a number: minus sign, currency, lower or upper bound."""

from __future__ import annotations

import re

_MAX_REACH = 40
"""Characters before the number that are read."""
_CURRENCY_SIGN = r"(?:[A-Z]{1,3}\$|[$€£¥₹₩₽])"
_CURRENCY_CODES = "USD|EUR|GBP|CHF|JPY|CNY|AUD|CAD|NZD|HKD|SGD|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|KRW"
_CURRENCY = re.compile(rf"(?<![A-Za-z])({_CURRENCY_SIGN}|{_CURRENCY_CODES})[ \u00a0]?$")
_MINUS = re.compile(
    r"(?:(?:^|[\s(|\[=:,;])[-−‑]|(?:[^\s\d][ \u00a0]|[(|\[=:,;])–|(?:^|[\s(|\[=:,;])[Mm]inus[ \u00a0])$"
)
"""A dash that ends or begins a line is no minus."""
_RANGE = re.compile(r"\d\s*[-−‑–]$")
_AT_LEAST_WORDS = (
    "at least|more than|greater than|higher than|longer than|over|above|exceed(?:s|ing|ed)?|upwards? of"
    "|from|minimum(?: of)?|min\\.|mindestens|wenigstens|mehr als|größer als|höher als|länger als|über|oberhalb von|ab"
    "|mind\\."
)
_AT_MOST_WORDS = (
    "at most|less than|fewer than|lower than|smaller than|shorter than|below|under|up to|maximum(?: of)?|max\\."
    "|höchstens|maximal|weniger als|kleiner als|niedriger als|kürzer als|unter|unterhalb von|bis zu|bis"
)
_ABOUT = r"(?:(?:about|around|approximately|approx\.|etwa|rund|circa|ca\.)[ \u00a0])?"
_BOUND = re.compile(
    r"(?P<not>\b(?:not?|nicht|never|nie)[ ])?"
    rf"(?:(?P<least>\b(?:{_AT_LEAST_WORDS})[ \u00a0]|(?:[≥⩾]|(?<=[\w|(] )>=?)[ \u00a0]?)"
    rf"|(?P<most>\b(?:{_AT_MOST_WORDS})[ \u00a0]|(?:[≤⩽]|(?<=[\w|(] )<=?)[ \u00a0]?))"
    rf"{_ABOUT}(?:(?:{_CURRENCY_SIGN}|{_CURRENCY_CODES})[ \u00a0]?)?$",
    re.IGNORECASE,
)


_MAY_BOUND = re.compile(r"[^\W\d_][. \u00a0$€£¥₹₩₽]+$|[≥⩾≤⩽<>=$€£¥₹₩₽] ?$")


def is_negative(text: str, at: int) -> bool:
    """Whether a minus, as any sign or as a word, belongs to the number at this offset."""
    before = text[max(0, at - 8) : at]
    return bool(_MINUS.search(before)) and not _RANGE.search(before)


def currency(text: str, at: int) -> str | None:
    """The currency sign or code before the number at this offset; None without one."""
    match = _CURRENCY.search(text[max(0, at - 8) : at])
    return match[1] if match else None


def bound(text: str, at: int) -> int:
    """1 for a lower bound ("at least 5", "over 5", "not less than 5"), -1 for an upper bound, 0 without one."""
    before = text[max(0, at - _MAX_REACH) : at]
    if not _MAY_BOUND.search(before[-6:]):  # fast path for most numbers of a long table
        return 0
    match = _BOUND.search(before)
    if not match:
        return 0
    return (1 if match["least"] else -1) * (-1 if match["not"] else 1)
