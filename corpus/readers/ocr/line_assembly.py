"""Assemble OCR pieces into lines in reading order, like the lines of a text layer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from corpus.documents.block import Box
from corpus.readers.ocr.engine import Corners, Piece, Point
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.text.lines import HYPHEN, Line
from corpus.readers.pdf.text.reading_order import in_reading_order

_MAX_SKEW = math.radians(10)
"""Maximum skew of a crooked scan. A page skewed by more than ten degrees is a drawing with slanted text."""

# Minimum length in characters of a line used to measure skew; the corners of shorter lines are too imprecise.
_MIN_LONG_LINE = 10


@dataclass(frozen=True, slots=True)
class Frame:
    """The size and rotation of an image. `width` and `height` may be in any unit. The image's text is rotated clockwise
    by `quarters` quarter turns from the left-to-right direction."""

    width: float
    height: float
    quarters: int = 0

    @property
    def size(self) -> tuple[float, float]:
        """Return the width and height of the upright image."""
        return (self.height, self.width) if self.quarters % 2 else (self.width, self.height)

    def upright(self, point: Point) -> Point:
        """Convert a point of the image to the upright image."""
        x, y = point
        return ((x, y), (y, self.width - x), (self.width - x, self.height - y), (self.height - y, x))[self.quarters]

    def as_it_lies(self, box: Box) -> Box:
        """Convert a box of the upright image to the original image."""
        back = Frame(*self.size, (-self.quarters) % 4)
        (x0, y0), (x1, y1) = back.upright((box[0], box[1])), back.upright((box[2], box[3]))
        return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


@dataclass(frozen=True, slots=True)
class RotatedPiece:
    """A piece with its box in the upright image, in which its line is horizontal."""

    text: str
    box: Box

    @property
    def height(self) -> float:
        """Height of the box."""
        return self.box[3] - self.box[1]


def frame_of(pieces: Sequence[Piece], width: float, height: float) -> Frame:
    """Return the frame for the direction in which most characters run."""
    votes: Counter[int] = Counter()
    for piece in pieces:
        if len(piece.text) > 1:
            votes[round(_direction(piece.corners) / (math.pi / 2)) % 4] += len(piece.text)
    return Frame(width, height, votes.most_common(1)[0][0] if votes else 0)


def rotate_pieces(pieces: Sequence[Piece], frame: Frame) -> list[RotatedPiece]:
    """Return the pieces on the upright image, with the skew of the scan corrected by rotation around the image's
    centre."""
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
    """Return the direction of the text as a clockwise angle from left-to-right, in radians from -pi to pi."""
    (x0, y0), (x1, y1) = corners[0], corners[1]
    return math.atan2(y1 - y0, x1 - x0)


def _rotate(point: Point, angle: float, middle: Point) -> Point:
    x, y = point[0] - middle[0], point[1] - middle[1]
    sine, cosine = math.sin(angle), math.cos(angle)
    return (middle[0] + x * cosine - y * sine, middle[1] + x * sine + y * cosine)


def _box(corners: list[Point]) -> Box:
    xs, ys = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    # Use the inner corners, because remaining skew would make the box of a long line too high.
    return (xs[0], (ys[0] + ys[1]) / 2, xs[-1], (ys[2] + ys[3]) / 2)


_FONT_HEIGHT = 0.73  # Ratio of the font size to the height of a line's box.
_SAME_SIZE = (0.78, 1.2)
"""Minimum and maximum ratio of a line's height to the usual height at which the line has the usual font size. The
height varies with ascenders and descenders."""

_MAX_GAP = 1.0  # Maximum gap, in line heights, between pieces into which the engine split one line.
_SIZE_STEP = 1.2
"""Ratio of one font size to the next smaller one. Sizes are rounded to these steps, because boxes vary by one or two
pixels."""


def arrange(pieces: Sequence[Piece], size: tuple[float, float], pixels_a_point: float) -> tuple[list[Line], Frame]:
    """Return the lines of an image of `size` pixels, with boxes in points on the upright image, and the image's
    frame."""
    width, height = (side / pixels_a_point for side in size)
    pieces_in_points = [_scale_piece(piece, 1 / pixels_a_point) for piece in pieces]
    frame = frame_of(pieces_in_points, width, height)
    upright_pieces = rotate_pieces(pieces_in_points, frame)
    if not upright_pieces:
        return [], frame
    usual = median([piece.height for piece in upright_pieces for _ in piece.text])
    lines = [_line(run, usual) for run in _runs(upright_pieces)]
    return _join_rows(in_reading_order(lines, frame.size)), frame


def _scale_piece(piece: Piece, scale: float) -> Piece:
    a, b, c, d = ((x * scale, y * scale) for x, y in piece.corners)
    return Piece(piece.text, (a, b, c, d))


def _runs(pieces: list[RotatedPiece]) -> list[list[RotatedPiece]]:
    """Return runs of adjacent pieces on the same line. Pieces are ordered from left to right, and runs from top to
    bottom."""
    runs: list[list[RotatedPiece]] = []
    for piece in sorted(pieces, key=lambda each: (each.box[1] + each.box[3]) / 2):
        row = [run for run in runs[-20:] if _level(run[-1], piece)]
        beside = [run for run in row if any(_gap(each, piece) <= _MAX_GAP * piece.height for each in run)]
        if beside:
            beside[0].append(piece)
        else:
            runs.append([piece])
    for run in runs:
        run.sort(key=lambda each: each.box[0])
    return [run for row in _rows(runs) for run in sorted(row, key=lambda each: each[0].box[0])]


def _rows(runs: list[list[RotatedPiece]]) -> list[list[list[RotatedPiece]]]:
    rows: list[list[list[RotatedPiece]]] = []
    for run in runs:
        if rows and _level(rows[-1][0][0], run[0]):
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def _level(piece: RotatedPiece, other_piece: RotatedPiece) -> bool:
    """Return whether two pieces are on one line: the middle of each is within the height of the other."""
    middles = [(each.box[1] + each.box[3]) / 2 for each in (piece, other_piece)]
    return abs(middles[0] - middles[1]) < 0.5 * min(piece.height, other_piece.height)


def _gap(piece: RotatedPiece, other_piece: RotatedPiece) -> float:
    return max(piece.box[0], other_piece.box[0]) - min(piece.box[2], other_piece.box[2])


def _line(run: list[RotatedPiece], usual: float) -> Line:
    text = " ".join(piece.text.strip() for piece in run)
    if text.endswith("-") and text[-2:-1].isalpha():
        text = text[:-1] + HYPHEN
    left, top, right, bottom = union([piece.box for piece in run])
    box = (round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))
    return Line(text, box, _size(max(piece.height for piece in run), usual))


def _size(height: float, usual: float) -> float:
    share = max(height, 0.1) / usual
    steps = 0 if _SAME_SIZE[0] <= share <= _SAME_SIZE[1] else round(math.log(share, _SIZE_STEP))
    return round(_FONT_HEIGHT * usual * _SIZE_STEP**steps, 1)


def _join_rows(lines: list[Line]) -> list[Line]:
    """Join adjacent lines at the same height, such as the cells of a row, into one line with gaps."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows and _is_in_row(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_join_row(row) if len(row) > 1 else row[0] for row in rows]


def _is_in_row(last: Line, line: Line) -> bool:
    middles = [(each.box[1] + each.box[3]) / 2 for each in (last, line)]
    return line.box[0] >= last.box[2] and abs(middles[0] - middles[1]) < 0.5 * min(last.size, line.size)


def _join_row(row: list[Line]) -> Line:
    text = " ".join(line.text.replace(HYPHEN, "-") for line in row[:-1]) + " " + row[-1].text
    return Line(text, union([line.box for line in row]), max(line.size for line in row), scattered=True)
