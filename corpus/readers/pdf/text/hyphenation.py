"""Words divided at line ends, joined where the document shows that they are one word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpus.readers.pdf.text.lines import HYPHEN

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"(?<![^\W\d_])(?<![^\W\d_]-)[^\W\d_]++(?:-[^\W\d_]++)*+$")
_FIRST = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HANGING_BEFORE = frozenset(("und", "oder", "bzw", "bis", "sowie", "noch", "and", "or", "to", "et", "ou"))
"""A hyphen before one of these stays: "Ein- und Ausgabe"."""

_FIRST_PARTS = re.compile(
    "well|ill|self|half|full|high|low|long|short|hard|old|new|far|best|first|second|third|"
    "two|three|four|five|six|seven|eight|nine|ten"
)
"""English words that hyphenated compounds start with ("well-trained") and that other words do not break behind."""

_REST = re.compile(
    r"(?!(?:able|aries|ary|ened|ener|ening|hand|hood|ings?|ish|lands?|ages|lights?|lighted|lighting|lings?|ness|ship|some|"
    r"time|ways?|wards?|born|comers?|comings?|ly|er|est)(?![^\W\d_]))[^\W\d_]{4}"
)
"""The rest of such a compound is a word: no ending ("short-ages"), no part of another word ("high-lights")."""

_WIDE = re.compile(r"[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
"""Scripts without spaces between words (not Hangul)."""


class Words:
    """The words that a document shows undivided."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._lower: set[str] = set()

    def see(self, line: str) -> None:
        """Take in a line; its first and last word may be fragments and are skipped."""
        words = _WORD.findall(line)[1:-1]
        self._seen.update(words)
        self._lower.update(word.lower() for word in words)

    def __contains__(self, word: str) -> bool:
        return word.lower() in self._lower

    def both_seen(self, last: str, first: str) -> bool:
        """Whether both are words of the document, with this spelling."""
        return last in self._seen and first in self._seen


def join(text: str, line: str, words: Words) -> str:
    """The running text continued by one line: one space between, none within a divided word or between ideographs."""
    line = line.strip(" \t")
    if not text or not line:
        return text + line
    if text.endswith(HYPHEN):
        return text[:-1] + _bridge(text[:-1], line, words, marked=True) + line
    if text.endswith("-") and text[-2:-1].isalnum():
        return text[:-1] + _bridge(text[:-1], line, words, marked=False) + line
    if _WIDE.match(text[-1]) and _WIDE.match(line[0]):
        return text + line
    return f"{text} {line}"


def join_lines(lines: Iterable[str], words: Words) -> str:
    """The lines as running text."""
    text = ""
    for line in lines:
        text = join(text, line, words)
    return without_mark(text)


def without_mark(text: str) -> str:
    """The text with HYPHEN as a plain hyphen."""
    return text.replace(HYPHEN, "-")


def _bridge(text: str, line: str, words: Words, *, marked: bool) -> str:
    """What joins the two pieces: nothing, a hyphen, or a hyphen and a space."""
    last, first = _LAST.search(text), _FIRST.match(line)
    if not last or not first:
        return "-" if marked or line[0].isalnum() else "- "
    if first.group().lower() in _HANGING_BEFORE:
        return "- "
    return "" if _is_single_word(last.group(), first.group(), words, marked=marked) else "-"


def _is_single_word(last: str, first: str, words: Words, *, marked: bool) -> bool:
    if last + first in words:
        return f"{last}-{first}" not in words
    if not first[0].islower() or f"{last}-{first}" in words or not marked:
        return False
    piece, next_piece = last.rpartition("-")[2], first.partition("-")[0]
    if _FIRST_PARTS.fullmatch(piece.lower()) and _REST.match(next_piece):
        return False
    # Two words of some length, as in "high-quality"; or a chain, as in "trial-and-error".
    long = min(len(piece), len(next_piece)) >= 4 or "-" in first
    return not (long and words.both_seen(piece, next_piece))
