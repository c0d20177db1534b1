"""Rows of a table before they are cells: entries by column, and lines that form one row."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from corpus.documents.block import Box
from corpus.readers.pdf.rules import Rule
from corpus.readers.pdf.tables.columns import Entry, Row, column_at, crossing_count
from corpus.readers.pdf.tables.grid import ends_with_leader
from corpus.readers.pdf.tables.words import Word
from corpus.readers.pdf.text.lines import HYPHEN

_MIN_WHOLE_WIDTH = 0.75  # Share of a table's width; a shorter rule stands below an entry that spans columns.
_MAX_START = 0.08
"""Share of the width; a rule that starts further right leaves out the labels and parts no rows. Without it the bench of
drawn tables reads heads over three columns (booktabs) otherwise."""

_NUMBER = re.compile(r"[^A-Za-zÄÖÜäöüß]*\d[^A-Za-zÄÖÜäöüß]*|[-–—−.*]+|n/?a|\(?[A-Z]?\)?", re.IGNORECASE)


@dataclass(slots=True)
class Band:
    """A row of a table: entries by their first column, and the columns they span."""

    top: float
    bottom: float
    cells: dict[int, list[Word]] = field(default_factory=lambda: defaultdict(list))
    spans: dict[int, int] = field(default_factory=dict)
    lines: int = 1
    ends: dict[int, float] = field(default_factory=dict)
    """Right end of the last line of each cell, in points."""

    middle_columns: set[int] = field(default_factory=set)
    """Columns of a head whose entries stand midway between two of its lines."""

    @property
    def columns(self) -> set[int]:
        """Columns in which entries start."""
        return set(self.cells)

    @property
    def has_span(self) -> bool:
        """Whether an entry spans columns."""
        return any(span > 1 for span in self.spans.values())


def band_of(row: Row, gaps: list[float], across: list[Rule], box: Box) -> Band:
    """The band of a row, given the gaps between columns and the level rules."""
    band = Band(min(entry.box[1] for entry in row), max(entry.box[3] for entry in row))
    for entry in row:
        first, last = _columns_of(entry, row, gaps, across, box)
        band.cells[first].extend(entry.words)
        band.spans[first] = max(band.spans.get(first, 1), last - first + 1)
        band.ends[first] = entry.box[2]
    return band


def _columns_of(entry: Entry, row: Row, gaps: list[float], across: list[Rule], box: Box) -> tuple[int, int]:
    """First and last column of an entry: those it covers, or those of a short rule below it alone."""
    if not crossing_count(entry, gaps):
        middle = column_at((entry.box[0] + entry.box[2]) / 2, gaps)
        for rule in across:
            is_below = entry.box[3] - 2 <= rule.at <= entry.box[3] + 0.8 * (entry.box[3] - entry.box[1])
            is_over = rule.start - 3 <= entry.box[0] and entry.box[2] <= rule.end + 3
            is_over = is_over and sum(each.box[0] < rule.end and rule.start < each.box[2] for each in row) == 1
            if is_below and is_over and not is_whole(rule, box):
                first, last = column_at(rule.start + 3, gaps), column_at(rule.end - 3, gaps)
                if first <= middle <= last:
                    return first, last
        return middle, middle
    return column_at(entry.box[0] + 0.5, gaps), column_at(entry.box[2] - 0.5, gaps)


def is_whole(rule: Rule, box: Box) -> bool:
    """Whether a level rule parts all columns of a table."""
    width = box[2] - box[0]
    return rule.length > _MIN_WHOLE_WIDTH * width and rule.start < box[0] + _MAX_START * width


def is_number(text: str) -> bool:
    """Whether the text is a number, a dash or a missing value."""
    return bool(_NUMBER.fullmatch(text.strip()))


_QUANTITY = re.compile(r"[-−–+±(<>~]*[$€£]?\d[\d.,/:]*\)?(?:\s?(?:%|°?[A-Za-zµμΩ]{1,3}|±.*|\(.*))?")


def is_quantity(text: str) -> bool:
    """Whether the text is a number, with or without unit or spread."""
    return bool(_QUANTITY.fullmatch(text.strip()))


def text_of(words: list[Word]) -> str:
    """The words with spaces between."""
    return " ".join(word.text for word in words)


def append_band(last: Band, band: Band) -> None:
    """Add the entries of `band` to `last`."""
    for column, words in band.cells.items():
        last.cells[column].extend(words)
        last.spans[column] = max(last.spans.get(column, 1), band.spans.get(column, 1))
        last.ends[column] = band.ends[column]
    last.bottom = max(last.bottom, band.bottom)
    last.lines += band.lines


def is_between(last: Band, band: Band) -> bool:
    """Whether the band starts above the end of the last one."""
    return band.top < last.bottom - 0.3 * (band.bottom - band.top)


_MAX_TIGHT_PITCH = 1.3  # Line pitches; a line of one entry further below is a row.


def merged_body(bands: list[Band], edges: list[float], whole: list[float]) -> list[Band]:
    """Merge lines that continue the entries of the row before."""
    pitch = _usual_pitch(bands)
    rows: list[Band] = []
    for band in bands:
        last = rows[-1] if rows else None
        if last is None:
            rows.append(band)
        elif is_between(last, band) and not band.columns & last.columns:
            append_band(last, band)
        elif _is_row_break(last, band, whole, pitch):
            rows.append(band)
        elif _is_continuation(last, band, edges, pitch):
            append_band(last, band)
        else:
            rows.append(band)
    return rows


def _is_row_break(last: Band, band: Band, whole: list[float], pitch: float) -> bool:
    """Whether a rule, a leader, or extra space starts a row."""
    if any(last.bottom - 3 <= at <= band.top + 3 for at in whole) or band.has_span or last.has_span:
        return True
    if pitch and band.bottom - last.bottom > 1.6 * pitch:
        return True
    return 0 in band.columns and 0 in last.columns and ends_with_leader(text_of(last.cells[0][-1:]))


def _is_continuation(last: Band, band: Band, edges: list[float], pitch: float) -> bool:
    """Whether each entry of the line had no room in the line before, and none starts anew."""
    if last.columns == {0} and 0 in band.columns and _is_mid_sentence(band.cells[0][0].text):
        return True  # the label of one row on two lines, with its entries beside the second
    if not band.columns <= last.columns or band.columns == last.columns == {0}:
        return False
    if len(band.columns) == 1 and 0 not in band.columns and 0 < band.bottom - last.bottom < _MAX_TIGHT_PITCH * pitch:
        (column,) = band.columns  # a single entry without a label is no row
        if not is_number(text_of(band.cells[column])):
            return True
    # a label with entries beside it, or entries in all columns, must continue a sentence
    starts = {0} if 0 in band.columns and len(band.columns) > 1 else set[int]()
    starts |= band.columns if band.columns == last.columns else set[int]()
    return all(_runs_on(last, band, column) for column in starts) and all(
        _had_no_room(last, band, column, edges) for column in band.columns
    )


def _runs_on(last: Band, band: Band, column: int) -> bool:
    """Whether the entry starts within a sentence or word."""
    return last.cells[column][-1].text.endswith(HYPHEN) or _is_mid_sentence(band.cells[column][0].text)


def _is_mid_sentence(word: str) -> bool:
    return word[:1].islower() or word.startswith("(")


def _had_no_room(last: Band, band: Band, column: int, edges: list[float]) -> bool:
    """Whether the line broke because the next word had no room."""
    before, after = last.cells[column], band.cells[column]
    if before[-1].text.endswith(HYPHEN):
        return True
    if is_number(text_of(after)) and is_number(text_of(before)):
        return False
    first = after[0]
    return last.ends[column] + 0.2 * first.height + (first.box[2] - first.box[0]) > edges[column] + 1


def column_edges(bands: list[Band], width: int) -> list[float]:
    """Right end of each of `width` columns, in points."""
    edges = [0.0] * width
    for band in bands:
        for column, end in band.ends.items():
            if band.spans.get(column, 1) == 1:
                edges[column] = max(edges[column], end)
    return edges


def _usual_pitch(bands: list[Band]) -> float:
    steps = sorted(after.bottom - before.bottom for before, after in pairwise(bands))
    return steps[len(steps) // 2] if steps else 0.0
