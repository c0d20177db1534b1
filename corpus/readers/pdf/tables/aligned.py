"""Tables read by how their entries stand: columns between gaps, rows of one line or of several."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from corpus.blocks import Box
from corpus.readers.pdf.lines import HYPHEN
from corpus.readers.pdf.tables.columns import Entry, Row, column_at, crossed, entries_of, gaps_of, ruled_gaps
from corpus.readers.pdf.tables.grid import Cell, Grid, is_led, lines_of, without_empty_rows
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import Word, around, rows_of

_NUMBER = re.compile(r"[^A-Za-zÄÖÜäöüß]*\d[^A-Za-zÄÖÜäöüß]*|[-–—−.*]+|n/?a|\(?[A-Z]?\)?", re.IGNORECASE)
_WIDE = 0.75
_TIGHT = 1.3
_MIDDLE = 0.05


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

    @property
    def columns(self) -> set[int]:
        return set(self.held)

    @property
    def spanning(self) -> bool:
        return any(span > 1 for span in self.spans.values())


def aligned_grid(words: list[Word], level: list[Rule], upright: list[Rule], box: Box) -> Grid | None:
    """The grid of the words; None when they do not stand in columns."""
    sides = sorted({round(rule.at, 1) for rule in upright if box[0] + 4 < rule.at < box[2] - 4})
    rows = [entries_of(row, _beside(row, upright, box)) for row in rows_of(words)]
    first = min((rule.start for rule in upright if round(rule.at, 1) in sides), default=box[1])
    while len(rows) > 2 and len(rows[0]) == 1 and _is_title(rows[0][0].box, first, box):
        rows = rows[1:]  # a title above the columns
    if len(rows) < 2:
        return None
    gaps = gaps_of(rows, min(box[0], _left(rows)) - 2, max(box[2], _right(rows)) + 2)
    gaps = ruled_gaps(gaps, sides, rows) if sides else gaps
    if not gaps:
        return None
    across = [rule for rule in level if box[1] - 3 <= rule.at <= box[3] + 3]
    rows = [_parted(row, rows[n + 1 : n + 2], gaps) for n, row in enumerate(rows)]
    bands = [_band(row, gaps, across, box) for row in rows]
    bands = _without_title(bands, len(gaps))
    header = _header_lines(bands, across, box)
    edges = _column_edges(bands, len(gaps) + 1)
    whole = [rule.at for rule in across if rule.length > _WIDE * (box[2] - box[0])]
    body = _merged_body(bands[header:], edges, whole)
    head = _merged_head(bands[:header], across)
    return _grid([*head, *body], len(head), len(gaps) + 1, box, whole)


def _parted(row: Row, next_rows: list[Row], gaps: list[float]) -> Row:
    """Titles of columns so close that they look like one, as many, where no titles stand below them."""
    parted: Row = []
    for entry in row:
        inside = [gap for gap in gaps if entry.box[0] < gap < entry.box[2]]
        below = [
            each
            for other in next_rows
            for each in other
            if each.box[0] < entry.box[2] and entry.box[0] < each.box[2]
        ]
        places = [
            number
            for number, (last, word) in enumerate(pairwise(entry.words), 1)
            if any(last.box[2] - 1 <= gap <= word.box[0] + 1 for gap in inside)
        ]
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


def _without_title(bands: list[Band], gaps: int) -> list[Band]:
    """Without a first line that stands over most columns by itself, as a title does."""
    while len(bands) > 2 and bands[0].columns == {0} and bands[0].spans[0] > max(2, 0.6 * gaps):
        bands = bands[1:]
    return bands


def _is_title(entry: Box, top: float, box: Box) -> bool:
    """Whether it stands above the columns, in the middle of all of them."""
    off = abs(entry[0] + entry[2] - box[0] - box[2]) / 2
    return entry[3] < top + 2 and off < _MIDDLE * (box[2] - box[0])


def _beside(row: list[Word], upright: list[Rule], box: Box) -> list[float]:
    """Where upright rules within the box pass the row."""
    middle = row[0].middle
    return [
        rule.at
        for rule in upright
        if box[0] + 4 < rule.at < box[2] - 4 and rule.start - 2 <= middle <= rule.end + 2
    ]


def is_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text.strip()))


def _band(row: Row, gaps: list[float], across: list[Rule], box: Box) -> Band:
    band = Band(min(entry.box[1] for entry in row), max(entry.box[3] for entry in row))
    for entry in row:
        first, last = _columns_of(entry, gaps, across, box)
        band.held[first].extend(entry.words)
        band.spans[first] = max(band.spans.get(first, 1), last - first + 1)
        band.ends[first] = entry.box[2]
    return band


def _columns_of(entry: Entry, gaps: list[float], across: list[Rule], box: Box) -> tuple[int, int]:
    """First and last column of an entry: those it covers, or those that a short rule below it covers."""
    if not crossed(entry, gaps):
        middle = column_at((entry.box[0] + entry.box[2]) / 2, gaps)
        for rule in across:
            below = entry.box[3] - 2 <= rule.at <= entry.box[3] + 0.8 * (entry.box[3] - entry.box[1])
            over = rule.start - 3 <= entry.box[0] and entry.box[2] <= rule.end + 3
            if below and over and rule.length < _WIDE * (box[2] - box[0]):
                first, last = column_at(rule.start + 3, gaps), column_at(rule.end - 3, gaps)
                if first <= middle <= last:
                    return first, last
        return middle, middle
    return column_at(entry.box[0] + 0.5, gaps), column_at(entry.box[2] - 0.5, gaps)


def _header_lines(bands: list[Band], across: list[Rule], box: Box) -> int:
    """How many of the first lines are the head: above the first whole rule within, else above the numbers."""
    wide = [rule.at for rule in across if rule.length > _WIDE * (box[2] - box[0])]
    for at in sorted(wide):
        above = [band for band in bands if (band.top + band.bottom) / 2 < at]
        if above and len(above) < len(bands):
            return len(above) if len(above) <= max(4, len(bands) // 3) else 1
    for number, band in enumerate(bands):
        texts = [_text(words) for column, words in band.held.items() if column > 0]
        if len(texts) > 1 and sum(map(is_number, texts)) * 2 > len(texts) and not band.spanning:
            return max(1, number) if number <= max(4, len(bands) // 3) else 1
    return 1


def _merged_head(bands: list[Band], across: list[Rule]) -> list[Band]:
    """Lines of the head put together, except below an entry that stands over several columns."""
    merged: list[Band] = []
    for band in bands:
        last = merged[-1] if merged else None
        if last is None:
            merged.append(band)
        elif _is_between(last, band) and not band.columns & last.columns:
            _append(last, band)  # of the height of several lines, in their middle
        elif not last.spanning and not band.spanning and not _is_ruled(last, band, across):
            _append(last, band)
        else:
            merged.append(band)
    return merged


def _is_between(last: Band, band: Band) -> bool:
    return band.top < last.bottom - 0.3 * (band.bottom - band.top)


def _is_ruled(last: Band, band: Band, across: list[Rule]) -> bool:
    return any(last.bottom - 3 <= rule.at <= band.top + 3 and rule.length > 8 for rule in across)


def _merged_body(bands: list[Band], edges: list[float], whole: list[float]) -> list[Band]:
    """Lines that go on with the entries of the row before are put to it."""
    pitch = _usual_pitch(bands)
    merged: list[Band] = []
    for band in bands:
        last = merged[-1] if merged else None
        between = last is not None and _is_between(last, band) and not band.columns & last.columns
        if (last is not None and between) or (last is not None and _goes_on(last, band, edges, whole, pitch)):
            _append(last, band)
        else:
            merged.append(band)
    return merged


def _goes_on(last: Band, band: Band, edges: list[float], whole: list[float], pitch: float) -> bool:
    """Whether each entry of the line had no room in the line before, and none starts anew."""
    if (
        (0 in band.columns and is_led(_text(last.held.get(0, [])[-1:])))
        or band.spanning
        or last.spanning
        or any(last.bottom - 3 <= at <= band.top + 3 for at in whole)
    ):
        return False
    step = band.bottom - last.bottom
    if pitch and step > 1.6 * pitch:
        return False
    if not band.columns <= last.columns or band.columns == last.columns == {0}:
        return False
    if len(band.columns) == 1 and 0 not in band.columns and 0 < step < _TIGHT * pitch:
        (column,) = band.columns  # no row by itself, without a label and with one entry
        if not is_number(_text(band.held[column])):
            return True
    if band.columns == last.columns and not all(_runs_on(last, band, column) for column in band.columns):
        return False
    return all(_forced(last, band, column, edges) for column in band.columns)


def _runs_on(last: Band, band: Band, column: int) -> bool:
    """Whether the entry begins as one does in the middle of a sentence or word."""
    return last.held[column][-1].text.endswith(HYPHEN) or band.held[column][0].text[:1].islower()


def _forced(last: Band, band: Band, column: int, edges: list[float]) -> bool:
    """Whether the line broke because the next word had no room."""
    before, after = last.held[column], band.held[column]
    if before[-1].text.endswith(HYPHEN):
        return True
    if is_number(_text(after)) and is_number(_text(before)):
        return False
    first = after[0]
    return last.ends[column] + 0.2 * first.height + (first.box[2] - first.box[0]) > edges[column] + 1


def _append(last: Band, band: Band) -> None:
    for column, words in band.held.items():
        last.held[column].extend(words)
        last.spans[column] = max(last.spans.get(column, 1), band.spans.get(column, 1))
        last.ends[column] = band.ends[column]
    last.bottom = max(last.bottom, band.bottom)
    last.lines += band.lines


def _grid(bands: list[Band], header: int, width: int, box: Box, whole: list[float]) -> Grid | None:
    if len(bands) < 2:
        return None
    cells = []
    for row, band in enumerate(bands):
        for column, words in band.held.items():
            only = len(band.held) == 1 and band.spans.get(column, 1) > 1 and row >= header
            start, span = (0, width) if only else (column, band.spans.get(column, 1))
            cells.append(Cell(row, start, lines_of(words), 1, span))
    cells = _over_rows(cells, bands, header, whole)
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return without_empty_rows(len(bands), width, cells, header, box)


def _over_rows(cells: list[Cell], bands: list[Band], header: int, whole: list[float]) -> list[Cell]:
    """An entry alone in its column, in the middle between two rules, is that of all rows between them."""
    groups: list[list[int]] = []
    for row in range(header, len(bands)):
        if groups and not any(bands[row - 1].bottom - 3 <= at <= bands[row].top + 3 for at in whole):
            groups[-1].append(row)
        else:
            groups.append([row])
    if len(groups) < 2:
        return cells
    moved = []
    for cell in cells:
        group = next((group for group in groups if cell.row in group), [cell.row])
        alone = sum(1 for other in cells if other.row in group and other.column == cell.column) == 1
        middle = (bands[group[0]].top + bands[group[-1]].bottom) / 2
        band = bands[cell.row]
        centred = abs((band.top + band.bottom) / 2 - middle) < 0.6 * (band.bottom - band.top)
        if len(group) > 1 and alone and centred and cell.columns == 1:
            moved.append(Cell(group[0], cell.column, cell.lines, len(group), 1))
        else:
            moved.append(cell)
    return moved


def _column_edges(bands: list[Band], width: int) -> list[float]:
    """How far right each column reaches."""
    edges = [0.0] * width
    for band in bands:
        for column, end in band.ends.items():
            if band.spans.get(column, 1) == 1:
                edges[column] = max(edges[column], end)
    return edges


def _usual_pitch(bands: list[Band]) -> float:
    steps = sorted(after.bottom - before.bottom for before, after in pairwise(bands))
    return steps[len(steps) // 2] if steps else 0.0


def _text(words: list[Word]) -> str:
    return " ".join(word.text for word in words)


def _left(rows: list[Row]) -> float:
    return min(entry.box[0] for row in rows for entry in row)


def _right(rows: list[Row]) -> float:
    return max(entry.box[2] for row in rows for entry in row)
