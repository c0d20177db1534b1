"""Text that is drawn too small or too narrow to be read."""

from __future__ import annotations

import numpy as np

from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Marks

_MIN_SIZE = 2.0  # Points of the font as drawn; print is legible from about 4.


def illegible(characters: Characters) -> Marks:
    """Which characters are illegible, shape n. Their boxes must be small too, because a font's shapes may be large
    at a small size."""
    boxes = characters.boxes
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    small = np.minimum(width, height) < _MIN_SIZE
    result = np.zeros(len(boxes), dtype=np.bool_)
    for start, end in characters.runs():
        if small[start:end].all() and min(characters.size(start)) < _MIN_SIZE:
            result[start:end] = True
    return result
