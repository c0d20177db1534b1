"""The words of a query, without anything that the service's query syntax takes for an operator."""

from __future__ import annotations

import itertools
import re
import unicodedata

MOST_WORDS = 256
"""The service refuses more than 3,000 words times fields; of scripts without spaces, each letter is a word to it."""

CUT = f"The query was cut to its first {MOST_WORDS} words."

_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
# An apostrophe within a word is a letter of it to the service too.
_OPERATORS = re.compile(r"[+|\"()\\*~&!]|(?<![^\W_])'|'(?![^\W_])")


def plain_words(text: str) -> tuple[str, bool]:
    """The words, empty for none, and whether some at the end were left out as too many."""
    spaced = _spaced(text)
    ends = [word.end() for word in itertools.islice(_WORD.finditer(spaced), MOST_WORDS + 1)]
    if len(ends) > MOST_WORDS:
        return spaced[: ends[MOST_WORDS - 1]], True
    return spaced if ends else "", False


def _spaced(text: str) -> str:
    pieces = _OPERATORS.sub(" ", unicodedata.normalize("NFC", text)).split()
    # A dash has a meaning only in front, and what stood before it may just have gone.
    return " ".join(filter(None, (piece.lstrip("-") for piece in pieces)))
