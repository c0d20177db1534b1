"""Rows of entries that follow each other, as tables without rules have them."""

from __future__ import annotations

from itertools import pairwise

from corpus.blocks import Box
from corpus.readers.pdf.layout import contains
from corpus.readers.pdf.shown import union
from corpus.readers.pdf.tables.columns import Entry, Row

FEWEST_ROWS = 3
_LONG = 45
_APART = 2.2
"""Heights of a row; what is further below belongs to another table."""

_BETWEEN = 2
_WIDE = 1.0


def prose_of(rows: list[Row]) -> list[Box]:
    """The boxes of running text: long entries of words."""
    return [entry.box for row in rows for entry in row if _is_prose(entry)]


def runs_of(rows: list[Row], captions: list[Box]) -> list[Box]:
    """Boxes around at least three rows of two or more entries, with few other rows among them.

    Of rows that stand beside running text, only what is beside it.
    """
    found, run, single = [], list[Row](), list[Row]()
    for whole in rows:
        row = [entry for entry in whole if not _is_prose(entry)]
        if any(contains(caption, entry.box) for caption in captions for entry in whole):
            found.append(run)
            run, single = [], []
            continue
        if not row:
            continue
        last = (single or run or [row])[-1]
        if run and _top(row) - _bottom(last) > _APART * _height(row):
            found.append(run)
            run, single = [], []
        if _is_parted(row):
            run = [*run, *single, row] if run else [row]
            single = []
        elif run:
            single.append(row)
            if len(single) > _BETWEEN:
                found.append(run)
                run, single = [], []
    found.append(run)
    return [
        union([entry.box for row in run for entry in row])
        for run in found
        if sum(1 for row in run if _is_parted(row)) >= FEWEST_ROWS
    ]


def _is_prose(entry: Entry) -> bool:
    text = entry.text
    return len(text) > _LONG and sum(map(str.isalpha, text)) > 0.6 * len(text)


def _is_parted(row: Row) -> bool:
    return any(after.box[0] - before.box[2] > _WIDE * _height(row) for before, after in pairwise(row))


def _top(row: Row) -> float:
    return min(entry.box[1] for entry in row)


def _bottom(row: Row) -> float:
    return max(entry.box[3] for entry in row)


def _height(row: Row) -> float:
    return max(word.height for entry in row for word in entry.words)
