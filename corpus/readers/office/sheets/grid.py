"""Rows of cells as a sheet shows them, whatever the format of its file, and merged cells in all the rows they cover."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MAX_COLUMNS = 1_000
"""Columns that are read. More are a mistake or an attack, and none can be seen at once."""


class Row(NamedTuple):
    """The cells of one row from column A on; the other fields have a bit for each column, the lowest for A."""

    number: int
    """Counted from 1; in a text file the first line."""

    cells: tuple[str, ...]
    numeric: int = 0
    """Cells that hold numbers. Dates are none."""

    across: int = 0
    """Cells that repeat one to their left, with which they are merged."""

    below: int = 0
    """Cells that repeat one above them, with which they are merged."""

    last: int = 0
    """In a text file the last line."""

    @property
    def own(self) -> list[int]:
        """Columns of the cells with a text of their own."""
        merged = self.across | self.below
        return [column for column, cell in enumerate(self.cells) if cell and not merged >> column & 1]

    @property
    def used(self) -> list[int]:
        """Columns of the cells with a text."""
        return [column for column, cell in enumerate(self.cells) if cell]

    def within(self, left: int, right: int) -> Row:
        """The row with the cells of these columns alone, the right one excluded."""
        mask = (1 << right) - (1 << left)
        cells = ("",) * min(left, len(self.cells)) + self.cells[left:right]
        return self._replace(
            cells=cells, numeric=self.numeric & mask, across=self.across & mask, below=self.below & mask
        )


class Area(NamedTuple):
    """A rectangle of cells, rows and columns counted from 1, the last included."""

    top: int
    left: int
    bottom: int
    right: int


class Merges:
    """Carries the text of merged cells into the rows that they cover, which must come in order."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self._waiting = sorted(
            (area for area in areas if area.bottom > area.top or area.right > area.left), reverse=True
        )
        self._open: list[tuple[Area, str, bool]] = []

    def carry(self, row: Row) -> Row:
        """The row with what its merged cells show."""
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
                    continue  # the file holds something there that a program keeps and does not show
                cells[column] = text
                numeric |= is_number << column
                if row.number > area.top:
                    below |= 1 << column
                else:
                    across |= 1 << column
        return row._replace(cells=tuple(cells), numeric=numeric, across=across, below=below)

    def begins_at(self, number: int) -> bool:
        """Whether merged cells begin in this row, or in one before it that was not asked for."""
        return bool(self._waiting) and self._waiting[-1].top <= number

    def begin(self, row: Row) -> None:
        """Note the cells of a row that is not shown itself: one below it shows those that are merged with it."""
        self._open = [merge for merge in self._open if merge[0].bottom >= row.number]
        while self._waiting and self._waiting[-1].top <= row.number:
            area = self._waiting.pop()
            column = area.left - 1
            text = row.cells[column] if area.top == row.number and column < len(row.cells) else ""
            # Of areas that overlap, which no program makes, the first counts: all of them would take ages.
            is_free = all(not other.left <= area.left <= other.right for other, _, _ in self._open)
            if text and is_free and area.bottom >= row.number:
                self._open.append((area, text, bool(row.numeric >> column & 1)))
