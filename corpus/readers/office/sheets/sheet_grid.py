"""Rows of cells as a sheet shows them, independent of the file format. The text of merged cells is repeated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MAX_COLUMNS = 1_000
"""Maximum number of columns. More are a mistake or an attack; nobody can view so many."""


class Row(NamedTuple):
    """One row's cells from column A on. The other fields are bit masks over columns, with the lowest bit for A."""

    number: int
    """Row number, 1-based; in a text file, the first line."""

    cells: tuple[str, ...]
    numeric: int = 0
    """Cells with numbers. Dates do not count as numbers."""

    across: int = 0
    """Cells that repeat a merged cell to their left."""

    below: int = 0
    """Cells that repeat a merged cell above them."""

    last: int = 0
    """Last line, in a text file."""

    @property
    def own(self) -> list[int]:
        """Columns of cells with their own text."""
        merged = self.across | self.below
        return [column for column, cell in enumerate(self.cells) if cell and not merged >> column & 1]

    @property
    def used(self) -> list[int]:
        """Columns of cells with text."""
        return [column for column, cell in enumerate(self.cells) if cell]

    def within(self, left: int, right: int) -> Row:
        """Return the row with only the columns from `left` up to but not including `right`."""
        mask = (1 << right) - (1 << left)
        cells = ("",) * min(left, len(self.cells)) + self.cells[left:right]
        return self._replace(
            cells=cells, numeric=self.numeric & mask, across=self.across & mask, below=self.below & mask
        )


class Area(NamedTuple):
    """A rectangle of cells. Rows and columns are 1-based and inclusive."""

    top: int
    left: int
    bottom: int
    right: int


class Merges:
    """Repeats merged cells in the rows that they cover. Rows must be passed in order."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self._waiting = sorted(
            (area for area in areas if area.bottom > area.top or area.right > area.left), reverse=True
        )
        self._open: list[tuple[Area, str, bool]] = []

    def carry(self, row: Row) -> Row:
        """Return the row with the text of merged cells."""
        if not self._open and not self.begins_at(row.number):
            return row
        self.begin(row)
        cells, numeric, across, below = list(row.cells), row.numeric, row.across, row.below
        for area, text, is_number in self._open:
            for column in range(area.left - 1, min(area.right, MAX_COLUMNS)):
                if column == area.left - 1 and row.number == area.top:
                    continue
                cells.extend([""] * (column + 1 - len(cells)))
                if cells[column]:
                    continue  # the file has a value here that programs store but do not show
                cells[column] = text
                numeric |= is_number << column
                if row.number > area.top:
                    below |= 1 << column
                else:
                    across |= 1 << column
        return row._replace(cells=tuple(cells), numeric=numeric, across=across, below=below)

    def begins_at(self, number: int) -> bool:
        """Return whether merged cells begin in this row or a skipped one before it."""
        return bool(self._waiting) and self._waiting[-1].top <= number

    def begin(self, row: Row) -> None:
        """Record merged cells that begin in a hidden row, because visible rows below show them."""
        self._open = [merge for merge in self._open if merge[0].bottom >= row.number]
        while self._waiting and self._waiting[-1].top <= row.number:
            area = self._waiting.pop()
            column = area.left - 1
            text = row.cells[column] if area.top == row.number and column < len(row.cells) else ""
            # Of overlapping areas, which no program makes, only the first is used; using all would take quadratic time.
            is_free = all(not other.left <= area.left <= other.right for other, _, _ in self._open)
            if text and is_free and area.bottom >= row.number:
                self._open.append((area, text, bool(row.numeric >> column & 1)))
