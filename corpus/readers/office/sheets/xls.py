"""Workbooks of Excel 97 to 2003 (XLS)."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import olefile
import xlrd
from xlrd.biffh import error_text_from_code
from xlrd.compdoc import CompDocError

from corpus.errors import UnreadableDocument
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading
from corpus.readers.markup import iso_utc
from corpus.readers.office.number_format import format_value, is_date_code
from corpus.readers.office.sheets.cell_text import Run, text_of_runs
from corpus.readers.office.sheets.sheet import Budget, Comment, sheet_elements, warn_hidden_sheets
from corpus.readers.office.sheets.sheet_grid import MAX_COLUMNS, Area, Merges, Row
from corpus.readers.pinned_file import file_start
from corpus.readers.protocol import Step
from corpus.readers.typography import Position

_DAMAGED = (
    xlrd.XLRDError, CompDocError, AssertionError, AttributeError, EOFError, LookupError, NameError, OSError,
    OverflowError, TypeError, ValueError, struct.error,
)  # fmt: skip
"""Exceptions that xlrd raises for a damaged file; not all of them are its own."""

_BY_SYSTEM = {14: "mm-dd-yy", 22: "m/d/yy h:mm"}
"""Formats that depend on each computer's settings, keyed by the names that `format_value` accepts."""
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}<(?:!doctype html|html|head|meta|table|style|div)\b", re.IGNORECASE)
_DRAWN = {
    0x02: "drawing", 0x03: "drawing", 0x05: "chart", 0x06: "text box", 0x08: "picture", 0x1E: "drawing",
}  # fmt: skip
"""Names of object kinds for the user. Comments are read separately, and controls of filters and forms are not
content."""
_WHITE = (255, 255, 255)
_SOLID = 1
_NOTHING = (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK)
_POSITIONS: dict[int, Position] = {1: "raised", 2: "lowered"}


def read_xls(path: Path) -> Iterator[Step]:
    """Yield blocks, each under its cell range. Raises UnreadableDocument if the file is damaged, encrypted or not in
    XLS format.

    Web programs use this suffix for HTML tables, and users use it for newer workbooks; Excel opens both.
    """
    start = file_start(path)
    if start.startswith(b"PK\x03\x04"):
        from corpus.readers.office.sheets.xlsx import read_xlsx

        yield from read_xlsx(path)
    elif _PAGE.match(start):
        from corpus.readers.web.html import read_html

        yield from read_html(path)
    else:
        yield from _read(path)


def _read(path: Path) -> Iterator[Step]:
    objects: list[int] = []
    with _record_objects(objects):
        try:
            book = xlrd.open_workbook(
                str(path), logfile=io.StringIO(), formatting_info=True, on_demand=True, ragged_rows=True
            )
        except _DAMAGED as error:
            is_locked = "encrypted" in str(error)
            reason = "encrypted, needs a password" if is_locked else "damaged: it cannot be read as an XLS"
            raise UnreadableDocument(reason) from error
        try:
            about = _about(path)
            yield from steps_of(_Workbook(book, objects, about).elements(), about)
        finally:
            book.release_resources()


@contextmanager
def _record_objects(kinds: list[int]) -> Iterator[None]:
    """Record the kind of each drawn object while sheets are read. xlrd itself drops all objects except comments."""
    handle = xlrd.sheet.Sheet.handle_obj

    def record(sheet: Any, data: bytes) -> Any:
        drawn = handle(sheet, data)
        if drawn is not None:
            kinds.append(drawn.type)
        return drawn

    xlrd.sheet.Sheet.handle_obj = record
    try:
        yield
    finally:
        xlrd.sheet.Sheet.handle_obj = handle


def _about(path: Path) -> About:
    about = About(titled_by_heading=False)
    try:
        with olefile.OleFileIO(str(path)) as container:
            properties = container.get_metadata()
    except (OSError, ValueError, TypeError, IndexError, struct.error):
        return about
    encoding = f"cp{properties.codepage}" if properties.codepage and properties.codepage > 0 else "utf-8"
    about.title, about.author = _line(properties.title, encoding), _line(properties.author, encoding)
    about.document_date = iso_utc(properties.create_time) if properties.create_time else None
    return about


def _line(value: bytes | None, encoding: str) -> str | None:
    try:
        return (value or b"").decode(encoding, "replace").strip("\0 ") or None
    except LookupError:
        return None


