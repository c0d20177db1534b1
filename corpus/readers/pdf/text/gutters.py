"""Gutters between two columns that PDFium merged: a gap at one place, row after row of prose."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from corpus.documents.block import Box

_MIN_GAP = 8.0  # Points; narrower gaps are spaces between words.
_MIN_ROWS = 4  # Rows that share the gap; fewer align by chance.
_MIN_WIDTH = 11.0  # Line heights; no column of prose is narrower.
_MAX_WIDTH = 8.0  # Line heights of the gap; wider ones part a label from its value.
_MIN_FULL = 0.7  # Average width of the lines of a side by the usual one: prose fills its lines, cells do not.
_MIN_LETTER_SHARE = 0.75  # Letters among the characters; tables of numbers and dot leaders have fewer.


@dataclass(frozen=True, slots=True)
class Row:
    """A line as PDFium gives it, with the boxes of its runs from left to right."""

    text: str
    boxes: tuple[Box, ...]

    @property
    def top(self) -> float:
        """Upper edge in points."""
        return min(box[1] for box in self.boxes)

    @property
    def bottom(self) -> float:
        """Lower edge in points."""
        return max(box[3] for box in self.boxes)

    def gaps(self, width: float) -> list[tuple[float, float]]:
        """Left and right edges of the gaps that are at least `width` points wide."""
        return [(left[2], right[0]) for left, right in pairwise(self.boxes) if right[0] - left[2] >= width]


@dataclass(slots=True)
class Gutter:
    """The space between two columns, in points, over the rows that have it."""

    left: float
    right: float
    rows: list[Row] = field(default_factory=list)

    def parts(self, row: Row) -> bool:
        """Whether the row crosses both columns."""
        near = self.rows[0].top - 1 <= row.top <= self.rows[-1].top + 1
        return near and any(a <= self.left + 1 and self.right - 1 <= b for a, b in row.gaps(_MIN_GAP))


def gutters_of(rows: list[Row]) -> list[Gutter]:
    """Gutters within rows of prose; rows of tables have none."""
    gutters = []
    for chain in _chains([row for row in rows if row.gaps(_MIN_GAP)]):
        if len(chain.rows) >= _MIN_ROWS and _is_prose(chain):
            gutters.append(chain)
    return gutters


def _chains(rows: list[Row]) -> list[Gutter]:
    """Rows below each other whose gaps share a place."""
    chains: list[Gutter] = []
    for row in sorted(rows, key=lambda row: row.top):
        for left, right in row.gaps(_MIN_GAP):
            for chain in chains:
                inner = (max(chain.left, left), min(chain.right, right))
                near = row.top - chain.rows[-1].bottom < 3 * (row.bottom - row.top)
                if near and inner[1] - inner[0] >= _MIN_GAP - 1 and row is not chain.rows[-1]:
                    chain.left, chain.right = inner
                    chain.rows.append(row)
                    break
            else:
                chains.append(Gutter(left, right, [row]))
    return chains


def _is_prose(chain: Gutter) -> bool:
    """Whether both sides are as wide as prose, mostly full, and made of words."""
    characters = "".join("".join(row.text.split()) for row in chain.rows)
    if sum(map(str.isalpha, characters)) < _MIN_LETTER_SHARE * len(characters):
        return False  # numbers, or dot leaders
    heights = sorted(box[3] - box[1] for row in chain.rows for box in row.boxes)
    height = heights[len(heights) // 2]
    least = _MIN_WIDTH * height
    if chain.right - chain.left > _MAX_WIDTH * height:
        return False
    sides = zip(*(_widths(row, chain) for row in chain.rows), strict=True)
    return all(_usual(side) >= least and sum(side) >= _MIN_FULL * _usual(side) * len(side) for side in sides)


def _usual(widths: tuple[float, ...]) -> float:
    """The width that four of five rows stay within; beside an empty line a row may reach over the next gutter."""
    return sorted(widths)[4 * len(widths) // 5]


def _widths(row: Row, chain: Gutter) -> tuple[float, float]:
    """Width of the row's prose left and right of the gutter, up to the next wide gap."""
    before = [right for _, right in row.gaps(_MIN_GAP) if right < chain.left]
    after = [left for left, _ in row.gaps(_MIN_GAP) if left > chain.right]
    start, end = row.boxes[0][0], row.boxes[-1][2]
    return chain.left - max([start, *before]), min([end, *after]) - chain.right
