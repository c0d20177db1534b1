"""Text that is drawn, but so small or so narrow that nobody can read it."""

from __future__ import annotations

import numpy as np

from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Marks

_MIN_SIZE = 2.0
"""Points, of the font as it is drawn."""


def illegible(characters: Characters) -> Marks:
    """Which are. The boxes must say so too, for a font may be small by its number and large by its shapes."""
    boxes = characters.boxes
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    small = np.minimum(width, height) < _MIN_SIZE
    result = np.zeros(len(boxes), dtype=np.bool_)
    for start, end in characters.runs():
        if small[start:end].all() and min(characters.size(start)) < _MIN_SIZE:
            result[start:end] = True
    return result
