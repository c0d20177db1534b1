"""Ways to read a region as a grid, the safest first. None if none is safe."""

from __future__ import annotations

import re

from corpus.blocks import Box
from corpus.readers.pdf.tables.aligned import aligned_grid
from corpus.readers.pdf.tables.bands import is_number
from corpus.readers.pdf.tables.grid import Grid, is_led
from corpus.readers.pdf.tables.grid_validation import has_rows_in_one, is_ruled_table, is_table, says_all
from corpus.readers.pdf.tables.ruled import Frame, lattice_of, ruled_grid
from corpus.readers.pdf.tables.rules import Rules
from corpus.readers.pdf.tables.words import Word, inside

_MAX_BOX_SHIFT = 6.0  # Points between the region of all rules and that without edges of shaded areas.
_MAX_JOINED = 0.34  # Share of rows whose cells merge several entries, in a grid that is still a table.
_MIN_SURE = 3  # Rows and columns of rules that are a table whatever stands in it.
_MIN_RULED = 0.7  # Share of places that are cells of their own.
_MAX_COARSE_ROWS = 3  # Rows; short grids are checked for cells that hold several rows.
_MIN_STACKED_CELLS = 2  # Cells of a row with numbers below each other; a single one may hold a range.
_MIN_CELL_LINES = 3  # Lines in step in two cells side by side.
_MAX_SHORT_LINE = 25  # Average characters of a line that is an entry, not running text.
_DECIMAL = re.compile(r"[-−+±]?\d[\d,.]*%?")


def framed_grid(frame: Frame, words: list[Word], rules: Rules) -> Grid | None:
    """The grid of cells between rules; if these merge rows, or are only shading, that of aligned entries."""
    level, upright = ([rule for rule in rules if not rule.edge] for rules in (frame.level, frame.upright))
    without_edges = Frame(tuple(level), tuple(upright)) if level and upright else frame
    words_inside = inside(words, frame.box)
    for each in (without_edges, frame):
        lattice = lattice_of(each) if len(each.level) > 1 and each.upright else None
        if lattice and words_inside and _is_same(each.box, frame.box):
            grid = ruled_grid(lattice, words_inside)
            if grid and is_ruled_table(grid) and says_all(grid, words_inside) and not _is_coarse(grid):
                return grid
    return grid_within(frame.box, words, rules, expected=len(frame.level) > 2 or len(frame.upright) > 2)


def is_surely_one(frame: Frame) -> bool:
    """Whether the rules alone show a table: _MIN_SURE rows and columns at least, all ruled."""
    rules = [rule for rule in (*frame.level, *frame.upright) if not rule.edge]
    lattice = lattice_of(frame) if len(rules) >= 2 * _MIN_SURE else None
    if lattice is None:
        return False
    rows, columns = ({first[side] for first in lattice.ends} for side in (0, 1))
    return min(len(rows), len(columns)) >= _MIN_SURE and len(lattice.ends) >= _MIN_RULED * len(rows) * len(
        columns
    )


def grid_within(
    box: Box, words: list[Word], rules: Rules, *, expected: bool, ruled: bool = True
) -> Grid | None:
    """The grid of aligned entries. `expected`: rules or a caption indicate a table."""
    level = [rule for rule in rules.level if rule.start < box[2] and rule.end > box[0]]
    height = box[3] - box[1]
    upright = [rule for rule in rules.upright if min(rule.end, box[3]) - max(rule.start, box[1]) > height / 2]
    words_inside = inside(words, box)
    grid = aligned_grid(words_inside, level, upright, box) if words_inside else None
    if grid is None:
        return None
    inner = {round(rule.at) for rule in upright if box[0] + 4 < rule.at < box[2] - 4}
    parted = len(inner) >= grid.width - 1
    if not says_all(grid, inside(words, grid.box)):
        return None
    return grid if is_table(grid, expected=expected, ruled=ruled, parted=parted) else None


def _is_coarse(grid: Grid) -> bool:
    """Whether the rules leave several rows or columns in one cell."""
    bands = grid.rows()[grid.header :]
    merged_rows = {
        cell.row for cell in grid.cells if cell.row >= grid.header and cell.columns > 1 and cell.entries > 1
    }
    if len(merged_rows) > _MAX_JOINED * len(bands) or any(map(_are_stacked, bands)) or has_rows_in_one(grid):
        return True
    if len(bands) <= _MAX_COARSE_ROWS and any(_are_lines_in_step(row) for row in bands):
        return True
    return any(
        _are_numbers_in_step([row[column] for row in bands if row[column]]) for column in range(1, grid.width)
    )


def _are_stacked(row: list[tuple[str, ...]]) -> bool:
    """Whether numbers stand below each other in several cells, or entries that each end in a leader."""
    numbers = sum(1 for cell in row if len(cell) > 1 and all(map(is_number, cell)))
    return numbers >= _MIN_STACKED_CELLS or any(sum(map(is_led, cell)) > 1 for cell in row)


def _are_lines_in_step(row: list[tuple[str, ...]]) -> bool:
    """Whether short entries stand side by side, line for line."""
    counts = sorted(len(cell) for cell in row if cell)
    characters = sum(len(line) for cell in row for line in cell)
    return len(counts) >= 2 and counts[-2] >= _MIN_CELL_LINES and characters < _MAX_SHORT_LINE * sum(counts)


def _are_numbers_in_step(cells: list[tuple[str, ...]]) -> bool:
    """Whether most cells of a column hold several numbers side by side."""
    several = [
        cell
        for cell in cells
        if len(words := " ".join(cell).split()) > 1 and all(_DECIMAL.fullmatch(w) for w in words)
    ]
    return len(cells) > 1 and len(several) > _MAX_JOINED * 2 * len(cells)


def _is_same(box: Box, second: Box) -> bool:
    return max(abs(a - b) for a, b in zip(box, second, strict=True)) < _MAX_BOX_SHIFT
