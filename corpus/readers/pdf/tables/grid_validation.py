"""Validation of grids: signs of an incorrect grid, and signs that a grid is clearly a table."""

from __future__ import annotations

import re
from collections import Counter

from corpus.readers.pdf.tables.columns import is_number, is_quantity
from corpus.readers.pdf.tables.grid import Cell, Grid, Word

_CAPTION = re.compile(r"(?:table|tabelle|tab\.|tableau|表)\s?[A-Z]?\d", re.IGNORECASE)
_DECIMAL = re.compile(r"[-−–+±]?[$€£]?\d[\d.,]*\d%?|[-−–+±]?\d%?|[-−–]")
_GROUPED = re.compile(r"[-−–+±]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?")
_IN_ONE = re.compile(r"\d%?(?: (?:mm|cm|m|km|kg|g|kW|W|V|A|Hz|s|h))? [-−+$€£]?\d")
_MIN_SEVERAL = 3  # Minimum number of numbers in a line of a cell that merges columns; two may be a value and its rank.
_MIN_USED = 0.5  # Minimum fraction of the rows that have an entry in a column.


def is_doubtful(grid: Grid) -> bool:
    """Return whether cells seem to contain several columns or rows, or a column seems to lack its title."""
    body = [cell for cell in grid.cells if cell.row >= grid.header]
    return (
        _begins_with_caption(grid)
        or _has_several_numbers(grid, body)
        or any(_has_no_head(grid, column) for column in range(1, grid.width))
        or has_rows_in_one(grid)
        or _has_loose_lines(grid, body)
        or _has_merged_columns(body)
        or _has_merged_titles(grid)
    )


def has_rows_in_one(grid: Grid) -> bool:
    """Return whether one row actually contains several rows: cells side by side have the same number of lines, and one
    of these cells repeats a single line or entries of other rows."""
    whole = {(cell.column, cell.lines[0]) for cell in grid.cells if len(cell.lines) == 1}
    for number in range(grid.header, grid.height):
        cells = [cell for cell in grid.cells if cell.row == number and cell.rows == 1 and len(cell.lines) > 1]
        for cell in cells:
            alike = sum(len(other.lines) == len(cell.lines) for other in cells) > 1
            if alike and (_repeats_one_line(cell) or all((cell.column, line) in whole for line in cell.lines)):
                return True
    return False


def _has_loose_lines(grid: Grid, body: list[Cell]) -> bool:
    """Return whether a row has no label and no quantity while most rows have labels, so that it may belong to another
    row."""
    rows_with_label = {row for cell in body if cell.column == 0 for row in range(cell.row, cell.row + cell.rows)}
    height = grid.height - grid.header
    if len(rows_with_label) <= _MIN_USED * height:
        return False
    loose = set(range(grid.header, grid.height)) - rows_with_label
    return any(
        not any(is_quantity(" ".join(cell.lines)) for cell in body if cell.row == row and cell.columns == 1)
        for row in loose
    )


def _has_merged_columns(body: list[Cell]) -> bool:
    """Return whether several cells contain one quantity after another."""
    return (
        sum(
            _IN_ONE.search(" ".join(cell.lines)) is not None and not any(map(_GROUPED.fullmatch, cell.lines))
            for cell in body
        )
        > 1
    )


def _repeats_one_line(cell: Cell) -> bool:
    return len(set(cell.lines)) == 1


def _begins_with_caption(grid: Grid) -> bool:
    first = [cell for cell in grid.cells if cell.row == 0]
    return len(first) == 1 and bool(_CAPTION.match(first[0].lines[0]))


def _has_several_numbers(grid: Grid, body: list[Cell]) -> bool:
    """Return whether a cell contains a row of numbers, or contains two numbers, one of which may belong to an adjacent
    empty cell."""
    filled_places = {(cell.row, cell.column) for cell in grid.cells}
    for cell in body:
        count = max(map(_numbers, cell.lines))
        if count >= _MIN_SEVERAL:
            return True
        beside = [c for c in (cell.column - 1, cell.column + cell.columns) if 0 < c < grid.width]
        if count > 1 and any(
            (cell.row, column) not in filled_places and _is_mostly_filled(column, grid) for column in beside
        ):
            return True
    return False


def _numbers(line: str) -> int:
    """Return the number of numbers in a line that contains only numbers, otherwise 0."""
    words = line.split()
    return 0 if _GROUPED.fullmatch(line) or not all(map(_DECIMAL.fullmatch, words)) else len(words)


def _has_no_head(grid: Grid, column: int) -> bool:
    """Return whether a column lacks a title and should have one: most other columns have titles, or it has a single
    entry."""
    head_columns = {
        c for cell in grid.cells if cell.row < grid.header for c in range(cell.column, cell.column + cell.columns)
    }
    if column in head_columns or not head_columns - {0}:
        return False
    entries = len(grid.body(column))
    return entries == 1 or (_is_mostly_filled(column, grid) and len(head_columns) >= grid.width - 2)


def _has_merged_titles(grid: Grid) -> bool:
    """Return whether one title is above several columns of numbers without titles of their own."""
    return any(
        cell.row == grid.header - 1
        and cell.columns > 1
        and sum(_is_of_numbers(grid, column) for column in range(cell.column, cell.column + cell.columns)) > 1
        for cell in grid.cells
    )


