"""Glyphs that stand for several characters: ligatures, or whole sentences hidden in one glyph."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Marks
from corpus.readers.pdf.text.glyphs import origin_of

_MAX_LIGATURE = 6  # Characters that one glyph may stand for in any case.
_MIN_ROOM = 0.2  # Share of the font size per character; with less, the glyph says more than it draws.
_SAME_SIZE = 0.01  # Points; the boxes of characters of one glyph have the same size.


def join_ligatures(characters: Characters) -> list[tuple[int, int]]:
    """Start and end of the characters of one glyph, to which PDFium gives one origin. Their boxes, which are
    guesses, become that of the glyph."""
    runs = list(_runs_of_one_origin(characters))
    for start, end in runs:
        boxes = characters.boxes[start:end]
        boxes[:] = [*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)]
    return runs


def crowded_ligatures(characters: Characters, runs: list[tuple[int, int]]) -> Marks:
    """Which characters share less room than they could be read in, shape n."""
    result = np.zeros(len(characters.indexes), dtype=np.bool_)
    for start, end in runs:
        left, top, right, bottom = characters.boxes[start].tolist()
        room = max(right - left, bottom - top) / (end - start)
        if end - start > _MAX_LIGATURE and room < _MIN_ROOM * max(characters.size(start)):
            result[start:end] = True
    return result


def _runs_of_one_origin(characters: Characters) -> Iterator[tuple[int, int]]:
    boxes = characters.boxes
    sizes = boxes[:, 2:] - boxes[:, :2]
    # Characters of one glyph have boxes of one size, a cheaper test.
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
    return origin_of(characters.text, characters.indexes[place]) == origin_of(
        characters.text, characters.indexes[other_place]
    )
