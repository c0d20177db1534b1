"""Rows of cells as a sheet displays them, in any file format. The text of merged cells is repeated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MAX_COLUMNS = 1_000
"""Maximum number of columns that are read. A sheet with more is a mistake or an attack; nobody can view that many."""


class Row(NamedTuple):
    """The cells of one row, from column A. The other fields are bit masks of columns, whose lowest bit is column A."""

    number: int
    """Row number, 1-based. In a text file it is the number of the row's first line."""

    cells: tuple[str, ...]
    numeric: int = 0
    """Cells that contain numbers. Dates are not numbers."""

    across: int = 0
    """Cells that repeat a merged cell on their left."""

    below: int = 0
    """Cells that repeat a merged cell above them."""

    last: int = 0
    """Last line of the row, in a text file."""

    @property
    def own(self) -> list[int]:
        """Columns whose cells have their own text."""
        merged = self.across | self.below
        return [column for column, cell in enumerate(self.cells) if cell and not merged >> column & 1]

    @property
    def used(self) -> list[int]:
        """Columns whose cells have text, whether their own or repeated."""
        return [column for column, cell in enumerate(self.cells) if cell]

    def within(self, left: int, right: int) -> Row:
        """Return the row with only the columns from `left` to `right` (exclusive)."""
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
    """Repeats the text of merged cells in the rows that they cover. Rows must be passed in order."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self._waiting = sorted(
            (area for area in areas if area.bottom > area.top or area.right > area.left), reverse=True
        )
        self._open: list[tuple[Area, str, bool]] = []

    def carry(self, row: Row) -> Row:
        """Return the row with the text of merged cells filled in."""
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
                    continue  # the cell has a stored value, which programs do not display
                cells[column] = text
                numeric |= is_number << column
                if row.number > area.top:
                    below |= 1 << column
                else:
                    across |= 1 << column
        return row._replace(cells=tuple(cells), numeric=numeric, across=across, below=below)

    def begins_at(self, number: int) -> bool:
        """Return whether merged cells start in this row, or in a skipped row before it."""
        return bool(self._waiting) and self._waiting[-1].top <= number

    def covers(self, number: int) -> bool:
        """Return whether merged cells cover this row, or start in it or in a skipped row before it."""
        return self.begins_at(number) or any(area.bottom >= number for area, _, _ in self._open)

    def begin(self, row: Row) -> None:
        """Record the merged cells that start in a hidden row, because visible rows below it display them."""
        self._open = [merge for merge in self._open if merge[0].bottom >= row.number]
        while self._waiting and self._waiting[-1].top <= row.number:
            area = self._waiting.pop()
            column = area.left - 1
            text = row.cells[column] if area.top == row.number and column < len(row.cells) else ""
            # No program creates overlapping areas. Use only the first of them; using all would take quadratic time.
            is_free = all(not other.left <= area.left <= other.right for other, _, _ in self._open)
            if text and is_free and area.bottom >= row.number:
                self._open.append((area, text, bool(row.numeric >> column & 1)))
