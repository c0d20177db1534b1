"""What text recognition finds in a picture, as it is kept and sent; nothing here loads what finds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
"""In pixels from the top left corner of the image: where the text starts at its top, then on clockwise as one reads
it. The corners of a line that stands on its head start at the bottom right."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of text or a part of one, as it was recognised."""

    text: str
    corners: Corners


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """What recognition came to for one picture. No pieces and no failure: there is no text in it.

    `pieces` lie on an image of `size` pixels, `pixels_a_point` of them a point of the page. `failure` says why it was
    given up. `picture` is the SHA-256 of the picture's bytes, empty where the picture is a page of the file itself.
    """

    pieces: tuple[Piece, ...] = ()
    size: tuple[int, int] = (1, 1)
    pixels_a_point: float = 1.0
    failure: str = ""
    picture: str = ""


def corners_of(numbers: Sequence[float]) -> Corners:
    """From eight numbers: x and y of each."""
    a, b, c, d = zip(numbers[::2], numbers[1::2], strict=True)
    return (a, b, c, d)
