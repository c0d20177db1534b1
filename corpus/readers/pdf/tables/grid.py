"""The grid of a table's cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from corpus.documents.block import Box
from corpus.readers.pdf.tables.words import Word, rows_of, words_box
from corpus.readers.pdf.text.right_to_left import has_right_to_left, order_of_words

_LEADERS = re.compile(r"(?<!\s)\s*+(?:(?<!\.)(?<!\.\s)(?:\.\s?){3,}+|(?<!…)…++)$|(?<=\w)\s\.\.$")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell at its first row and column. `lines` is its text from top to bottom, `boxes` the place of each line."""

    row: int
    column: int
    lines: tuple[str, ...]
    rows: int = 1
    columns: int = 1
    boxes: tuple[Box, ...] = ()
    entries: int = 1  # Entries side by side in one of its lines; a merged cell has one.


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of `height` rows and `width` columns. `cells` do not overlap and all have text; the first `header`
    rows are the head. `box` is in points."""

    height: int
    width: int
    cells: tuple[Cell, ...]
    header: int
    box: Box
    is_ruled: bool = False  # Whether rules part its cells, so that spans are certain.

    def body(self, column: int) -> list[Cell]:
        """The cells below the head that stand in this column alone."""
        return [cell for cell in self.cells if cell.column == column and cell.columns == 1 and cell.row >= self.header]

    def rows(self) -> list[list[tuple[str, ...]]]:
        """The lines of each place, empty where no cell starts."""
        rows: list[list[tuple[str, ...]]] = [[()] * self.width for _ in range(self.height)]
        for cell in self.cells:
            rows[cell.row][cell.column] = cell.lines
        return rows


def lines_of(words: Iterable[Word]) -> tuple[str, ...]:
    """The text of a cell, line by line."""
    return tuple(" ".join(word.text for word in row) for row in _rows_in_order(words))


def boxes_of(words: Iterable[Word]) -> tuple[Box, ...]:
    """The box of each of these lines."""
    return tuple(words_box(row) for row in _rows_in_order(words))


def _rows_in_order(words: Iterable[Word]) -> list[list[Word]]:
    """The rows of a cell in the order of writing; lines written downwards follow each other from right to left."""
    rows = rows_of(words)
    if any(len(row) > 1 and any(has_right_to_left(word.text) for word in row) for row in rows):
        rows = [[row[place] for place in order_of_words([word.text for word in row])] for row in rows]
    return [row[::-1] if all(word.direction == 90 for word in row) else row for row in rows]


def ends_with_leader(line: str) -> bool:
    """Whether the line ends with a dot leader, where its entry ends."""
    return bool(_LEADERS.search(line))


def without_leaders(grid: Grid) -> Grid:
    """The grid without dot leaders."""
    return replace(grid, cells=tuple(cell for cell in map(_without_leaders, grid.cells) if cell.lines))


def _without_leaders(cell: Cell) -> Cell:
    numbers = [number for number, line in enumerate(cell.lines) if _plain(line)]
    lines = tuple(_plain(cell.lines[number]) for number in numbers)
    return replace(cell, lines=lines, boxes=tuple(cell.boxes[number] for number in numbers if number < len(cell.boxes)))


def _plain(line: str) -> str:
    return _LEADERS.sub("", line).strip()


def without_empty_rows(height: int, width: int, cells: list[Cell], header: int, box: Box) -> Grid | None:
    """A grid without rows in which no cell starts; None if none is left."""
    rows_in_use = sorted({cell.row for cell in cells if cell.row < height})
    if not rows_in_use:
        return None
    place = {row: number for number, row in enumerate(rows_in_use)}
    moved_cells = [
        replace(
            cell,
            row=place[cell.row],
            rows=sum(1 for row in rows_in_use if cell.row <= row < cell.row + cell.rows),
        )
        for cell in cells
    ]
    return Grid(len(rows_in_use), width, tuple(moved_cells), sum(1 for row in rows_in_use if row < header), box)
