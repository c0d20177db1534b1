"""Sentence spans of a source: the units that are shown as evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.citing.sentences import sentences

_MAX_SENTENCE = 500
"""Characters. Text without a sentence end for longer is cut between words."""
_LINE = re.compile(r"\n(?=[^\S\n]*(?:[|•*\-–]|\d+[.)]\s|\n))")
"""A new line that begins a row, an item or a paragraph; other line breaks may be within a sentence."""


def sentence_spans(text: str, language: str | None) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence in code points, without surrounding white space."""
    for first, last in sentences(text, language):
        for start, end in _lines(text, first, last):
            yield from _pieces(text, start, end)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _LINE.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _MAX_SENTENCE:
        end_of_piece = text.rfind(" ", start + 1, start + _MAX_SENTENCE)
        end_of_piece = end_of_piece if end_of_piece > start else start + _MAX_SENTENCE
        yield from _strip(text, start, end_of_piece)
        start = end_of_piece
    yield from _strip(text, start, end)


def _strip(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    if first < last:
        yield first, last
