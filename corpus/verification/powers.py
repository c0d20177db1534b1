"""Scale suffixes of a number: a power of ten ("10⁶", "1e6"), or letters before a currency ("5 M€")."""

from __future__ import annotations

import re
from fractions import Fraction

_ONE = Fraction(1)
_POWER = re.compile(
    r"(?P<times>[ \u00a0]?[×x·⋅*][ \u00a0]?10)?"
    r"(?:(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{1,3})|\^\{?(?P<plain>[-−+]?\d{1,3})\}?)"
)
_SCIENTIFIC = re.compile(r"[eE](?P<exponent>[-−+]?\d{1,2})(?![\w.])")
"""Scientific notation: 1e6."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_SHORT = re.compile(r"[ \u00a0]?(?P<letters>[kKTmMB]|Mio\.?|Mrd\.?|Md|bn)(?=[€$£¥])")
_SIZES = {"k": 10**3, "K": 10**3, "T": 10**3, "m": 10**6, "M": 10**6, "Mio": 10**6, "B": 10**9, "bn": 10**9}


def power_of_ten(text: str, number: str, at: int) -> tuple[int, Fraction]:
    """The end of the power that follows the number, and its factor. Raised digits after other numbers than ten are
    footnote marks."""
    if (scientific := _SCIENTIFIC.match(text, at)) and not text[: at - len(number)][-1:].isalnum():
        return scientific.end(), Fraction(10) ** int(scientific["exponent"].translate(_RAISED))
    match = _POWER.match(text, at)
    if not match or (not match["times"] and number != "10"):
        return at, _ONE
    exponent = int((match["raised"] or match["plain"]).translate(_RAISED))
    return match.end(), Fraction(10) ** (exponent if match["times"] else exponent - 1)


def before_currency(text: str, at: int) -> tuple[int, Fraction]:
    """The end of the letters between a number and a currency sign, and their factor."""
    match = _SHORT.match(text, at)
    if not match:
        return at, _ONE
    return match.end(), Fraction(_SIZES.get(match["letters"].rstrip("."), 10**9))
