"""Line boxes: the position of each line of a block on its page, the boxes of a range of text, and the outline of a
box."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from corpus.documents.block import Box

_RECORD = struct.Struct("<6H")
_STEPS_PER_POINT = 4
"""Resolution of stored boxes, in steps per point. In quarters of a point, any coordinate on a PDF page fits into 16
bits."""
_MAX_COORDINATE = 0xFFFF
"""Maximum coordinate: the greatest 16-bit number, which corresponds to 16,383 points."""
_NARROW = frozenset("ijltfrI.,;:!|'()[]-/ ·’‘")
_WIDE = frozenset("mwMWQO%@—…")
_UPRIGHT_RATIO = 2.0
"""Minimum ratio of height to width at which a line of several characters is vertical."""
_RIGHT_TO_LEFT = ("R", "AL")
_MIN_LINES = 3
"""Minimum number of lines, each of at least `_MIN_CHARACTERS` characters, needed to recognise monospaced text."""
_MIN_CHARACTERS = 8
"""Minimum line length in characters. In shorter lines, the width of single characters dominates."""
_MAX_SPREAD = 0.012
"""Maximum difference in mean character width between lines of monospaced text. The difference comes from the widths of
the outermost characters."""

Width = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class LineBox:
    """The position of a line, a part of a line, or a line of a cell: a range of the block's content in code points, and
    a box in points from the top left corner of the page."""

    start: int
    end: int
    box: Box


def pack(lines: Sequence[LineBox]) -> bytes:
    """Encode the lines, in twelve bytes each."""
    return b"".join(
        _RECORD.pack(
            min(line.start, _MAX_COORDINATE),
            min(line.end, _MAX_COORDINATE),
            *(min(max(round(side * _STEPS_PER_POINT), 0), _MAX_COORDINATE) for side in line.box),
        )
        for line in lines
    )


def unpack(data: bytes) -> tuple[LineBox, ...]:
    """Decode the lines that `pack` encoded. Boxes are accurate to a quarter of a point."""
    whole = data[: len(data) // _RECORD.size * _RECORD.size]
    return tuple(
        LineBox(
            start,
            end,
            (a / _STEPS_PER_POINT, b / _STEPS_PER_POINT, c / _STEPS_PER_POINT, d / _STEPS_PER_POINT),
        )
        for start, end, a, b, c, d in _RECORD.iter_unpack(whole)
    )


def boxes_within(lines: Sequence[LineBox], content: str, start: int, end: int) -> tuple[Box, ...]:
    """Return the boxes of a range of a block's content: one for each line that it touches, and a single box for cells
    side by side.

    Within a line, the position is interpolated from typical character widths, which is accurate to about one character.
    In monospaced text, it is interpolated from character counts. Lines for which interpolation is too inaccurate are
    stored in several parts.
    """
    width = len if _are_even(lines, content) else _width
    return tuple(_of_rows(list(_parts(lines, content, start, end, width)), content))


def _width(text: str) -> float:
    return sum(map(width_of, text))


def box_within(
    line: LineBox, content: str, first: int, last: int, width: Width = _width, *, leftward: bool = False
) -> Box:
    """Return the box of a part of a line. The part is measured from the left, or from the right if `leftward` is
    True."""
    left, top, right, bottom = line.box
    if _is_upright(line):
        return line.box
    text = content[line.start : line.end].rstrip()
    before, within = width(content[line.start : first]), width(content[first:last].rstrip())
    step = (right - left) / (width(text) or 1.0)
    if leftward or is_right_to_left(text):
        return (max(left, right - (before + within) * step), top, right - before * step, bottom)
    return (left + before * step, top, min(right, left + (before + within) * step), bottom)


def _parts(lines: Sequence[LineBox], content: str, start: int, end: int, width: Width) -> Iterator[tuple[LineBox, Box]]:
    for number, line in enumerate(lines):
        first, last = max(line.start, start), min(line.end, end)
        if content[first:last].strip():
            leftward = _is_leftward(lines[max(0, number - 1) : number + 2])
            yield line, box_within(line, content, first, last, width, leftward=leftward)


def _is_leftward(around: Sequence[LineBox]) -> bool:
    """Return whether a part of the line is to the left of the part before it."""
    return any(_are_pieces(first, second) and second.box[2] <= first.box[0] for first, second in pairwise(around))


def _are_pieces(first: LineBox, second: LineBox) -> bool:
    return first.end == second.start and first.box[1::2] == second.box[1::2]


@lru_cache(4096)
def width_of(char: str) -> float:
    """Return the typical width of a character, as a multiple of the width of a lower-case letter."""
    if char in _NARROW:
        return 0.55
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 2.0
    return 1.5 if char in _WIDE else 1.25 if char.isupper() else 1.0


def _is_upright(line: LineBox) -> bool:
    left, top, right, bottom = line.box
    return bottom - top > _UPRIGHT_RATIO * (right - left) and line.end - line.start > 2


def is_right_to_left(text: str) -> bool:
    """Return whether most directional characters are right-to-left."""
    if text.isascii():  # decided without looking at the characters
        return False
    kinds = [unicodedata.bidirectional(char) for char in text if not char.isascii()]
    other = sum(kind in _RIGHT_TO_LEFT for kind in kinds)
    return other > 0 and other > sum(char.isascii() and char.isalpha() for char in text) + kinds.count("L")


def _are_even(lines: Sequence[LineBox], content: str) -> bool:
    """Return whether the text is monospaced: its line lengths depend only on the number of characters."""
    measurable = [line for line in lines if line.end - line.start >= _MIN_CHARACTERS and not _is_upright(line)]
    if len(measurable) < _MIN_LINES:
        return False
    even, ruled = (_spread([_step(line, content, width) for line in measurable]) for width in (len, _width))
    return even < _MAX_SPREAD and even < ruled / 2


def _step(line: LineBox, content: str, width: Width) -> float:
    return (line.box[2] - line.box[0]) / (width(content[line.start : line.end].strip()) or 1.0)


def _spread(steps: Sequence[float]) -> float:
    return (max(steps) - min(steps)) / (max(steps) or 1.0)


def _of_rows(parts: list[tuple[LineBox, Box]], content: str) -> list[Box]:
    """Merge the boxes of the parts of a line, and of cells side by side, which the content separates with a bar."""
    rows: list[Box] = []
    last: LineBox | None = None
    for line, box in parts:
        if last and (_are_cells(last, line, content, rows[-1], box) or _touch(last, line, rows[-1], box)):
            old = rows[-1]
            rows[-1] = (min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]))
        else:
            rows.append(box)
        last = line
    return rows


def _are_cells(first: LineBox, second: LineBox, content: str, box: Box, next_box: Box) -> bool:
    return content[first.end : second.start].strip() == "|" and _beside(box, next_box)


def _touch(first: LineBox, second: LineBox, box: Box, next_box: Box) -> bool:
    return (
        _are_pieces(first, second) and min(abs(box[2] - next_box[0]), abs(next_box[2] - box[0])) < 1 / _STEPS_PER_POINT
    )


def _beside(first: Box, second: Box) -> bool:
    overlap = min(first[3], second[3]) - max(first[1], second[1])
    return overlap > 0.5 * min(first[3] - first[1], second[3] - second[1])


_AROUND = 0.25
"""Margin of an outline, as a fraction of the line height."""
_TALL = 12.0
"""Maximum line height in points from which the margin is computed. Taller boxes, such as figures, get the margin of
this height."""

Share = tuple[float, float, float, float]
"""Left edge, top edge, width and height as percentages of the page, clipped to the page."""


def highlight_box(box: Box, size: tuple[float, float]) -> Share:
    """Return the outline around a box, on a page with this width and height in points."""
    left, top, right, bottom = box
    margin = _AROUND * min(bottom - top, _TALL)
    across, down = max(size[0], 1.0), max(size[1], 1.0)
    x0, x1 = _percent(left - margin, across), _percent(right + margin, across)
    y0, y1 = _percent(top - margin / 2, down), _percent(bottom + margin / 2, down)
    return x0, y0, max(0.0, x1 - x0), max(0.0, y1 - y0)


def _percent(side: float, whole: float) -> float:
    return min(max(100 * side / whole, 0.0), 100.0)