class _Workbook:
    """Reads the visible sheets of a workbook."""

    def __init__(self, book: Any, objects: list[int], about: About) -> None:
        self._book, self._objects, self._about = book, objects, about
        self._budget = Budget(about)

    def elements(self) -> Elements:
        """Yield the elements of each sheet in order, under the sheet's name."""
        hidden = 0
        for number, name in enumerate(self._book.sheet_names()):
            self._objects.clear()
            try:
                sheet = self._book.sheet_by_index(number)
            except _DAMAGED:
                self._about.warnings.append(f"The sheet {name} is damaged and was not read.")
                continue
            if sheet.visibility:
                hidden += 1
                continue
            self._about.left_out.update(_DRAWN[kind] for kind in self._objects if kind in _DRAWN)
            yield Heading(name)
            yield from sheet_elements(name, self._rows(sheet), self._comments(sheet))
            self._book.unload_sheet(number)
            if self._budget.is_spent(name):
                break
        warn_hidden_sheets(hidden, self._about)

    def _rows(self, sheet: Any) -> Iterator[Row | None]:
        merges = Merges(Area(top + 1, left + 1, bottom, right) for top, bottom, left, right in sheet.merged_cells)
        unseen: set[tuple[str, int]] = set()
        for number in range(sheet.nrows):
            row = self._row(sheet, number, unseen)
            if _is_row_hidden(sheet, number):
                if row.cells:
                    unseen.add(("row", number))
                merges.begin(row)
                yield None
                continue
            if not row.cells and any(kind not in _NOTHING for kind in sheet.row_types(number)):
                yield None  # a row without visible cells does not separate tables
                continue
            row = merges.carry(row)
            self._budget.spend(row)
            yield row
            if self._budget.is_over:
                break
        self._about.unseen += len(unseen)

    def _row(self, sheet: Any, number: int, unseen: set[tuple[str, int]]) -> Row:
        texts, numeric = list[str](), 0
        for column in range(min(sheet.row_len(number), MAX_COLUMNS)):
            cell = sheet.cell(number, column)
            text, is_number = self._text(cell)
            if text and not self._is_on_its_colour(cell):
                text = self._visible_text(text, cell, sheet.rich_text_runlist_map.get((number, column), ()))
            if cell.ctype in _NOTHING:
                pass
            elif _is_column_hidden(sheet, column):
                unseen.add(("column", column))
                text = ""
            elif self._is_hidden(cell):
                unseen.add((f"cell {number}", column))
                text = ""
            texts.append(text)
            numeric |= (is_number and bool(text)) << column
        while texts and not texts[-1]:
            texts.pop()
        return Row(number + 1, tuple(texts), numeric)

    def _text(self, cell: Any) -> tuple[str, bool]:
        match cell.ctype:
            case xlrd.XL_CELL_ERROR:
                return error_text_from_code.get(cell.value, "#ERROR"), False
            case xlrd.XL_CELL_BOOLEAN:
                return format_value(bool(cell.value), None), False
            case xlrd.XL_CELL_TEXT | xlrd.XL_CELL_NUMBER | xlrd.XL_CELL_DATE:
                code = self._code(cell)
                is_number = cell.ctype != xlrd.XL_CELL_TEXT and not is_date_code(code)
                return format_value(cell.value, code, date1904=bool(self._book.datemode)), is_number
        return "", False

    def _is_hidden(self, cell: Any) -> bool:
        """Return whether the colour or format of a cell hides its content."""
        return self._is_on_its_colour(cell) or (bool(str(cell.value or "").strip()) and not self._text(cell)[0])

    def _visible_text(self, text: str, cell: Any, changes: Sequence[tuple[int, int]]) -> str:
        """Return the text without struck-out and invisible parts. Superscripts and subscripts are marked as such.

        `changes` contains each position at which another font begins, and that font.
        """
        try:
            first = self._book.xf_list[cell.xf_index].font_index
        except (LookupError, TypeError):
            return text
        starts = [(0, first), *changes] if cell.ctype == xlrd.XL_CELL_TEXT else [(0, first)]
        whole = cell.value if len(starts) > 1 else text
        ends = [*(start for start, _ in starts[1:]), len(whole)]
        runs = [
            self._run(whole[start:end], font) for (start, font), end in zip(starts, ends, strict=True) if end > start
        ]
        return text_of_runs(runs, self._ground(cell), self._about).strip()

    def _run(self, text: str, number: int) -> Run:
        fonts = self._book.font_list
        if number >= len(fonts):
            return Run(text)
        font = fonts[number]
        colour = self._book.colour_map.get(font.colour_index)
        return Run(
            text,
            _POSITIONS.get(font.escapement),
            bool(font.struck_out),
            "".join(f"{part:02X}" for part in colour) if colour else None,
        )

    def _ground(self, cell: Any) -> str | None:
        """Return the background colour of a cell: white without a fill, None if unknown."""
        try:
            ground = self._book.xf_list[cell.xf_index].background
        except (LookupError, TypeError):
            return None
        if ground.fill_pattern not in (0, _SOLID):
            return None
        colour = self._book.colour_map.get(ground.pattern_colour_index) if ground.fill_pattern else _WHITE
        return "".join(f"{part:02X}" for part in colour) if colour else None

    def _code(self, cell: Any) -> str:
        """Return the number format of a cell; General if the file lacks it."""
        try:
            key = self._book.xf_list[cell.xf_index].format_key
            return _BY_SYSTEM.get(key) or str(self._book.format_map[key].format_str)
        except (LookupError, TypeError):
            return "General"

    def _is_on_its_colour(self, cell: Any) -> bool:
        """Return whether the text has the colour of its background."""
        try:
            letters = self._run("", self._book.xf_list[cell.xf_index].font_index).colour
        except (LookupError, TypeError):
            return False
        return letters is not None and letters == self._ground(cell)

    def _comments(self, sheet: Any) -> list[Comment]:
        comments = []
        for (row, column), note in sheet.cell_note_map.items():
            if _is_row_hidden(sheet, row) or _is_column_hidden(sheet, column):
                self._about.unseen += 1
            else:
                comments.append(Comment(row + 1, column + 1, ((note.author.strip(), note.text),)))
        return comments


def _is_row_hidden(sheet: Any, row: int) -> bool:
    form = sheet.rowinfo_map.get(row)
    return bool(form and (form.hidden or form.height == 0))


def _is_column_hidden(sheet: Any, column: int) -> bool:
    form = sheet.colinfo_map.get(column)
    return bool(form and (form.hidden or form.width == 0))
