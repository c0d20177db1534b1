"""How much of a workbook is read, with warnings about the rest."""

from __future__ import annotations

from corpus.readers.elements.protocol import About
from corpus.readers.office.sheets.grid import MAX_COLUMNS, Row

_MAX_CHARACTERS = 5_000_000
"""As for CSV files."""


class Budget:
    """The limit for all sheets together. An empty cell costs as much as a character, because it takes memory."""

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
        """Whether cells beyond the last column read have content."""
        return self._is_cut

    @is_cut.setter
    def is_cut(self, is_cut: bool) -> None:
        """Whether cells beyond the last column read have content."""
        if is_cut and not self._is_cut:
            self._about.warnings.append(f"Cells beyond the first {MAX_COLUMNS} columns were left out.")
        self._is_cut = is_cut

    def spend(self, row: Row | None) -> None:
        """Charge a row."""
        self._left -= sum(map(len, row.cells)) + len(row.cells) if row else 0

    def is_spent(self, sheet: str) -> bool:
        """Return whether reading stops after this sheet, and warn if so."""
        if self.is_over:
            self._about.warnings.append(
                f"Read up to the sheet {sheet}: more than {_MAX_CHARACTERS // 1_000_000} million characters."
            )
        return self.is_over


def left_out_sheets(hidden: int, about: About) -> None:
    """Warn about hidden sheets."""
    if hidden:
        about.warnings.append(
            f"{'1 hidden sheet was' if hidden == 1 else f'{hidden} hidden sheets were'} left out."
        )
