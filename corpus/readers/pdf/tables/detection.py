"""Detect the tables on a page, and choose the safest grid for each region."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.documents.block import MAX_PICTURE_BYTES, Box, Picture
from corpus.readers.pdf.caption_lines import Caption, table_captions_of
from corpus.readers.pdf.page_figures import Figure
from corpus.readers.pdf.page_geometry import PageGeometry, area, common_area, contains, pdfium, share_within, union
from corpus.readers.pdf.page_objects import Drawings
from corpus.readers.pdf.page_pictures import crop
from corpus.readers.pdf.rules import Rules, stacks_of
from corpus.readers.pdf.tables.aligned import aligned_grid
from corpus.readers.pdf.tables.columns import Entry, Row, entries_of, is_number
from corpus.readers.pdf.tables.grid import (
    Grid,
    Word,
    ends_with_leader,
    rows_of,
    without_leaders,
    words_of,
    words_within,
)
from corpus.readers.pdf.tables.grid_validation import (
    has_rows_in_one,
    is_plainly_a_table,
    is_ruled_table,
    is_table,
    says_all,
)
from corpus.readers.pdf.tables.ruled import Frame, frames_of, lattice_of, ruled_grid
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.page_text import PageCharacters

_MAX_JOINED = 0.34  # Maximum fraction of rows with a cell that merges several entries, in a valid table.
_MIN_SURE = 3  # Minimum number of rows and columns between rules that prove a table regardless of its content.
_MIN_RULED = 0.7  # Minimum fraction of row and column positions that are separate cells.
_MAX_COARSE_ROWS = 3  # Maximum number of rows in a short grid, which is checked for cells that contain several rows.
_MIN_STACKED_CELLS = 2  # Minimum number of cells with stacked numbers in a row; a single one may contain a range.
_MIN_CELL_LINES = 3  # Minimum number of aligned lines in two cells side by side.
_MAX_SHORT_LINE = 25  # Maximum average line length, in characters, of entries; lines of running text are longer.
_DECIMAL = re.compile(r"[-−+±]?\d[\d,.]*%?")


def framed_grid(frame: Frame, words: list[Word], rules: Rules) -> Grid | None:
    """Return the grid of cells between rules. If the rules merge rows or are only the edges of shading, return the grid
    of aligned entries."""
    level, upright = ([rule for rule in rules if not rule.edge] for rules in (frame.level, frame.upright))
    without_edges = Frame(tuple(level), tuple(upright)) if level and upright else frame
    words_inside = words_within(words, frame.box)
    for each in (without_edges, frame):
        lattice = lattice_of(each) if len(each.level) > 1 and each.upright else None
        if lattice and words_inside:
            grid = ruled_grid(lattice, words_inside)
            if grid and is_ruled_table(grid) and says_all(grid, words_inside) and not _is_coarse(grid):
                return grid
    return grid_within(frame.box, words, rules, expected=len(frame.level) > 2 or len(frame.upright) > 2)


def is_certainly_a_table(frame: Frame) -> bool:
    """Return whether the rules alone prove a table: at least _MIN_SURE rows and columns, nearly all ruled."""
    rules = [rule for rule in (*frame.level, *frame.upright) if not rule.edge]
    lattice = lattice_of(frame) if len(rules) >= 2 * _MIN_SURE else None
    if lattice is None:
        return False
    rows, columns = ({first[side] for first in lattice.ends} for side in (0, 1))
    return min(len(rows), len(columns)) >= _MIN_SURE and len(lattice.ends) >= _MIN_RULED * len(rows) * len(columns)


def grid_within(box: Box, words: list[Word], rules: Rules, *, expected: bool, ruled: bool = True) -> Grid | None:
    """Return the grid of aligned entries. `expected` is true if rules or a caption indicate a table."""
    level = [rule for rule in rules.level if rule.start < box[2] and rule.end > box[0]]
    height = box[3] - box[1]
    upright = [rule for rule in rules.upright if min(rule.end, box[3]) - max(rule.start, box[1]) > height / 2]
    words_inside = words_within(words, box)
    grid = aligned_grid(words_inside, level, upright, box) if words_inside else None
    if grid is None:
        return None
    inner = {round(rule.at) for rule in upright if box[0] + 4 < rule.at < box[2] - 4}
    has_ruled_columns = len(inner) >= grid.width - 1
    if not says_all(grid, words_within(words, grid.box)):
        return None
    return grid if is_table(grid, expected=expected, ruled=ruled, has_ruled_columns=has_ruled_columns) else None


def _is_coarse(grid: Grid) -> bool:
    """Return whether the rules leave several rows or columns in one cell."""
    bands = grid.rows()[grid.header :]
    merged_rows = {cell.row for cell in grid.cells if cell.row >= grid.header and cell.columns > 1 and cell.entries > 1}
    if len(merged_rows) > _MAX_JOINED * len(bands) or any(map(_are_stacked, bands)) or has_rows_in_one(grid):
        return True
    if len(bands) <= _MAX_COARSE_ROWS and any(_are_lines_in_step(row) for row in bands):
        return True
    return any(_are_numbers_in_step([row[column] for row in bands if row[column]]) for column in range(1, grid.width))


def _are_stacked(row: list[tuple[str, ...]]) -> bool:
    """Return whether several cells contain stacked numbers, or a cell contains stacked entries that each end in a
    leader."""
    numbers = sum(1 for cell in row if len(cell) > 1 and all(map(is_number, cell)))
    return numbers >= _MIN_STACKED_CELLS or any(sum(map(ends_with_leader, cell)) > 1 for cell in row)


def _are_lines_in_step(row: list[tuple[str, ...]]) -> bool:
    """Return whether short entries of several cells are side by side, line by line."""
    counts = sorted(len(cell) for cell in row if cell)
    characters = sum(len(line) for cell in row for line in cell)
    return len(counts) >= 2 and counts[-2] >= _MIN_CELL_LINES and characters < _MAX_SHORT_LINE * sum(counts)


def _are_numbers_in_step(cells: list[tuple[str, ...]]) -> bool:
    """Return whether most cells of a column contain several numbers side by side."""
    several = [
        cell for cell in cells if len(words := " ".join(cell).split()) > 1 and all(_DECIMAL.fullmatch(w) for w in words)
    ]
    return len(cells) > 1 and len(several) > _MAX_JOINED * 2 * len(cells)


_MAX_CAPTION_GAP = 30.0  # Maximum distance in points between a table and its caption, about two lines.
_MAX_TABLES = 30  # Maximum number of tables on a page; pages of the test corpora have at most six.
_MIN_WITHIN = 0.5  # Minimum fraction of a table inside a figure for the table to be part of the figure.
_MIN_FIGURE_SHARE = 0.6  # Minimum fraction of a figure that a table covers if the figure is only a table.
_MIN_CURVES = 2  # Minimum number of slanted lines in a drawing; a single one may be an icon.
_MIN_WORDS = 6  # Minimum number of words inside the rules of a table; fewer are a form or an empty frame.


@dataclass(frozen=True, slots=True)
class DetectedTable:
    """A table. `grid` is None if only its position is certain."""

    box: Box
    caption: Caption | None
    grid: Grid | None


def find_tables(
    captions: Sequence[Caption],
    words: list[Word],
    rules: Rules,
    drawings: Drawings,
    figures: Sequence[Figure],
) -> list[DetectedTable]:
    """Return the tables from top to bottom. A table inside a figure is part of the figure, unless the figure is only
    that table."""
    tables: list[DetectedTable] = []
    for box, grid, is_sure in _candidates(words, rules, captions):
        if any(_share_of_smaller(box, other.box) > 0.2 for other in tables) or _is_drawing(box, drawings):
            continue
        around = next((each for each in figures if _share_of_smaller(box, each.box) > _MIN_WITHIN), None)
        if around and not (grid and is_plainly_a_table(grid) and share_within(around.box, box) > _MIN_FIGURE_SHARE):
            continue
        caption = around.caption if around else caption_at(box, captions)
        if is_sure or caption:
            tables.append(DetectedTable(box, caption, grid and without_leaders(grid)))
        if len(tables) >= _MAX_TABLES:
            break
    return sorted(tables, key=lambda table: (table.box[1], table.box[0]))


def _candidates(
    words: list[Word], rules: Rules, captions: Sequence[Caption]
) -> Iterator[tuple[Box, Grid | None, bool]]:
    """Yield framed and captioned tables, the largest first, then rows in columns, then regions that could not be read.
    Each has a flag that is true if it is certainly a table."""
    rows = [entries_of(row, []) for row in rows_of(words)]
    titles = [caption.box for caption in captions]
    runs = runs_of(rows, titles)
    ruled: list[tuple[Box, Frame | None]] = [(frame.box, frame) for frame in frames_of(rules)]
    ruled += [(stack, None) for stack in stacks_of(rules.level, prose_of(rows), titles)]
    unread: list[tuple[Box, bool]] = []

    def last(each: tuple[Box, Frame | None]) -> tuple[bool, float]:
        return each[1] is None and caption_at(each[0], captions) is None, -area(each[0])

    for box, frame in sorted(ruled, key=last):
        grid = framed_grid(frame, words, rules) if frame else _grid_of_stack(box, runs, words, rules)
        if grid:
            yield grid.box, grid, True
        elif frame is None:
            unread.append((box, False))
        elif is_certainly_a_table(frame) and len(words_within(words, box)) >= _MIN_WORDS:
            unread.append((box, True))
    for run in runs:
        grid = grid_within(run, words, rules, expected=caption_at(run, captions) is not None, ruled=False)
        if grid:
            yield grid.box, grid, True
        else:
            unread.append((run, False))
    yield from ((box, None, sure) for box, sure in unread)


def _grid_of_stack(box: Box, runs: list[Box], words: list[Word], rules: Rules) -> Grid | None:
    wider = _down_to(box, runs)
    return grid_within(wider, words, rules, expected=True) or grid_within(box, words, rules, expected=True)


def caption_at(box: Box, captions: Sequence[Caption]) -> Caption | None:
    """Return the nearest caption above or below the box, within _MAX_CAPTION_GAP."""
    near = [
        (max(box[1] - caption.box[3], caption.box[1] - box[3]), number)
        for number, caption in enumerate(captions)
        if caption.box[0] < box[2] and box[0] < caption.box[2]
    ]
    near = [each for each in near if each[0] <= _MAX_CAPTION_GAP]
    return captions[min(near)[1]] if near else None


def _down_to(box: Box, runs: list[Box]) -> Box:
    """Return the box extended by the rows that continue below its last rule."""
    below = [
        run[3]
        for run in runs
        if box[1] < run[3] and run[1] < box[3] + 20 and run[0] > box[0] - 12 and run[2] < box[2] + 12
    ]
    return (box[0], box[1], box[2], max([box[3], *below]))


def _is_drawing(box: Box, drawings: Drawings) -> bool:
    """Return whether slanted lines are drawn in the box, as in a chart."""
    return sum(1 for each in drawings.curves if contains(box, each)) >= _MIN_CURVES


def _share_of_smaller(box: Box, second: Box) -> float:
    """Return the ratio of the common area to the area of the smaller box."""
    return common_area(box, second) / max(1.0, min(area(box), area(second)))


MIN_ROWS = 3  # Minimum number of rows in a table without rules or caption; two may align by chance.
_MAX_ENTRY = 45  # Maximum length in characters of a text entry; longer ones are running text.
_MAX_ROW_GAP = 2.2  # Maximum distance between rows in row heights; rows farther below belong to another table.
_MAX_SINGLE_ROWS = 2  # Maximum number of successive single-entry rows, such as group titles, between other rows.
_MIN_ENTRY_GAP = 1.0  # Minimum gap, in row heights, between entries of a row; justified text has smaller gaps.


def prose_of(rows: list[Row]) -> list[Box]:
    """Return the boxes of running text, which are long entries of words."""
    return [entry.box for row in rows for entry in row if _is_prose(entry)]


def runs_of(rows: list[Row], captions: list[Box]) -> list[Box]:
    """Return boxes around at least MIN_ROWS rows with several entries, with few other rows between them. If running
    text is next to the rows, it is ignored."""
    runs, run, single = [], list[Row](), list[Row]()
    for whole in rows:
        row = [entry for entry in whole if not _is_prose(entry)]
        if any(contains(caption, entry.box) for caption in captions for entry in whole):
            runs.append(run)
            run, single = [], []
            continue
        if not row:
            continue
        last = (single or run or [row])[-1]
        if run and _top(row) - _bottom(last) > _MAX_ROW_GAP * _height(row):
            runs.append(run)
            run, single = [], []
        if _has_wide_gap(row):
            run = [*run, *single, row] if run else [row]
            single = []
        elif run:
            single.append(row)
            if len(single) > _MAX_SINGLE_ROWS:
                runs.append(run)
                run, single = [], []
    runs.append(run)
    return [
        union([entry.box for row in run for entry in row])
        for run in runs
        if sum(1 for row in run if _has_wide_gap(row)) >= MIN_ROWS
    ]


def _is_prose(entry: Entry) -> bool:
    text = entry.text
    return len(text) > _MAX_ENTRY and sum(map(str.isalpha, text)) > 0.6 * len(text)


def _has_wide_gap(row: Row) -> bool:
    return any(after.box[0] - before.box[2] > _MIN_ENTRY_GAP * _height(row) for before, after in pairwise(row))


def _top(row: Row) -> float:
    return min(entry.box[1] for entry in row)


def _bottom(row: Row) -> float:
    return max(entry.box[3] for entry in row)


def _height(row: Row) -> float:
    return max(word.height for entry in row for word in entry.words)


_MARGIN = 3.0  # Width in points of the margin added around a table's picture, so that it includes the outer rules.
_MIN_RULES = 2  # Minimum number of horizontal rules on a page for it to be searched for tables.
_MIN_ROWS = 3  # Minimum number of lines with wide gaps on a page for it to be searched for tables.


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `inside` contains the indexes of the lines within its box. `grid` is None if the table cannot be read
    safely."""

    caption: Caption | None
    box: Box
    inside: tuple[int, ...]
    grid: Grid | None
    picture: Picture

    @property
    def covered_lines(self) -> set[int]:
        """Indexes of the lines that its grid and caption contain; empty without a grid."""
        if self.grid is None:
            return set()
        return {*self.inside, *(range(self.caption.first, self.caption.last) if self.caption else ())}


