"""Text as it may be stored, embedded and shown: no control, invisible or broken characters."""

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
"""`clean` writes a carriage return that stands alone as a line end: an offset moves by none."""
_POWER = re.compile("(?<=[0-9])[⁺⁻]?[⁰¹²³⁴-⁹]+")
_HALF = re.compile("[\ud800-\udfff]")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}")


def clean(text: str) -> str:
    """The text without characters that carry nothing a reader would see.

    The two joiners U+200C and U+200D stay: Persian and the Indic scripts need them.
    """
    return _UNWANTED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def unseen_spans(text: str) -> list[tuple[int, int]]:
    """Where in the text stands what `clean` takes out, in order."""
    return [match.span() for match in _GONE.finditer(text)]


def is_text(text: str) -> bool:
    """Whether the text can be written as UTF-8; a file name need not be."""
    return not _HALF.search(text)


def with_marks(text: str) -> str:
    """The text with a replacement mark for each half of a surrogate pair, where a letter cannot just vanish."""
    return _HALF.sub("\ufffd", text)


def folded(text: str) -> str:
    """Text as it is compared where case does not count. Turkish writes two letters i, whose capitals tell no more."""
    plain = unicodedata.normalize("NFKC", compatible(text).casefold())
    return plain if plain.isascii() else plain.replace("i\u0307", "i").replace("ı", "i")


def compatible(text: str) -> str:
    """Text in NFKC, but for raised digits behind a digit, which are a power: 10⁶ is `10^6`, not 106."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _POWER.sub(_as_power, text))


def _as_power(match: re.Match[str]) -> str:
    return "^" + unicodedata.normalize("NFKC", match[0]).replace("\u2212", "-")


def token_estimate(text: str) -> int:
    """About how many tokens a model counts, on the high side: one for four ASCII letters or for one other."""
    other = len(text) - len(text.encode("ascii", "ignore"))
    return (len(text) - other + 3) // 4 + other


def fair_share(sizes: Sequence[int], total: int) -> int:
    """The greatest cap at which texts of these sizes, each cut to it, fit into the total together."""
    remaining = total
    for count, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        cap = remaining // count
        if size > cap:
            return max(cap, 0)
        remaining -= size
    return max(sizes, default=0)


def is_contents(text: str) -> bool:
    """Whether the text is lines of a table of contents, with dots that lead to page numbers."""
    return len(_LEADER.findall(text)) >= 3


def has_leader(text: str) -> bool:
    """Whether dots in the text lead to a page number."""
    return bool(_LEADER.search(text))
