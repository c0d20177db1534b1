"""Whether a grid may be shown as one: a wrong grid says something false, lines of text never do."""

from __future__ import annotations

import re
from collections import Counter

from corpus.readers.pdf.tables.bands import is_number
from corpus.readers.pdf.tables.doubt import is_doubtful
from corpus.readers.pdf.tables.grid import Grid
from corpus.readers.pdf.tables.words import Word

_FULL = 0.4
_PAGEFUL = 700
_WORDS = 4
_FEW = 5
_MOSTLY = 0.5
_SELDOM = 0.12
_MARK = re.compile(r"[•▪●■◦‣∙·–*\-]|\(?\w{1,3}[.)]|\d{1,3}")
_SOME_DOTS = 4
_DOTS = re.compile(r"[.\s…]+")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…")


def is_ruled_table(grid: Grid) -> bool:
    """Two rows and two columns at least, text in more than one of each, and no cell that is a page of its own."""
    if min(grid.height, grid.width, _columns(grid), _rows(grid)) < 2:
        return False
    letters = [sum(map(len, cell.lines)) for cell in grid.cells]
    return max(letters) < _PAGEFUL or max(letters) < 0.4 * sum(letters)


def says_all(grid: Grid, words: list[Word]) -> bool:
    """Whether each word of the region stands in a cell, and none in two."""
    said = Counter(part for cell in grid.cells for line in cell.lines for part in line.split())
    return said == Counter(part for word in words for part in word.text.split())


def is_table(grid: Grid, *, expected: bool, ruled: bool = False, parted: bool = False) -> bool:
    """Whether entries that stand in columns are a table. `expected`: it has rules (`ruled`) or a caption.

    `parted`: upright rules part all columns, so that one may be empty.
    """
    body = grid.rows()[grid.header :]
    single = [cell for cell in grid.cells if cell.columns == 1 and cell.row >= grid.header]
    spanning = {cell.row for cell in grid.cells if cell.columns > 1 and cell.row >= grid.header}
    if not is_ruled_table(grid) or not body or _has_columns_of_dots(grid) or is_doubtful(grid):
        return False
    if len(spanning) > 0.34 * len(body) + 0.5:
        return False
    full = len(single) / max(1, (len(body) - len(spanning)) * grid.width)
    if full < (_FULL if expected else 0.5):
        return False
    counts = [sum(1 for cell in single if cell.column == column) for column in range(grid.width)]
    if not parted and (min(counts) == 0 or min(counts) < _SELDOM * (len(body) - len(spanning)) - 1):
        return False
    if _are_text_columns(grid, ruled and expected):
        return False
    return expected or is_plainly_one(grid)


def _has_columns_of_dots(grid: Grid) -> bool:
    """Whether dots that lead to a page number, set with spaces between them, were taken for columns."""
    dots = Counter(cell.row for cell in grid.cells if _DOTS.fullmatch(_text(cell.lines)))
    return max(dots.values(), default=0) >= _SOME_DOTS


def _are_text_columns(grid: Grid, ruled: bool) -> bool:
    """Whether it is running text set in columns: line beside line of several words each."""
    wordy = 0
    for column in range(grid.width):
        cells = [
            cell
            for cell in grid.cells
            if cell.column == column and cell.columns == 1 and cell.row >= grid.header
        ]
        several = [cell for cell in cells if len(cell.lines) == 1 and len(cell.lines[0].split()) >= _WORDS]
        wordy += len(cells) >= _FEW and len(several) > _MOSTLY * len(cells)
    return wordy >= (grid.width if ruled else 2)


def is_plainly_one(grid: Grid) -> bool:
    """Without rules and caption: enough rows, no list or contents, no text in two columns, and numbers."""
    body = grid.height - grid.header
    if body < 3:
        return False
    columns = [
        [
            _text(cell.lines)
            for cell in grid.cells
            if cell.column == column and cell.columns == 1 and cell.row >= grid.header
        ]
        for column in range(grid.width)
    ]
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


def _columns(grid: Grid) -> int:
    return len({cell.column for cell in grid.cells})


def _rows(grid: Grid) -> int:
    return len({cell.row for cell in grid.cells})


def _text(lines: tuple[str, ...]) -> str:
    return " ".join(lines)


def fullness(grid: Grid) -> float:
    """The share of the places that are filled, 0 to 1."""
    return sum(cell.rows * cell.columns for cell in grid.cells) / (grid.height * grid.width)
