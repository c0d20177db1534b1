"""Convert a sheet of any file format to elements: its tables, each followed by the comments on its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from openpyxl.utils import get_column_letter

from corpus.readers.elements.element import About, Elements, Paragraph, Table
from corpus.readers.office.sheets.regions import Region, regions
from corpus.readers.office.sheets.sheet_grid import MAX_COLUMNS, Row

_MAX_CHARACTERS = 5_000_000
"""Maximum number of characters in a workbook, the same as for CSV files."""


class Budget:
    """The limit for all sheets of a workbook together. An empty cell counts as one character, because it also takes
    memory."""

    def __init__(self, about: About) -> None:
        self._about = about
        self._left = _MAX_CHARACTERS
        self._is_cut = False

    @property
    def is_over(self) -> bool:
        """Whether reading must stop."""
        return self._left <= 0

    @property
    def is_cut(self) -> bool:
        """Whether there are cells with content beyond the last column that is read."""
        return self._is_cut

    @is_cut.setter
    def is_cut(self, is_cut: bool) -> None:
        """Record whether there are cells with content beyond the last column that is read."""
        if is_cut and not self._is_cut:
            self._about.warnings.append(f"Cells beyond the first {MAX_COLUMNS} columns were left out.")
        self._is_cut = is_cut

    def spend(self, row: Row | None) -> None:
        """Count a row towards the limit."""
        self._left -= sum(map(len, row.cells)) + len(row.cells) if row else 0

    def is_spent(self, sheet: str) -> bool:
        """Return whether reading stops after this sheet, and add a warning if it does."""
        if self.is_over:
            self._about.warnings.append(
                f"Read up to the sheet {sheet}: more than {_MAX_CHARACTERS // 1_000_000} million characters."
            )
        return self.is_over


def warn_hidden_sheets(hidden: int, about: About) -> None:
    """Add a warning about hidden sheets."""
    if hidden:
        about.warnings.append(f"{'1 hidden sheet was' if hidden == 1 else f'{hidden} hidden sheets were'} left out.")


class Comment(NamedTuple):
    """A note or thread on a cell. Row and column are 1-based. Each of the `texts` has one author."""

    row: int
    column: int
    texts: tuple[tuple[str, str], ...]
    """Author, which may be empty, and text."""

    @property
    def paragraphs(self) -> Iterator[Paragraph]:
        """Yield one paragraph for each of the texts."""
        cell = f"{get_column_letter(self.column)}{self.row}"
        for author, text in self.texts:
            if words := text.strip().removeprefix(f"{author}:" if author else "").strip():
                yield Paragraph(f"Comment on {cell}{f' ({author})' if author else ''}: {words}")


def sheet_elements(name: str, rows: Iterable[Row | None], comments: Iterable[Comment]) -> Elements:
    """Yield the tables of a sheet with their cell ranges, each followed by the comments on it."""
    waiting = sorted(comments)
    for region in regions(rows):
        table, (top, left, bottom, right) = _table(name, region)
        yield table
        on_table = [note for note in waiting if top <= note.row <= bottom and left <= note.column <= right + 1]
        for comment in on_table:
            waiting.remove(comment)
            yield from comment.paragraphs
    for comment in waiting:
        yield from comment.paragraphs


def _table(name: str, region: Region) -> tuple[Table, tuple[int, int, int, int]]:
    rows = region.rows
    used = [column for row in rows for column in row.used]
    left, right = min(used), max(used)
    numbers = [row.number for row in rows[region.repeated :]]

    def where(first: int, last: int) -> str:
        top, bottom = (numbers[max(0, place - region.repeated)] for place in (first, last))
        return f"{_quote(name)}!{get_column_letter(left + 1)}{top}:{get_column_letter(right + 1)}{bottom}"

    table = Table(rows=region.cells, header=region.header, caption=region.caption, where=where)
    return table, (numbers[0], left + 1, numbers[-1], right + 1)


def _quote(sheet: str) -> str:
    return sheet if sheet.isalnum() else "'" + sheet.replace("'", "''") + "'"
