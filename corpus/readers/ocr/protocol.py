"""What an engine of text recognition gives, so that another one can take its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.readers.ocr.pieces import Piece

Pixels = NDArray[np.uint8]
"""An image of height x width x 3, in RGB."""


class OcrEngine(Protocol):
    """Made without cost; what it needs is loaded at the first image."""

    name: str
    """Changes whenever the same image may be read differently."""

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        """The pieces in any order, a few at a time, so that its caller can show signs of life and stop in between.

        A list may be empty. A single step takes a few seconds at most.
        """
        ...
