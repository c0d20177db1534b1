"""Protocol of a text recognition engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.readers.ocr.results import Piece

Pixels = NDArray[np.uint8]  # An RGB image of shape height x width x 3.


class OcrEngine(Protocol):
    """Cheap to create: an engine loads its models with the first image."""

    name: str  # Changes whenever the same image may be read differently.

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        """Yield the pieces in any order, a few at a time, so that the caller can report progress or stop in between.

        A list may be empty. One step takes a few seconds at most.
        """
        ...
