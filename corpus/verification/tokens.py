"""A text as words and ends of sentences, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

END = "."
"""What every end of a sentence, a cell, a line or a quotation is compared as."""

_TOKEN = re.compile(r"[^\W_]+|(?<!\b[^\W\d_])\.|[!?;:\n|]")
"""A full stop after a letter alone is that of an initial."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words and ends as they stand, the same folded for comparison, and their offsets."""

    written: tuple[str, ...]
    folded: tuple[str, ...]
    starts: tuple[int, ...]


def tokens(text: str) -> Tokens:
    """An end stands before and after the text, as if it were a sentence among others."""
    matches = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
    written = (END, *(word for word, _ in matches), END)
    folded = tuple(END if word in "!?;:\n|" else word.casefold() for word in written)
    return Tokens(written, folded, (-1, *(start for _, start in matches), len(text)))
