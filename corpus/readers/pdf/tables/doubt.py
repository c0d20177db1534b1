"""What makes a grid doubtful although its entries stand in columns: there its lines say more than it does."""

from __future__ import annotations

import re

from corpus.readers.pdf.tables.bands import is_number, is_quantity
from corpus.readers.pdf.tables.grid import Cell, Grid

_CAPTION = re.compile(r"(?:table|tabelle|tab\.|tableau|表)\s?[A-Z]?\d", re.IGNORECASE)
_DECIMAL = re.compile(r"[-−–+±]?[$€£]?\d[\d.,]*\d%?|[-−–+±]?\d%?|[-−–]")
_GROUPED = re.compile(r"[-−–+±]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?")
_IN_ONE = re.compile(r"\d%?(?: (?:mm|cm|m|km|kg|g|kW|W|V|A|Hz|s|h))? [-−+$€£]?\d")
_SEVERAL = 3
_MOSTLY = 0.5


def is_doubtful(grid: Grid) -> bool:
    """Whether entries of several columns or rows seem to be in one cell, or a column seems to have lost its head."""
    body = [cell for cell in grid.cells if cell.row >= grid.header]
    return (
        _begins_with_caption(grid)
        or _has_several_numbers(grid, body)
        or any(_has_no_head(grid, body, column) for column in range(1, grid.width))
        or has_rows_in_one(grid)
        or _has_loose_lines(grid, body)
        or _has_columns_in_one(body)
        or _has_titles_in_one(grid, body)
    )


def has_rows_in_one(grid: Grid) -> bool:
    """Whether a row is several: cells side by side with as many lines, of one each line is an entry elsewhere too."""
    whole = {(cell.column, cell.lines[0]) for cell in grid.cells if len(cell.lines) == 1}
    for number in range(grid.header, grid.height):
        cells = [cell for cell in grid.cells if cell.row == number and cell.rows == 1 and len(cell.lines) > 1]
        for cell in cells:
            alike = sum(len(other.lines) == len(cell.lines) for other in cells) > 1
            if alike and (_is_one_line(cell) or all((cell.column, line) in whole for line in cell.lines)):
                return True
    return False


def _has_loose_lines(grid: Grid, body: list[Cell]) -> bool:
    """Whether a row has but words and no label, while the others have: it may be part of one of them."""
    labelled = {row for cell in body if cell.column == 0 for row in range(cell.row, cell.row + cell.rows)}
    height = grid.height - grid.header
    if len(labelled) <= _MOSTLY * height:
        return False
    loose = set(range(grid.header, grid.height)) - labelled
    return any(
        not any(is_quantity(" ".join(cell.lines)) for cell in body if cell.row == row and cell.columns == 1)
        for row in loose
    )


def _has_columns_in_one(body: list[Cell]) -> bool:
    """Whether cells hold one quantity after the other."""
    return (
        sum(
            _IN_ONE.search(" ".join(cell.lines)) is not None and not any(map(_GROUPED.fullmatch, cell.lines))
            for cell in body
        )
        > 1
    )


def _is_one_line(cell: Cell) -> bool:
    return len(set(cell.lines)) == 1


def _begins_with_caption(grid: Grid) -> bool:
    first = [cell for cell in grid.cells if cell.row == 0]
    return len(first) == 1 and bool(_CAPTION.match(first[0].lines[0]))


def _has_several_numbers(grid: Grid, body: list[Cell]) -> bool:
    """Whether a cell holds a row of numbers, or two of which one would be in the empty cell beside it."""
    filled = {(cell.row, cell.column) for cell in grid.cells}
    for cell in body:
        count = max(map(_numbers, cell.lines))
        if count >= _SEVERAL:
            return True
        beside = [c for c in (cell.column - 1, cell.column + cell.columns) if 0 < c < grid.width]
        if count > 1 and any(
            (cell.row, column) not in filled and _is_used(body, column, grid) for column in beside
        ):
            return True
    return False


def _numbers(line: str) -> int:
    """How many numbers a line of nothing else has."""
    words = line.split()
    return 0 if _GROUPED.fullmatch(line) or not all(map(_DECIMAL.fullmatch, words)) else len(words)


def _has_no_head(grid: Grid, body: list[Cell], column: int) -> bool:
    """Whether a column has no title though those beside it have, or little else than one entry."""
    headed = {
        c
        for cell in grid.cells
        if cell.row < grid.header
        for c in range(cell.column, cell.column + cell.columns)
    }
    if column in headed or not headed - {0}:
        return False
    entries = sum(cell.column == column and cell.columns == 1 for cell in body)
    if not entries:
        return False
    return entries == 1 or (_is_used(body, column, grid) and len(headed) >= grid.width - 2)


def _has_titles_in_one(grid: Grid, body: list[Cell]) -> bool:
    """Whether one title stands over several columns of numbers, which have no other."""
    return any(
        cell.row == grid.header - 1
        and cell.columns > 1
        and sum(_is_of_numbers(body, column) for column in range(cell.column, cell.column + cell.columns)) > 1
        for cell in grid.cells
    )


def _is_of_numbers(body: list[Cell], column: int) -> bool:
    cells = [cell for cell in body if cell.column == column and cell.columns == 1]
    return sum(is_number(" ".join(cell.lines)) for cell in cells) > _MOSTLY * max(1, len(cells))


def _is_used(body: list[Cell], column: int, grid: Grid) -> bool:
    cells = sum(cell.column == column and cell.columns == 1 for cell in body)
    return cells > _MOSTLY * (grid.height - grid.header)