def _is_of_numbers(grid: Grid, column: int) -> bool:
    cells = grid.body(column)
    return sum(is_number(" ".join(cell.lines)) for cell in cells) > _MIN_USED * max(1, len(cells))


def _is_mostly_filled(column: int, grid: Grid) -> bool:
    return len(grid.body(column)) > _MIN_USED * (grid.height - grid.header)


_MIN_FULL = 0.4  # Minimum fraction of filled cells in a grid with rules or a caption; without them, it is half.
_MAX_CELL = 700  # Maximum length of a cell in characters; a longer cell belongs to a page layout built from a table.
_MIN_PROSE_WORDS = 4  # Minimum number of words in a line of running text; a label or entry seldom has more than three.
_MIN_PROSE_CELLS = 5  # Minimum number of cells in a column for it to be checked for running text.
_MIN_PROSE_SHARE = 0.5  # Minimum fraction of such lines in a column of running text.
_MIN_COLUMN_SHARE = 0.12  # Minimum fraction of the rows with an entry in each column; fewer entries are strays.
_MARK = re.compile(r"[•▪●■◦‣∙·–*\-]|\(?\w{1,3}[.)]|\d{1,3}")
_MIN_DOT_COLUMNS = 4  # Minimum number of columns of dots; leaders with spaces between the dots look like columns.
_DOTS = re.compile(r"[.\s…]+")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…")


def is_ruled_table(grid: Grid) -> bool:
    """Return whether there are at least two rows and columns, text in more than one of each, and no cell that contains
    most of the text."""
    columns, rows = {cell.column for cell in grid.cells}, {cell.row for cell in grid.cells}
    if min(grid.height, grid.width, len(columns), len(rows)) < 2:
        return False
    lengths = [sum(map(len, cell.lines)) for cell in grid.cells]
    return max(lengths) < _MAX_CELL or max(lengths) < 0.4 * sum(lengths)


def says_all(grid: Grid, words: list[Word]) -> bool:
    """Return whether each word of the region is in exactly one cell."""
    grid_words = Counter(part for cell in grid.cells for line in cell.lines for part in line.split())
    return grid_words == Counter(part for word in words for part in word.text.split())


def is_table(grid: Grid, *, expected: bool, ruled: bool = False, has_ruled_columns: bool = False) -> bool:
    """Return whether aligned entries are a table. `expected` is true if the region has rules (`ruled`) or a caption.
    `has_ruled_columns` is true if vertical rules separate all columns, so that a column may be empty."""
    body = grid.rows()[grid.header :]
    single = [cell for cell in grid.cells if cell.columns == 1 and cell.row >= grid.header]
    rows_with_spans = {cell.row for cell in grid.cells if cell.columns > 1 and cell.row >= grid.header}
    if not is_ruled_table(grid) or not body or _has_columns_of_dots(grid) or is_doubtful(grid):
        return False
    if len(rows_with_spans) > 0.34 * len(body) + 0.5:
        return False
    full = len(single) / max(1, (len(body) - len(rows_with_spans)) * grid.width)
    if full < (_MIN_FULL if expected else 0.5):
        return False
    counts = [sum(1 for cell in single if cell.column == column) for column in range(grid.width)]
    if not has_ruled_columns and (
        min(counts) == 0 or min(counts) < _MIN_COLUMN_SHARE * (len(body) - len(rows_with_spans)) - 1
    ):
        return False
    if _are_text_columns(grid, ruled and expected):
        return False
    return expected or is_plainly_a_table(grid)


def _has_columns_of_dots(grid: Grid) -> bool:
    """Return whether dot leaders with spaces between the dots were mistaken for columns."""
    dots = Counter(cell.row for cell in grid.cells if _DOTS.fullmatch(_text(cell.lines)))
    return max(dots.values(), default=0) >= _MIN_DOT_COLUMNS


def _are_text_columns(grid: Grid, ruled: bool) -> bool:
    """Return whether the grid is running text in columns: adjacent lines of several words each."""
    wordy = 0
    for column in range(grid.width):
        cells = grid.body(column)
        several = [cell for cell in cells if len(cell.lines) == 1 and len(cell.lines[0].split()) >= _MIN_PROSE_WORDS]
        wordy += len(cells) >= _MIN_PROSE_CELLS and len(several) > _MIN_PROSE_SHARE * len(cells)
    return wordy >= (grid.width if ruled else 2)


def is_plainly_a_table(grid: Grid) -> bool:
    """Return whether a grid without rules and caption is a table: it has enough rows and numbers, and is not a list, a
    table of contents or text in two columns."""
    body = grid.height - grid.header
    if body < 3:
        return False
    columns = [[_text(cell.lines) for cell in grid.body(column)] for column in range(grid.width)]
    if any(_LEADERS.search(text) for column in columns for text in column):
        return False
    if all(_MARK.fullmatch(text) for text in columns[0]) and grid.width < 4:
        return False
    if any(sum(map(len, column)) > 60 * len(column) for column in columns if column):
        return False
    numeric = sum(1 for column in columns[1:] if column and sum(map(is_number, column)) >= 0.6 * len(column))
    if grid.width == 2:
        return numeric == 1 and body >= 4
    return numeric * 2 >= grid.width - 1


def _text(lines: tuple[str, ...]) -> str:
    return " ".join(lines)
