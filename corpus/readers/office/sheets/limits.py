"""How much of a workbook is read, and what a person is told of the rest."""

from __future__ import annotations

from corpus.readers.elements.protocol import About
from corpus.readers.office.sheets.grid import MAX_COLUMNS, Row

_MAX_CHARACTERS = 5_000_000


class Budget:
    """Of all sheets together. An empty cell costs as much as a character, for it takes memory, too."""

    def __init__(self, about: About) -> None:
        self._about = about
        self._left = _MAX_CHARACTERS
        self._is_cut = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more is read."""
        return self._left <= 0

    @property
    def is_cut(self) -> bool:
        """Whether cells beyond the last column that is read hold something."""
        return self._is_cut

    @is_cut.setter
    def is_cut(self, is_cut: bool) -> None:
        if is_cut and not self._is_cut:
            self._about.warnings.append(f"Cells beyond the first {MAX_COLUMNS} columns were left out.")
        self._is_cut = is_cut

    def spend(self, row: Row | None) -> None:
        """Take a row off what may be read."""
        self._left -= sum(map(len, row.cells)) + len(row.cells) if row else 0

    def is_spent(self, sheet: str) -> bool:
        """Whether the workbook is read no further than this sheet, of which a person is told."""
        if self.is_over:
            self._about.warnings.append(
                f"Read up to the sheet {sheet}: more than {_MAX_CHARACTERS // 1_000_000} million characters."
            )
        return self.is_over


def left_out_sheets(hidden: int, about: About) -> None:
    """Tell of sheets that are hidden."""
    if hidden:
        about.warnings.append(
            f"{'1 hidden sheet was' if hidden == 1 else f'{hidden} hidden sheets were'} left out."
        )
