"""One glyph that stands for several letters, as ligatures do, or for a sentence, as no honest one does."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np

from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Marks
from corpus.readers.pdf.pdfium import raw

_MAX_LIGATURE = 6
"""Letters that one glyph may stand for in any case."""

_MIN_ROOM = 0.2
"""Of the font's size: where letters have less room each, more is said than is drawn."""

_SAME_SIZE = 0.01


def joined(characters: Characters) -> list[tuple[int, int]]:
    """Starts and ends of what stands for one thing drawn: PDFium gives all of it one origin.

    The boxes of its letters are guesses, so each gets the box of the whole.
    """
    runs = list(_of_one_origin(characters))
    for start, end in runs:
        boxes = characters.boxes[start:end]
        boxes[:] = [*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)]
    return runs


def crowded(characters: Characters, runs: list[tuple[int, int]]) -> Marks:
    """Which letters stand together in less room than so many could be read in."""
    result = np.zeros(len(characters.indexes), dtype=np.bool_)
    for start, end in runs:
        left, top, right, bottom = characters.boxes[start].tolist()
        room = max(right - left, bottom - top) / (end - start)
        if end - start > _MAX_LIGATURE and room < _MIN_ROOM * max(characters.size(start)):
            result[start:end] = True
    return result


def _of_one_origin(characters: Characters) -> Iterator[tuple[int, int]]:
    boxes = characters.boxes
    sizes = boxes[:, 2:] - boxes[:, :2]
    # Such letters have boxes of one size, which is cheaper to ask.
    alike = np.abs(np.diff(sizes, axis=0)).max(axis=1, initial=0.0) < _SAME_SIZE
    start = 0
    for place in range(1, len(boxes) + 1):
        if place < len(boxes) and alike[place - 1] and _share_origin(characters, place - 1, place):
            continue
        if place - start > 1:
            yield start, place
        start = place


def _share_origin(characters: Characters, place: int, other_place: int) -> bool:
    if characters.objects[place] != characters.objects[other_place]:
        return False
    return _origin(characters, place) == _origin(characters, other_place)


def _origin(characters: Characters, place: int) -> tuple[float, float]:
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(characters.text, characters.indexes[place], x, y)
    return (x.value, y.value)
