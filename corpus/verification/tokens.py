"""Tokens of a text: words and sentence ends, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

END = "."
"""The folded form of every end of a sentence, cell, line or quotation."""

_TOKEN = re.compile(r"[^\W_]+|(?<!\b[^\W\d_])\.|[!?;:\n|]")
"""A full stop after a single letter belongs to an initial."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words and ends as written, folded for comparison, and their offsets."""

    written: tuple[str, ...]
    folded: tuple[str, ...]
    starts: tuple[int, ...]


def tokens(text: str) -> Tokens:
    """The tokens of a text, with an end before the first and after the last."""
    matches = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    written = (END, *(word for word, _ in matches), END)
    folded = tuple(END if word in "!?;:\n|" else word.casefold() for word in written)
    return Tokens(written, folded, (-1, *(start for _, start in matches), len(text)))
