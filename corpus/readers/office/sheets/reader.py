"""An XLSX read: each sheet's tables with their ranges of cells, its charts and its pictures."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from openpyxl import load_workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.utils.exceptions import InvalidFileException

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN, entry, opened_archive
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Figure, Heading
from corpus.readers.markup import DAMAGED, iso_utc
from corpus.readers.office.charts import chart_table
from corpus.readers.office.number_format import format_value
from corpus.readers.office.package import related
from corpus.readers.office.sheets.formulas import without_value
from corpus.readers.office.sheets.regions import Row, regions
from corpus.readers.office.sheets.unseen import Unseen
from corpus.readers.steps import Step

_DAMAGED = (
    *BROKEN,
    *DAMAGED,
    InvalidFileException,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    SyntaxError,
)
_MOST_CHARACTERS = 5_000_000
_WIDEST = 1_000
_LAST_ROW = 1_048_576
"""What a sheet can have; a row beyond it would take ages of empty ones."""

_AT_ONCE = 200


def read_xlsx(path: Path) -> Iterator[Step]:
    """Blocks whose heading is the range of their cells; UnreadableDocument when it is damaged, locked or no XLSX."""
    with opened_archive(path, "XLSX") as archive:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what a later save would lose
                book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
            # Dates stay the numbers that the file holds: the library takes some formats for dates that are none.
            book._date_formats, book._timedelta_formats = set(), set()
        except _DAMAGED as error:
            raise UnreadableDocument("damaged: it cannot be read as an XLSX") from error
        try:
            about = _about(book, archive)
            yield from steps_of(Sheets(book, archive, about).elements(), about)
        finally:
            book.close()


def _about(book: Any, archive: ZipFile) -> About:
    """The name of a sheet is no title; the library makes up properties where the file has none."""
    about, core = About(titled_by_heading=False), book.properties
    if entry(archive, "docProps/core.xml"):
        about.title, about.author = core.title or None, core.creator or None
        about.document_date = iso_utc(core.created)
    return about


class Sheets:
    """All sheets that are shown, until together they are too much."""

    def __init__(self, book: Any, archive: ZipFile, about: About) -> None:
        self._book, self._archive, self._about = book, archive, about
        self._left = _MOST_CHARACTERS
        self._is_cut = False
        self._unknown = 0
        self._date1904 = book.epoch == CALENDAR_MAC_1904

    def elements(self) -> Elements:
        """Sheet by sheet, each under its name."""
        hidden = 0
        for sheet in self._book.worksheets:
            if sheet.sheet_state != "visible":
                hidden += 1
                continue
            yield Heading(sheet.title)
            yield from regions(sheet.title, self._rows(sheet))
            yield from self._drawn(sheet)
            if self._left <= 0:
                self._about.warnings.append(
                    f"Read up to the sheet {sheet.title}: more than {_MOST_CHARACTERS // 1_000_000} million letters."
                )
                break
        if self._is_cut:
            self._about.warnings.append(f"Cells beyond the first {_WIDEST} columns were left out.")
        if self._unknown:
            formulas = "1 formula has" if self._unknown == 1 else f"{self._unknown} formulas have"
            self._about.warnings.append(
                f"{formulas} no stored value and cannot be found. Open and save the file in a spreadsheet program, and "
                "ingest it again."
            )
        if hidden:
            said = "1 hidden sheet was" if hidden == 1 else f"{hidden} hidden sheets were"
            self._about.warnings.append(f"{said} left out.")

    def _rows(self, sheet: Any) -> Iterator[Row | None]:
        sheet.reset_dimensions()  # what a file says of its own size may be wrong
        source = entry(self._archive, sheet._worksheet_path.lstrip("/"))
        unseen, self._unknown = Unseen(source), self._unknown + without_value(source)
        rows = enumerate(islice(sheet.iter_rows(), _LAST_ROW), 1)
        while self._left > 0:
            some, is_damaged = self._some(rows, unseen)
            self._left -= sum(len(cell) for row in some for cell in row or ())
            yield from some
            if is_damaged:
                self._about.warnings.append(f"The sheet {sheet.title} is damaged and was read in part.")
            if is_damaged or not some:
                break
        self._about.unseen += unseen.places

    def _some(self, rows: Iterator[tuple[int, Any]], unseen: Unseen) -> tuple[list[Row | None], bool]:
        """The next rows, and whether damage ended them."""
        some: list[Row | None] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for number, row in islice(rows, _AT_ONCE):
                    some.append(None if unseen.hides_row(number, row) else self._row(row[:_WIDEST], unseen))
                    self._is_cut |= any(cell.value is not None for cell in row[_WIDEST:])
        except _DAMAGED:
            return some, True
        return some, False

    def _row(self, row: tuple[Any, ...], unseen: Unseen) -> Row:
        cells = [
            "" if cell.value is None or unseen.hides(column, cell) else self._text(cell)
            for column, cell in enumerate(row, 1)
        ]
        while cells and not cells[-1]:
            cells.pop()
        return tuple(cells)

    def _text(self, cell: Any) -> str:
        return format_value(cell.value, cell.number_format, date1904=self._date1904)

    def _drawn(self, sheet: Any) -> Elements:
        for drawing in related(self._archive, sheet._worksheet_path.lstrip("/"), "drawing"):
            for chart in related(self._archive, drawing, "chart"):
                data = entry(self._archive, chart)
                try:
                    table = chart_table(data) if data else None
                except UnreadableDocument:
                    continue
                if table:
                    yield table
            for image in related(self._archive, drawing, "image"):
                if data := entry(self._archive, image):
                    yield Figure(data=data, title=sheet.title)
