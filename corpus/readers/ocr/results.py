"""Records of text recognition as they are stored and sent. Importing this module loads no engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
"""Pixels from the top left corner of the image: the start of the text at its top, then clockwise in reading direction.
The corners of an upside-down line start at the bottom right."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A recognised line of text, or a part of one."""

    text: str
    corners: Corners


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionResult:
    """The result for one picture. No pieces and no failure means that the picture holds no text.

    `pieces` lie on an image of `size` pixels with `pixels_a_point` pixels per point of the page. `failure` says why
    recognition gave up. `picture` is the SHA-256 of the picture's bytes, empty for a page of the file itself.
    """

    pieces: tuple[Piece, ...] = ()
    size: tuple[int, int] = (1, 1)
    pixels_a_point: float = 1.0
    failure: str = ""
    picture: str = ""


def corners_of(numbers: Sequence[float]) -> Corners:
    """Corners from eight numbers, x and y of each in turn. Raises ValueError for another count."""
    a, b, c, d = zip(numbers[::2], numbers[1::2], strict=True)
    return (a, b, c, d)
