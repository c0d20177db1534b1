"""Columns of tables without vertical rules, found by the space that all rows leave empty."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.page_pictures import true_runs
from corpus.readers.pdf.rules import Rule
from corpus.readers.pdf.tables.grid import Word, ends_with_leader, words_box
from corpus.readers.pdf.text.lines import HYPHEN

JOIN = 0.42  # Maximum distance, in word heights, between words of one entry; a space is 0.25 to 0.35.
_STEP = 2  # Number of positions per point at which coverage is counted.
_MAX_SPANNING = 0.25  # Maximum fraction of rows with text in a gap, because their entries span columns.
_MIN_ROWS = 4  # Minimum number of table rows at which a column that shares no row with its neighbour is doubtful.
_MIN_GAP = 2.0  # Minimum width in points of a gap between columns of numbers.
_SIGNS = frozenset("$€£¥%()[]*†‡±<>≤≥~+-–−=:|#")


@dataclass(frozen=True, slots=True)
class Entry:
    """Words of one row that are close together."""

    words: tuple[Word, ...]
    box: Box

    @property
    def text(self) -> str:
        """Return the words separated by spaces."""
        return " ".join(word.text for word in self.words)


Row = list[Entry]


def entries_of(row: list[Word], uprights: list[float]) -> Row:
    """Return the row split at wide spaces and at `uprights`, the positions of vertical rules."""
    parts: list[list[Word]] = [[row[0]]]
    for last, word in pairwise(row):
        ruled = any(last.box[2] - 1 <= at <= word.box[0] + 1 for at in uprights)
        if ruled or word.box[0] - last.box[2] > JOIN * max(last.height, word.height):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [Entry(tuple(part), words_box(part)) for part in parts]


def gaps_of(rows: list[Row], left: float, right: float) -> list[float]:
    """Return the positions (x) between columns, from left to right, using a projection profile of the space that rows
    leave empty.

    The gaps in most rows show which rows span columns; the other rows then determine the exact gaps.
    """
    rough = _empty(rows, left, right, int(_MAX_SPANNING * len(rows)) if len(rows) > 3 else 0)
    plain = [row for row in rows if not any(crossing_count(entry, rough) for entry in row)]
    if len(plain) < 2:
        return rough
    gaps = _separating(_empty(plain, left, right, 0), plain)
    gaps = _sharing_rows(gaps, plain, below_head=True)
    return _sharing_rows(_without_head_only(gaps, plain), plain)


def ruled_gaps(gaps: list[float], sides: list[float], rows: list[Row]) -> list[float]:
    """Return the positions `sides` of vertical rules, and the gaps between them that most rows have."""
    result = list(sides)
    for gap in gaps:
        before = max((side for side in sides if side <= gap), default=float("-inf"))
        after = min((side for side in sides if side > gap), default=float("inf"))
        within = [[_middle(entry) for entry in row if before < _middle(entry) < after] for row in rows]
        count = sum(1 for row in within if row and min(row) < gap < max(row))
        if 2 * count > sum(1 for row in within if row):
            result.append(gap)
    return sorted(result)


def crossing_count(entry: Entry, gaps: list[float]) -> int:
    """Return the number of gaps that the entry crosses."""
    return sum(1 for gap in gaps if entry.box[0] + 0.5 < gap < entry.box[2] - 0.5)


def column_at(x: float, gaps: list[float]) -> int:
    """Return the index of the column (0-based) at position `x`."""
    return bisect_right(gaps, x)


def _empty(rows: list[Row], left: float, right: float, allowed: int) -> list[float]:
    """Return the middles of the emptiest parts of the stretches in which at most `allowed` rows have text."""
    size = int((right - left) * _STEP) + 2
    cover = np.zeros(size, dtype=np.int32)
    for row in rows:
        for entry in row:
            start, end = int((entry.box[0] - left) * _STEP), int((entry.box[2] - left) * _STEP)
            cover[max(0, start) : max(0, min(size, end + 1))] += 1
    gaps = []
    for start, end in true_runs(cover <= allowed):
        part = cover[start:end]
        least = int(part.min())
        low = max(true_runs(part == least), key=lambda run: run[1] - run[0])
        if start > 0 and end < size and (low[1] - low[0]) >= _MIN_GAP * _STEP:
            gaps.append(left + (start + (low[0] + low[1]) / 2) / _STEP)
    return gaps


def _separating(gaps: list[float], rows: list[Row]) -> list[float]:
    """Return the gaps, except those that separate a sign from its number and those that have no entries on one side."""
    result: list[float] = []
    for number, gap in enumerate(gaps):
        start = result[-1] if result else float("-inf")
        end = gaps[number + 1] if number + 1 < len(gaps) else float("inf")
        before = [entry.text for row in rows for entry in row if start < _middle(entry) < gap]
        after = [entry.text for row in rows for entry in row if gap < _middle(entry) < end]
        if before and after and not _are_signs(before) and not _are_signs(after):
            result.append(gap)
    return result


def _without_head_only(gaps: list[float], rows: list[Row]) -> list[float]:
    """Return the gaps after merging the columns in which only the first row has an entry. Each of them is merged with
    the neighbour that has no entry in the first row, otherwise with the nearest."""
    number = 0
    while len(rows) > 3 and number <= len(gaps) and gaps:
        columns: list[list[Box]] = [[] for _ in range(len(gaps) + 1)]
        for row in rows:
            for entry in row:
                columns[column_at(_middle(entry), gaps)].append(entry.box)
        first = [entry.box for entry in rows[0]]
        if any(box not in first for box in columns[number]):
            number += 1
            continue
        start = columns[number][0][0] - max((box[2] for box in columns[number - 1]), default=0) if number else 1e9
        end = (
            min((box[0] for box in columns[number + 1]), default=1e9) - columns[number][0][2]
            if number < len(gaps)
            else 1e9
        )
        head_columns = [column_at(_middle(entry), gaps) for entry in rows[0]]
        before, after = (
            number - 1 in head_columns or not number,
            number + 1 in head_columns or number == len(gaps),
        )
        to_left = start <= end if before == after else after
        gaps = [gap for n, gap in enumerate(gaps) if n != (number - 1 if to_left else number)]
        number = max(0, number - 1)
    return gaps


def _sharing_rows(gaps: list[float], rows: list[Row], *, below_head: bool = False) -> list[float]:
    """Return the gaps, except those between entries that never share a row: these are left-aligned and right-aligned
    entries of one column.

    With `below_head`, columns in which only the first row has an entry are preserved.
    """
    result = list(gaps)
    number = 0
    while number < len(result):
        sides = [{column_at(_middle(entry), result) for entry in row} for row in rows]
        is_shared = any({number, number + 1} <= side for side in sides)
        is_used = all(any(column in side for side in sides[1:]) for column in (number, number + 1))
        if is_shared or len(rows) < _MIN_ROWS or (below_head and not is_used):
            number += 1
        else:
            del result[number]
    return result


def _are_signs(texts: list[str]) -> bool:
    return all(set(text) <= _SIGNS for text in texts)


def _middle(entry: Entry) -> float:
    return (entry.box[0] + entry.box[2]) / 2


# Minimum rule length as a fraction of table width; a shorter one is below an entry that spans columns.
_MIN_WHOLE_WIDTH = 0.75
_MAX_START = 0.08
"""Maximum start of a rule, as a fraction of the width. A rule that starts farther right excludes the labels and
separates no rows. Without this limit, headers over three columns are misread in the benchmark of drawn tables
(booktabs)."""

_NUMBER = re.compile(r"[^A-Za-zÄÖÜäöüß]*\d[^A-Za-zÄÖÜäöüß]*|[-–—−.*]+|n/?a|\(?[A-Z]?\)?", re.IGNORECASE)


@dataclass(slots=True)
class Band:
    """A row of a table: entries keyed by their first column, and the number of columns that each spans."""

    top: float
    bottom: float
    cells: dict[int, list[Word]] = field(default_factory=lambda: defaultdict(list))
    spans: dict[int, int] = field(default_factory=dict)
    lines: int = 1
    ends: dict[int, float] = field(default_factory=dict)
    """Right end of the last line of each cell, in points."""

    middle_columns: set[int] = field(default_factory=set)
    """Header columns whose entries are midway between two header lines."""

    @property
    def columns(self) -> set[int]:
        """Columns in which entries start."""
        return set(self.cells)

    @property
    def has_span(self) -> bool:
        """Whether an entry spans columns."""
        return any(span > 1 for span in self.spans.values())


def band_of(row: Row, gaps: list[float], across: list[Rule], box: Box) -> Band:
    """Return the band of a row, given the gaps between columns and the horizontal rules."""
    band = Band(min(entry.box[1] for entry in row), max(entry.box[3] for entry in row))
    for entry in row:
        first, last = _columns_of(entry, row, gaps, across, box)
        band.cells[first].extend(entry.words)
        band.spans[first] = max(band.spans.get(first, 1), last - first + 1)
        band.ends[first] = entry.box[2]
    return band


def _columns_of(entry: Entry, row: Row, gaps: list[float], across: list[Rule], box: Box) -> tuple[int, int]:
    """Return the first and last column of an entry: the columns it covers, or those covered by a short rule that is
    below this entry only."""
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
    """Return whether a horizontal rule separates all columns of a table."""
    width = box[2] - box[0]
    return rule.length > _MIN_WHOLE_WIDTH * width and rule.start < box[0] + _MAX_START * width


def is_number(text: str) -> bool:
    """Return whether the text is a number, a dash, or a symbol for a missing value."""
    return bool(_NUMBER.fullmatch(text.strip()))


_QUANTITY = re.compile(r"[-−–+±(<>~]*[$€£]?\d[\d.,/:]*\)?(?:\s?(?:%|°?[A-Za-zµμΩ]{1,3}|±.*|\(.*))?")


def is_quantity(text: str) -> bool:
    """Return whether the text is a number, with or without a unit or spread."""
    return bool(_QUANTITY.fullmatch(text.strip()))


def text_of(words: list[Word]) -> str:
    """Return the words joined by spaces."""
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
    """Return whether the band starts above the end of the last band."""
    return band.top < last.bottom - 0.3 * (band.bottom - band.top)


_MAX_TIGHT_PITCH = 1.3  # Maximum distance in line pitches to a continuation line; a more distant single entry is a row.


def merged_body(bands: list[Band], edges: list[float], whole: list[float]) -> list[Band]:
    """Merge lines that continue the entries of the previous row."""
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
    """Return whether a rule, a leader, or extra space starts a new row."""
    if any(last.bottom - 3 <= at <= band.top + 3 for at in whole) or band.has_span or last.has_span:
        return True
    if pitch and band.bottom - last.bottom > 1.6 * pitch:
        return True
    return 0 in band.columns and 0 in last.columns and ends_with_leader(text_of(last.cells[0][-1:]))


def _is_continuation(last: Band, band: Band, edges: list[float], pitch: float) -> bool:
    """Return whether each entry of the line had no room in the previous line, and none starts a new entry."""
    if last.columns == {0} and 0 in band.columns and _is_mid_sentence(band.cells[0][0].text):
        return True  # one row's label is on two lines, and its entries are next to the second
    if not band.columns <= last.columns or band.columns == last.columns == {0}:
        return False
    if len(band.columns) == 1 and 0 not in band.columns and 0 < band.bottom - last.bottom < _MAX_TIGHT_PITCH * pitch:
        (column,) = band.columns  # a single entry without a label is not a row
        if not is_number(text_of(band.cells[column])):
            return True
    # a label with entries next to it, or entries in all columns, must continue a sentence
    starts = {0} if 0 in band.columns and len(band.columns) > 1 else set[int]()
    starts |= band.columns if band.columns == last.columns else set[int]()
    return all(_runs_on(last, band, column) for column in starts) and all(
        _had_no_room(last, band, column, edges) for column in band.columns
    )


def _runs_on(last: Band, band: Band, column: int) -> bool:
    """Return whether the entry starts within a sentence or word."""
    return last.cells[column][-1].text.endswith(HYPHEN) or _is_mid_sentence(band.cells[column][0].text)


def _is_mid_sentence(word: str) -> bool:
    return word[:1].islower() or word.startswith("(")


def _had_no_room(last: Band, band: Band, column: int, edges: list[float]) -> bool:
    """Return whether the line was broken because the next word did not fit."""
    before, after = last.cells[column], band.cells[column]
    if before[-1].text.endswith(HYPHEN):
        return True
    if is_number(text_of(after)) and is_number(text_of(before)):
        return False
    first = after[0]
    return last.ends[column] + 0.2 * first.height + (first.box[2] - first.box[0]) > edges[column] + 1


def column_edges(bands: list[Band], width: int) -> list[float]:
    """Return the right end of each of `width` columns, in points."""
    edges = [0.0] * width
    for band in bands:
        for column, end in band.ends.items():
            if band.spans.get(column, 1) == 1:
                edges[column] = max(edges[column], end)
    return edges


def _usual_pitch(bands: list[Band]) -> float:
    steps = sorted(after.bottom - before.bottom for before, after in pairwise(bands))
    return steps[len(steps) // 2] if steps else 0.0
