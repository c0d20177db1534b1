"""What an engine of text recognition gives, so that another one can take its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""An image of height x width x 3, in RGB."""

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
"""In pixels from the top left corner of the image: where the text starts at its top, then on clockwise as one reads
it. The corners of a line that stands on its head start at the bottom right."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text or a part of one, as it was recognised."""

    text: str
    corners: Corners


class OcrEngine(Protocol):
    """Made without cost; what it needs is loaded at the first image."""

    name: str
    """Changes whenever the same image may be read differently."""

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        """The pieces in any order, a few at a time, so that its caller can show signs of life and stop in between.

        A list may be empty. A single step takes a few seconds at most.
        """
        ...
