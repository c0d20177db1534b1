"""Titles of a table and of its columns, where a line of words may be either."""

from __future__ import annotations

from itertools import pairwise

from corpus.blocks import Box
from corpus.readers.pdf.tables.bands import Band, is_number
from corpus.readers.pdf.tables.columns import Entry, Row
from corpus.readers.pdf.tables.words import around

_MIDDLE = 0.05
_OVERLAP = 0.3
_NEAR = 4
"""Lines; the entries of a column begin no further below its title."""


def is_title(entry: Box, top: float, box: Box) -> bool:
    """Whether it stands above the columns, in the middle of all of them."""
    off = abs(entry[0] + entry[2] - box[0] - box[2]) / 2
    return entry[3] < top + 2 and off < _MIDDLE * (box[2] - box[0])


def is_clear_of(entry: Box, below: Row) -> bool:
    """Whether the row stands wholly below the entry."""
    return min(each.box[1] for each in below) > entry[3] - _OVERLAP * (entry[3] - entry[1])


def without_title(bands: list[Band], gaps: int) -> list[Band]:
    """Without a first line that stands over most columns by itself, as a title does."""
    while len(bands) > 2 and bands[0].columns == {0} and bands[0].spans[0] > max(2, 0.6 * gaps):
        bands = bands[1:]
    return bands


def parted(row: Row, next_rows: list[Row], gaps: list[float]) -> Row:
    """Titles of columns so close that they look like one, as many, where no titles stand below them."""
    parted: Row = []
    for entry in row:
        inside = [gap for gap in gaps if entry.box[0] < gap < entry.box[2]]
        under = (
            [each for each in other if each.box[0] < entry.box[2] and entry.box[0] < each.box[2]]
            for other in next_rows[:_NEAR]
        )
        below = next(filter(None, under), [])
        places = [
            number
            for number, (last, word) in enumerate(pairwise(entry.words), 1)
            if any(last.box[2] - 1 <= gap <= word.box[0] + 1 for gap in inside)
        ]
        if len(entry.words) == len(inside) + 1 == len(below):
            places = list(range(1, len(entry.words)))  # a word for each column
        if (
            inside
            and len(places) == len(inside)
            and len(below) > len(inside)
            and any(is_number(each.text) for each in below)
        ):
            for start, end in pairwise([0, *places, len(entry.words)]):
                part = entry.words[start:end]
                parted.append(Entry(part, around(part)))
        else:
            parted.append(entry)
    return parted
