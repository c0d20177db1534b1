"""Results of text recognition (OCR) in the form in which they are stored and sent. Importing this module loads no
engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
"""Corners in pixels, measured from the top left corner of the image. The first is the top corner at the start of the
text; the others follow clockwise in reading direction. The corners of an upside-down line start at the bottom right."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text found by OCR, or a part of one."""

    text: str
    corners: Corners


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionResult:
    """The OCR result for one picture. If there are no pieces and no failure, the picture contains no text.

    The coordinates of `pieces` refer to an image of `size` pixels, with `pixels_a_point` pixels per point of the page.
    `failure` is the reason why OCR gave up. `picture` is the SHA-256 of the picture's bytes; it is empty for a page of
    the file itself.
    """

    pieces: tuple[Piece, ...] = ()
    size: tuple[int, int] = (1, 1)
    pixels_a_point: float = 1.0
    failure: str = ""
    picture: str = ""


def corners_of(numbers: Sequence[float]) -> Corners:
    """Return corners from eight numbers, which alternate between x and y. Raises ValueError for any other count."""
    a, b, c, d = zip(numbers[::2], numbers[1::2], strict=True)
    return (a, b, c, d)


Pixels = NDArray[np.uint8]  # An RGB image of shape (height, width, 3).


class OcrEngine(Protocol):
    """Protocol of an OCR engine. An engine is cheap to create, because it loads its models with the first image."""

    name: str  # Must change whenever the result for the same image may change.

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        """Yield the pieces in any order, a few at a time, so that the caller can report progress or stop in between.

        A list may be empty. One step takes at most a few seconds.
        """
        ...


ENGINE = "rapidocr PP-OCRv6 small, 1"  # Name of the engine. A different name invalidates all stored results.
HOW_TO_INSTALL = "pip install rapidocr onnxruntime opencv-python-headless"
"""Installation command. Installing Ibid also installs these packages where wheels exist; there are none for Macs with
Intel processors."""

PICTURE_FILE = "The file is a picture"
"""Start of the warning that OCR has not read an image file."""


def unread_warning(subject: str, *, single: bool, follows: bool) -> str:
    """Return a warning about pages or files that OCR has not read. `subject` is its start, such as `Page 3 is a
    picture`. The warning announces that OCR will read them, or explains how to enable it."""
    if follows:
        return f"{subject} without text, not read yet by text recognition (OCR), which runs after all texts are read."
    says, it = ("it says", "it") if single else ("they say", "them")
    return (
        f"{subject} without text; what {says} cannot be found until text recognition (OCR) has read {it}: {_how()}, "
        "and ingest again."
    )


def reading_follows(*, follows: bool) -> str:
    """Return a sentence saying that OCR will read the text that it has not read yet, or how to enable OCR."""
    if follows:
        return "Text recognition (OCR) reads them after all texts are read."
    return f"To have text recognition (OCR) read them: {_how()}, and ingest again."


def _how() -> str:
    return "set RAG_OCR to auto" if is_installed() else HOW_TO_INSTALL


def unread_picture(pages: int, *, follows: bool) -> str:
    """Return `unread_warning` for a file that consists of one or more pictures."""
    return unread_warning(
        PICTURE_FILE + (f" of {pages} pages" if pages > 1 else ""), single=pages == 1, follows=follows
    )


def is_installed() -> bool:
    """Return whether an engine is installed, without loading it."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


@lru_cache(maxsize=1)
def engine() -> OcrEngine | None:
    """Return the engine, or None if none is installed."""
    if not is_installed():
        return None
    from corpus.readers.ocr.rapid import RapidEngine

    return RapidEngine()