def tables_of(
    page: pdfium.PdfPage,
    text: PageCharacters,
    geometry: PageGeometry,
    lines: list[Line],
    rules: Rules,
    drawings: Drawings,
    figures: list[Figure],
) -> list[Table]:
    """Return the tables from top to bottom, except those within figures; figures that are only a table are included.
    Pages without signs of a table are not searched."""
    captions = table_captions_of(lines)
    if not captions and not _may_have_some(lines, rules):
        return []
    apart = {
        start: (end, [Word(word.text, word.box, direction) for word in its_words])
        for start, end, its_words, direction in text.turned_lines
    }
    words = words_of(text.text, text.handle, geometry, rules.upright, apart, text.insertions)
    words += [Word("[x]" if each.is_ticked else "[ ]", each.box) for each in text.fields if each.is_ticked is not None]
    return [
        Table(
            each.caption,
            each.box,
            _lines_inside(each.box, each.caption, lines),
            each.grid,
            _picture(page, each.box),
        )
        for each in find_tables(captions, words, rules, drawings, figures)
    ]


def _may_have_some(lines: list[Line], rules: Rules) -> bool:
    return len(rules.level) >= _MIN_RULES or sum(line.scattered for line in lines) >= _MIN_ROWS


def _lines_inside(box: Box, caption: Caption | None, lines: list[Line]) -> tuple[int, ...]:
    return tuple(
        index
        for index, line in enumerate(lines)
        if contains(box, line.box) and not line.is_comment and not (caption and caption.first <= index < caption.last)
    )


def _picture(page: pdfium.PdfPage, box: Box) -> Picture:
    width, height = page.get_size()
    left, top, right, bottom = box
    wide = (
        max(0.0, left - _MARGIN),
        max(0.0, top - _MARGIN),
        min(width, right + _MARGIN),
        min(height, bottom + _MARGIN),
    )
    return crop(page, wide, MAX_PICTURE_BYTES)
