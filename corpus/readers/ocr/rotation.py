"""Rotation of recognised pieces, so that their text runs from left to right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from corpus.documents.block import Box
from corpus.readers.ocr.results import Corners, Piece, Point

_MAX_SKEW = math.radians(10)
"""A page askew by more than ten degrees is a drawing with slanted text, not a crooked scan."""

_MIN_LONG_LINE = 10  # Characters; the corners of shorter lines are too inexact to measure the skew.


@dataclass(frozen=True, slots=True)
class Frame:
    """An image of `width` x `height` in any unit, whose text runs `quarters` quarter turns clockwise from left to
    right."""

    width: float
    height: float
    quarters: int = 0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the upright image."""
        return (self.height, self.width) if self.quarters % 2 else (self.width, self.height)

    def upright(self, point: Point) -> Point:
        """A point of the image on the upright image."""
        x, y = point
        return ((x, y), (y, self.width - x), (self.width - x, self.height - y), (self.height - y, x))[self.quarters]

    def as_it_lies(self, box: Box) -> Box:
        """A box of the upright image on the original image."""
        back = Frame(*self.size, (-self.quarters) % 4)
        (x0, y0), (x1, y1) = back.upright((box[0], box[1])), back.upright((box[2], box[3]))
        return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


@dataclass(frozen=True, slots=True)
class RotatedPiece:
    """A piece with its box on the upright image, where its line is level."""

    text: str
    box: Box

    @property
    def height(self) -> float:
        """Height of the box."""
        return self.box[3] - self.box[1]


def frame_of(pieces: Sequence[Piece], width: float, height: float) -> Frame:
    """The frame of the direction in which most characters run."""
    votes: Counter[int] = Counter()
    for piece in pieces:
        if len(piece.text) > 1:
            votes[round(_direction(piece.corners) / (math.pi / 2)) % 4] += len(piece.text)
    return Frame(width, height, votes.most_common(1)[0][0] if votes else 0)


def rotate_pieces(pieces: Sequence[Piece], frame: Frame) -> list[RotatedPiece]:
    """The pieces on the upright image, with the skew of the scan taken out about the image's centre."""
    upright_pieces = [(piece.text, _upright_corners(piece.corners, frame)) for piece in pieces]
    angles = [_direction(corners) for text, corners in upright_pieces if len(text) >= _MIN_LONG_LINE]
    skew = median(angles) if angles else 0.0
    skew = skew if abs(skew) < _MAX_SKEW else 0.0
    middle = (frame.size[0] / 2, frame.size[1] / 2)
    return [
        RotatedPiece(text, _box([_rotate(each, -skew, middle) for each in corners])) for text, corners in upright_pieces
    ]


def _upright_corners(corners: Corners, frame: Frame) -> Corners:
    a, b, c, d = (frame.upright(corner) for corner in corners)
    return (a, b, c, d)


def _direction(corners: Corners) -> float:
    """Direction of the text in radians clockwise from left to right, within half a turn."""
    (x0, y0), (x1, y1) = corners[0], corners[1]
    return math.atan2(y1 - y0, x1 - x0)


def _rotate(point: Point, angle: float, middle: Point) -> Point:
    x, y = point[0] - middle[0], point[1] - middle[1]
    sine, cosine = math.sin(angle), math.cos(angle)
    return (middle[0] + x * cosine - y * sine, middle[1] + x * sine + y * cosine)


def _box(corners: list[Point]) -> Box:
    xs, ys = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    # Use inner corners, because remaining skew would make the box of a long line too high.
    return (xs[0], (ys[0] + ys[1]) / 2, xs[-1], (ys[2] + ys[3]) / 2)
