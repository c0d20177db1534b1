"""Columns of tables without upright rules: space that all rows leave empty."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.graphics.ink import true_runs
from corpus.readers.pdf.tables.words import Word, words_box

JOIN = 0.42  # Word heights between words of one entry; a space is 0.25 to 0.35.
_STEP = 2  # Positions per point at which coverage is counted.
_MAX_SPANNING = 0.25  # Share of the rows that may cover a gap, because they span columns.
_MIN_ROWS = 4  # Rows from which a column without a shared row is doubted.
_MIN_GAP = 2.0  # Points; the narrowest gap between columns of numbers.
_SIGNS = frozenset("$€£¥%()[]*†‡±<>≤≥~+-–−=:|#")


@dataclass(frozen=True, slots=True)
class Entry:
    """Words of one row that stand close together."""

    words: tuple[Word, ...]
    box: Box

    @property
    def text(self) -> str:
        """The words with spaces between."""
        return " ".join(word.text for word in self.words)


Row = list[Entry]


def entries_of(row: list[Word], uprights: list[float]) -> Row:
    """The row split at wide spaces and at `uprights`, positions of upright rules."""
    parts: list[list[Word]] = [[row[0]]]
    for last, word in pairwise(row):
        ruled = any(last.box[2] - 1 <= at <= word.box[0] + 1 for at in uprights)
        if ruled or word.box[0] - last.box[2] > JOIN * max(last.height, word.height):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [Entry(tuple(part), words_box(part)) for part in parts]


def gaps_of(rows: list[Row], left: float, right: float) -> list[float]:
    """Positions (x) between columns, from left to right, by a projection profile: where rows leave space empty.

    The gaps of most rows show which rows span columns; the others then give the exact gaps.
    """
    rough = _empty(rows, left, right, int(_MAX_SPANNING * len(rows)) if len(rows) > 3 else 0)
    plain = [row for row in rows if not any(crossing_count(entry, rough) for entry in row)]
    if len(plain) < 2:
        return rough
    gaps = _separating(_empty(plain, left, right, 0), plain)
    gaps = _sharing_rows(gaps, plain, below_head=True)
    return _sharing_rows(_without_head_only(gaps, plain), plain)


def ruled_gaps(gaps: list[float], sides: list[float], rows: list[Row]) -> list[float]:
    """The upright rules `sides`, and the gaps between them that most rows show."""
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
    """The number of gaps that the entry crosses."""
    return sum(1 for gap in gaps if entry.box[0] + 0.5 < gap < entry.box[2] - 0.5)


def column_at(x: float, gaps: list[float]) -> int:
    """Index of the column, from 0, at position `x`."""
    return bisect_right(gaps, x)


def _empty(rows: list[Row], left: float, right: float, allowed: int) -> list[float]:
    """Middles of the emptiest stretches that at most `allowed` rows cover."""
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
    """The gaps without those that part a sign from its number, or that hardly any row shows."""
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
    """The gaps without columns in which only the first row has an entry. Such a column joins the neighbour without
    an entry in the first row, else the nearest."""
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
    """The gaps without those between entries that never share a row: left-aligned and right-aligned ones of one
    column.

    `below_head`: keep columns in which only the first row has an entry.
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
