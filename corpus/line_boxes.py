"""Where each line of a block stands on its page, and where a sentence of it does."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.blocks import Box

_KEPT = struct.Struct("<6H")
_STEPS = 4
"""Parts of a point that a box is kept in: so no page that a PDF can have is too large."""
_MOST = 0xFFFF
_NARROW = frozenset("ijltfrI.,;:!|'()[]-/ ·’‘")
_WIDE = frozenset("mwMWQO%@—…")
_UPRIGHT = 2.0


@dataclass(frozen=True, slots=True)
class LineBox:
    """A line, or the line of a cell: its range in the block's content, in code points, and its box in points from the
    top left corner of the block's page."""

    start: int
    end: int
    box: Box


def packed(lines: Sequence[LineBox]) -> bytes:
    """Twelve bytes a line."""
    return b"".join(
        _KEPT.pack(
            min(line.start, _MOST),
            min(line.end, _MOST),
            *(min(max(round(side * _STEPS), 0), _MOST) for side in line.box),
        )
        for line in lines
    )


def unpacked(kept: bytes) -> tuple[LineBox, ...]:
    """What `packed` was given, each box to a quarter of a point."""
    whole = kept[: len(kept) // _KEPT.size * _KEPT.size]
    return tuple(
        LineBox(start, end, (a / _STEPS, b / _STEPS, c / _STEPS, d / _STEPS))
        for start, end, a, b, c, d in _KEPT.iter_unpack(whole)
    )


def boxes_within(lines: Sequence[LineBox], content: str, start: int, end: int) -> tuple[Box, ...]:
    """The boxes of a part of a block's content, one for each line that it touches and one for cells side by side.

    Within a line a place is told by how wide letters are as a rule, to about a letter.
    """
    return tuple(_of_rows([(line, box) for line, box in _parts(lines, content, start, end)], content))


def box_within(line: LineBox, content: str, first: int, last: int) -> Box:
    """The box of a part of one line of the content."""
    left, top, right, bottom = line.box
    if bottom - top > _UPRIGHT * (right - left) and line.end - line.start > 2:  # written upwards
        return line.box
    whole = _width(content[line.start : line.end].rstrip()) or 1.0
    before = _width(content[line.start : first])
    within = _width(content[first:last].rstrip())
    step = (right - left) / whole
    return (left + before * step, top, min(right, left + (before + within) * step), bottom)


def _parts(lines: Sequence[LineBox], content: str, start: int, end: int) -> Iterator[tuple[LineBox, Box]]:
    for line in lines:
        first, last = max(line.start, start), min(line.end, end)
        if content[first:last].strip():
            yield line, box_within(line, content, first, last)


def _width(text: str) -> float:
    return sum(0.55 if c in _NARROW else 1.5 if c in _WIDE else 1.25 if c.isupper() else 1.0 for c in text)


def _of_rows(parts: list[tuple[LineBox, Box]], content: str) -> list[Box]:
    """Boxes with those of cells beside each other, which only a bar parts in the content, as one."""
    rows: list[Box] = []
    last: LineBox | None = None
    for line, box in parts:
        if last and content[last.end : line.start].strip() == "|" and _beside(rows[-1], box):
            old = rows[-1]
            rows[-1] = (min(old[0], box[0]), min(old[1], box[1]), max(old[2], box[2]), max(old[3], box[3]))
        else:
            rows.append(box)
        last = line
    return rows


def _beside(one: Box, other: Box) -> bool:
    together = min(one[3], other[3]) - max(one[1], other[1])
    return together > 0.5 * min(one[3] - one[1], other[3] - other[1])
