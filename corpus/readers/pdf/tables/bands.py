"""Rows of a table before they are cells: which entries stand in which columns."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from corpus.blocks import Box
from corpus.readers.pdf.tables.columns import Entry, Row, column_at, crossed
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import Word

_WIDE = 0.75
"""Of the width of a table; a shorter rule stands below an entry over several columns."""

_BEHIND = 0.08
"""Of the width; what begins further right does not part rows, for it leaves out their labels."""

_NUMBER = re.compile(r"[^A-Za-zÄÖÜäöüß]*\d[^A-Za-zÄÖÜäöüß]*|[-–—−.*]+|n/?a|\(?[A-Z]?\)?", re.IGNORECASE)


@dataclass(slots=True)
class Band:
    """One row of a table: entries by the column in which they start, and how many columns they go over."""

    top: float
    bottom: float
    held: dict[int, list[Word]] = field(default_factory=lambda: defaultdict(list))
    spans: dict[int, int] = field(default_factory=dict)
    lines: int = 1
    ends: dict[int, float] = field(default_factory=dict)
    """How far right the last line of each cell reaches."""

    centred: set[int] = field(default_factory=set)
    """The columns of a head whose entries stand in the middle between two lines of it."""

    @property
    def columns(self) -> set[int]:
        return set(self.held)

    @property
    def spanning(self) -> bool:
        return any(span > 1 for span in self.spans.values())


def band_of(row: Row, gaps: list[float], across: list[Rule], box: Box) -> Band:
    band = Band(min(entry.box[1] for entry in row), max(entry.box[3] for entry in row))
    for entry in row:
        first, last = _columns_of(entry, row, gaps, across, box)
        band.held[first].extend(entry.words)
        band.spans[first] = max(band.spans.get(first, 1), last - first + 1)
        band.ends[first] = entry.box[2]
    return band


def _columns_of(entry: Entry, row: Row, gaps: list[float], across: list[Rule], box: Box) -> tuple[int, int]:
    """First and last column of an entry: those it covers, or those that a short rule below it alone covers."""
    if not crossed(entry, gaps):
        middle = column_at((entry.box[0] + entry.box[2]) / 2, gaps)
        for rule in across:
            below = entry.box[3] - 2 <= rule.at <= entry.box[3] + 0.8 * (entry.box[3] - entry.box[1])
            over = rule.start - 3 <= entry.box[0] and entry.box[2] <= rule.end + 3
            over = over and sum(each.box[0] < rule.end and rule.start < each.box[2] for each in row) == 1
            if below and over and not is_whole(rule, box):
                first, last = column_at(rule.start + 3, gaps), column_at(rule.end - 3, gaps)
                if first <= middle <= last:
                    return first, last
        return middle, middle
    return column_at(entry.box[0] + 0.5, gaps), column_at(entry.box[2] - 0.5, gaps)


def is_whole(rule: Rule, box: Box) -> bool:
    """Whether a level rule parts all columns of a table."""
    width = box[2] - box[0]
    return rule.length > _WIDE * width and rule.start < box[0] + _BEHIND * width


def is_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text.strip()))


_QUANTITY = re.compile(r"[-−–+±(<>~]*[$€£]?\d[\d.,/:]*\)?(?:\s?(?:%|°?[A-Za-zµμΩ]{1,3}|±.*|\(.*))?")


def is_quantity(text: str) -> bool:
    """Whether it is a number, or one with its unit or its spread."""
    return bool(_QUANTITY.fullmatch(text.strip()))


def text_of(words: list[Word]) -> str:
    return " ".join(word.text for word in words)


def append(last: Band, band: Band) -> None:
    for column, words in band.held.items():
        last.held[column].extend(words)
        last.spans[column] = max(last.spans.get(column, 1), band.spans.get(column, 1))
        last.ends[column] = band.ends[column]
    last.bottom = max(last.bottom, band.bottom)
    last.lines += band.lines


def is_between(last: Band, band: Band) -> bool:
    return band.top < last.bottom - 0.3 * (band.bottom - band.top)
