"""Normalize text that is stored, embedded and shown, by removing control, invisible and broken characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_UNWANTED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, all but tab and the line ends
    "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"  # soft hyphen, zero width, bidi
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e007f"  # tag characters
    "]"
)

_GONE = re.compile(rf"{_UNWANTED.pattern}|\r(?=\n)")
"""Pattern for the characters that `clean` removes. A lone carriage return is not among them, because `clean` replaces
it with a line end, which does not shift any offsets."""
_POWER = re.compile("(?<=[0-9])[⁺⁻]?[⁰¹²³⁴-⁹]+")
_HALF = re.compile("[\ud800-\udfff]")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}")


def clean(text: str) -> str:
    """Return the text without characters that are never visible.

    The joiners U+200C and U+200D are preserved, because Persian and Indic scripts need them.
    """
    return _UNWANTED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def unseen_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the text that `clean` removes, in order."""
    return [match.span() for match in _GONE.finditer(text)]


def is_text(text: str) -> bool:
    """Return whether the text can be encoded as UTF-8, which is not true for every file name."""
    return not _HALF.search(text)


def with_marks(text: str) -> str:
    """Return the text with a replacement character for each lone surrogate."""
    return _HALF.sub("\ufffd", text)


def fold_case(text: str) -> str:
    """Return the text folded for case-insensitive comparison. The dotted and the dotless i of Turkish become one,
    because the capital I does not distinguish them."""
    plain = unicodedata.normalize("NFKC", compatible(text).casefold())
    return plain if plain.isascii() else plain.replace("i\u0307", "i").replace("ı", "i")


def compatible(text: str) -> str:
    """Return the text in NFKC, except that superscript digits after a digit become a power: 10⁶ is `10^6`, not 106."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _POWER.sub(_as_power, text))


def _as_power(match: re.Match[str]) -> str:
    return "^" + unicodedata.normalize("NFKC", match[0]).replace("\u2212", "-")


def token_estimate(text: str) -> int:
    """Return an upper estimate of a model's token count: one token per four ASCII characters, and one per other
    character."""
    other = len(text) - len(text.encode("ascii", "ignore"))
    return (len(text) - other + 3) // 4 + other


def fair_share(sizes: Sequence[int], total: int) -> int:
    """Return the greatest cap for which texts of these sizes fit into the total together if each is cut to the cap
    (max-min fairness)."""
    remaining = total
    for count, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        cap = remaining // count
        if size > cap:
            return max(cap, 0)
        remaining -= size
    return max(sizes, default=0)


def is_contents(text: str) -> bool:
    """Return whether the text consists of table of contents lines, with dot leaders to page numbers."""
    return len(_LEADER.findall(text)) >= 3


def has_leader(text: str) -> bool:
    """Return whether the text has a dot leader to a page number."""
    return bool(_LEADER.search(text))


_FORM = re.compile(
    r"(?=[mdclxvi])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE | re.ASCII
)
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def roman(word: str) -> int | None:
    """Return the value of a Roman numeral in uniform case ("iv", "XIV"), or None for any other word."""
    if not (word.isupper() or word.islower()) or len(word) > 15 or not _FORM.fullmatch(word):
        return None
    values = [_VALUES[letter] for letter in word.lower()]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )
