"""Excel workbooks (XLSX). This module also repairs namespaces and styles of workbooks that openpyxl rejects although
other programs open them."""

from __future__ import annotations

import io
import re
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

import olefile
from lxml import etree
from openpyxl import load_workbook
from openpyxl.styles import Border, Font
from openpyxl.styles.cell_style import CellStyle
from openpyxl.styles.fills import Fill
from openpyxl.utils.cell import range_boundaries
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.xml.functions import fromstring

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN, open_archive, read_entry
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Heading, Paragraph
from corpus.readers.markup import DAMAGED, Node, attribute, iso_utc, name_of, parse_xml
from corpus.readers.office.number_format import format_value, is_date_code
from corpus.readers.office.package import related_parts
from corpus.readers.office.sheets.cell_text import (
    POSITIONS,
    HiddenText,
    RichText,
    Run,
    inline_texts,
    rich_texts,
    text_of_runs,
)
from corpus.readers.office.sheets.drawings import comments_of, drawing_elements, page_heads, people_of
from corpus.readers.office.sheets.sheet import Budget, Comment, sheet_elements, warn_hidden_sheets
from corpus.readers.office.sheets.sheet_grid import MAX_COLUMNS, Area, Merges, Row
from corpus.readers.protocol import Step

_STRICT = b"http://purl.oclc.org/ooxml/"
_SCHEMAS = b"http://schemas.openxmlformats.org/"
_USUAL = {
    _STRICT + b"spreadsheetml/main": _SCHEMAS + b"spreadsheetml/2006/main",
    _STRICT + b"officeDocument/": _SCHEMAS + b"officeDocument/2006/",
    _STRICT + b"drawingml/": _SCHEMAS + b"drawingml/2006/",
}
_KINDS = {"fonts": Font, "fills": Fill, "borders": Border, "cellXfs": CellStyle, "cellStyleXfs": CellStyle}
_UNUSED = {"dxfs", "cellStyles", "tableStyles", "colors", "extLst"}
"""Elements of the styles part that do not affect how a cell is displayed."""

_KEPT_ATTRIBUTES = {"color", "strike", "vertAlign", "numFmtId", "fontId", "fillId"}
"""Attributes that determine the text and visibility of a cell. Only these are preserved in an invalid style."""

_PROPERTIES = "docProps/core.xml"
_KEPT_PARTS = {"workbookPr", "sheets"}


def with_usual_names(archive: ZipFile) -> IO[bytes]:
    """Return a copy of a "Strict Open XML" workbook with transitional namespaces, which are the only ones that openpyxl
    supports."""

    def rename(_: str, data: bytes) -> bytes:
        for strict, usual in _USUAL.items():
            data = data.replace(strict, usual)
        return data

    return _copy(archive, rename)


def is_strict(archive: ZipFile) -> bool:
    """Return whether the workbook was saved as "Strict Open XML"."""
    return _STRICT in (read_entry(archive, "xl/workbook.xml") or b"")


def with_plain_styles(archive: ZipFile) -> IO[bytes]:
    """Return a copy whose invalid styles have only the properties that determine the text and visibility of a cell."""

    def mend(name: str, data: bytes) -> bytes:
        if name not in ("xl/styles.xml", "xl/workbook.xml", _PROPERTIES):
            return data
        try:
            root = parse_xml(data)
        except UnreadableDocument:
            return data
        if name == "xl/styles.xml":
            _mend_styles(root)
        elif name == _PROPERTIES:
            for part in [each for each in root if not is_date(each)]:
                root.remove(part)
        else:
            for part in [each for each in root if name_of(each) not in _KEPT_PARTS]:
                root.remove(part)
        return bytes(etree.tostring(root))

    return _copy(archive, mend)


def _copy(archive: ZipFile, change: Callable[[str, bytes], bytes]) -> IO[bytes]:
    copy = io.BytesIO()
    with ZipFile(copy, "w", ZIP_DEFLATED) as packed:
        for name in archive.namelist():
            data = read_entry(archive, name) or b""
            packed.writestr(name, change(name, data) if name.endswith((".xml", ".rels")) else data)
    return copy


def _mend_styles(root: Node) -> None:
    for part in list(root):
        if name_of(part) in _UNUSED:
            root.remove(part)
        elif kind := _KINDS.get(name_of(part)):
            for style in part:
                if not _is_known(kind, style):
                    _keep_telling(style)
                    if not _is_known(kind, style):
                        _empty(style)


def is_date(part: Node) -> bool:
    """Return whether a property is a valid date, or is not a date property. openpyxl rejects invalid dates."""
    if name_of(part) not in ("created", "modified", "lastPrinted"):
        return True
    try:
        return datetime.fromisoformat((part.text or "").strip()) is not None
    except ValueError:
        return False


def _is_known(kind: Any, style: Node) -> bool:
    try:
        return kind.from_tree(fromstring(etree.tostring(style))) is not None
    except (TypeError, ValueError, AttributeError, KeyError, IndexError):
        return False


def _keep_telling(style: Node) -> None:
    for child in [each for each in style if name_of(each) not in _KEPT_ATTRIBUTES]:
        style.remove(child)
    for key in [each for each in style.attrib if each not in _KEPT_ATTRIBUTES]:
        del style.attrib[key]
    if name_of(style) == "fill":
        etree.SubElement(style, str(style.tag).replace("}fill", "}patternFill"))


def _empty(style: Node) -> None:
    for child in list(style):
        style.remove(child)
    style.attrib.clear()


_DAMAGED = (
    *BROKEN, *DAMAGED, InvalidFileException, ValueError, TypeError, AttributeError, IndexError, OverflowError,
    SyntaxError,
)  # fmt: skip
_LAST_ROW = 1_048_576
"""Maximum row number, which is Excel's limit. A higher one in a file would produce millions of empty rows."""
_MAX_GAP = 2
"""Maximum number of consecutive absent rows that are processed. `regions` does not distinguish longer gaps, and a cell
in the last row of a sheet is preceded by a million absent rows."""
_AT_ONCE = 200
"""Number of rows read between two checks of the budget."""
_MERGE = re.compile(rb"<(?:\w{1,20}:)?mergeCell\s[^>]{0,100}?ref=[\"']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})[\"']")
_MAX_MERGES = 100_000
"""Maximum number of merged areas in a sheet."""
_CELL_END = re.compile(rb"</(?:\w{1,20}:)?c>")
_FORMULA = re.compile(rb"<(?:\w{1,20}:)?f[\s/>]")
_VALUE = re.compile(rb"<(?:\w{1,20}:)?v(?:\s[^>]{0,200})?>[^<]")
_HINT = re.compile(rb"<(?:\w{1,20}:)?dataValidation\s[^>]{0,2000}?\sprompt=")


def read_xlsx(path: Path) -> Iterator[Step]:
    """Yield blocks, each under its cell range. Raises UnreadableDocument if the file is damaged, encrypted or not in
    XLSX format."""
    if is_old_workbook(path):
        from corpus.readers.office.sheets.xls import read_xls

        yield from read_xls(path)
        return
    with open_archive(path, "XLSX") as archive:
        if is_strict(archive):
            with ZipFile(with_usual_names(archive)) as copy:
                yield from _read(copy)
        else:
            yield from _read(archive)


def _read(archive: ZipFile) -> Iterator[Step]:
    try:
        book = _load(archive.fp)
    except _DAMAGED:
        try:
            book = _load(with_plain_styles(archive))
        except _DAMAGED as error:
            raise UnreadableDocument("damaged: it cannot be read as an XLSX") from error
    # Leave dates as the stored numbers, because the library mistakes some other formats for dates.
    book._date_formats, book._timedelta_formats = set(), set()
    try:
        about = _about(book, archive)
        yield from steps_of(_Workbook(book, archive, about).elements(), about)
    finally:
        book.close()


def _load(file: IO[bytes] | None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns about data that it would lose when saving
        return load_workbook(file, read_only=True, data_only=True, keep_links=False)


def is_old_workbook(path: Path) -> bool:
    """Return whether the file is an Excel 97 workbook with a newer suffix. An encrypted new workbook has the same
    container format."""
    try:
        if not olefile.isOleFile(str(path)):
            return False
        with olefile.OleFileIO(str(path)) as container:
            return bool(container.exists("Workbook") or container.exists("Book"))
    except (OSError, ValueError, TypeError, IndexError, struct.error):
        return False


def _about(book: Any, archive: ZipFile) -> About:
    """Return the metadata. The name of a sheet is not a title, and the library invents missing properties."""
    about, core = About(titled_by_heading=False), book.properties
    if data := read_entry(archive, "docProps/core.xml"):
        about.title, about.author = core.title or None, core.creator or None
        if any(is_date(each) for each in parse_xml(data).iter("{*}created")):
            about.document_date = iso_utc(core.created)
    return about


class _Workbook:
    """Reads the visible sheets of a workbook until the budget is spent."""

    def __init__(self, book: Any, archive: ZipFile, about: About) -> None:
        self._book, self._archive, self._about = book, archive, about
        self._budget = Budget(about)
        self._date1904 = book.epoch == CALENDAR_MAC_1904
        self._people = people_of(archive)
        self._heads: dict[str, None] = {}
        self._inline: dict[str, RichText] = {}
        # All sheets share one list of texts.
        texts: list[str] = next((sheet._shared_strings for sheet in book.worksheets), [])
        for place, text in rich_texts(archive):
            if place < len(texts):
                texts[place] = text

    def elements(self) -> Elements:
        """Yield the elements of each sheet in order, under the sheet's name."""
        hidden = unknown = 0
        for sheet in self._book.worksheets:
            if sheet.sheet_state != "visible":
                hidden += 1
                continue
            part = sheet._worksheet_path.lstrip("/")
            source = read_entry(self._archive, part) or b""
            unknown += without_value(source)
            yield from self._sheet(sheet, part, source)
            if self._budget.is_spent(sheet.title):
                break
        for part in _chart_sheets(self._archive):
            yield from drawing_elements(self._archive, part, "", self._about)
        if unknown:
            formulas = "1 formula has" if unknown == 1 else f"{unknown} formulas have"
            self._about.warnings.append(
                f"{formulas} no stored value and cannot be found. Open and save the file in a spreadsheet program, and "
                "ingest it again."
            )
        warn_hidden_sheets(hidden, self._about)

    def _sheet(self, sheet: Any, part: str, source: bytes) -> Elements:
        yield Heading(sheet.title)
        self._inline = inline_texts(source)
        unseen = HiddenText(source)
        comments = list[Comment]()
        for comment in comments_of(self._archive, part, self._people):
            if unseen.is_hidden(comment.row, comment.column):
                self._about.unseen += 1
            else:
                comments.append(comment)
        yield from sheet_elements(sheet.title, self._rows(sheet, source, unseen), comments)
        self._about.unseen += unseen.places
        self._about.left_out["hint of a cell"] += len(_HINT.findall(source))
        yield from drawing_elements(self._archive, part, sheet.title, self._about)
        for text in page_heads(source, sheet.title):
            if text not in self._heads:
                self._heads[text] = None
                yield Paragraph(text)

    def _rows(self, sheet: Any, source: bytes, unseen: HiddenText) -> Iterator[Row | None]:
        sheet.reset_dimensions()  # the dimensions stored in the file may be wrong
        merges = Merges(_merges(source))
        rows = _without_gaps(enumerate(islice(sheet.iter_rows(), _LAST_ROW), 1), merges)
        while not self._budget.is_over:
            some, is_damaged = self._some(rows, unseen, merges)
            for row in some:
                self._budget.spend(row)
                yield row
            if is_damaged:
                self._about.warnings.append(f"The sheet {sheet.title} is damaged and was read in part.")
            if is_damaged or not some:
                break

    def _some(
        self, rows: Iterator[tuple[int, Any]], unseen: HiddenText, merges: Merges
    ) -> tuple[list[Row | None], bool]:
        """Return the next rows, and whether reading ended because of damage."""
        some: list[Row | None] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for number, cells in islice(rows, _AT_ONCE):
                    is_hidden = unseen.hides_row(number, cells)
                    if is_hidden and not merges.begins_at(number):
                        some.append(None)
                        continue
                    row = self._row(number, cells[:MAX_COLUMNS], unseen)
                    self._budget.is_cut |= any(cell.value is not None for cell in cells[MAX_COLUMNS:])
                    if is_hidden:
                        merges.begin(row)
                    # A row without visible cells does not separate tables.
                    is_empty = not row.cells and any(cell.value is not None for cell in cells)
                    some.append(None if is_hidden or is_empty else merges.carry(row))
        except _DAMAGED:
            return some, True
        return some, False

    def _row(self, number: int, cells: tuple[Any, ...], unseen: HiddenText) -> Row:
        texts, numeric = list[str](), 0
        for column, cell in enumerate(cells):
            value, text = cell.value, ""
            if value is not None and not unseen.hides(column + 1, cell):
                text = self._text(cell, unseen)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    numeric |= (not is_date_code(cell.number_format)) << column
            texts.append(text)
        while texts and not texts[-1]:
            texts.pop()
        return Row(number, tuple(texts), numeric)

    def _text(self, cell: Any, unseen: HiddenText) -> str:
        value = self._inline.get(cell.coordinate, cell.value) if self._inline else cell.value
        if isinstance(value, RichText):
            value = text_of_runs(value.runs, unseen.ground(cell), self._about)
        text = format_value(value, cell.number_format, date1904=self._date1904)
        unseen.count_empty(value, text)
        font = cell.font if cell.has_style else None
        if font and text and (font.strike or font.vertAlign):
            position = POSITIONS.get(font.vertAlign)
            text = text_of_runs((Run(text, position, bool(font.strike)),), None, self._about)
        return text


def without_value(sheet: bytes | None) -> int:
    """Count the cells in a sheet's XML that have a formula but no stored value; they are read as empty."""
    cells = _CELL_END.split(sheet or b"")[:-1]
    return sum(1 for cell in cells if _FORMULA.search(cell) and not _VALUE.search(cell))


def _without_gaps(rows: Iterable[tuple[int, Any]], merges: Merges) -> Iterator[tuple[int, Any]]:
    """Yield the numbered rows without long runs of absent ones that no merged cell covers."""
    gap = 0
    for number, cells in rows:
        gap = 0 if cells else gap + 1
        if gap <= _MAX_GAP or merges.covers(number):
            yield number, cells


def _merges(source: bytes) -> Iterator[Area]:
    for match in islice(_MERGE.finditer(source), _MAX_MERGES):
        left, top, right, bottom = range_boundaries(match[1].decode())
        yield Area(top, left, bottom, right)


def _chart_sheets(archive: ZipFile) -> Iterator[str]:
    """Yield the names of the parts of visible chart sheets."""
    visible = {}
    try:
        for node in parse_xml(read_entry(archive, "xl/workbook.xml") or b"<none/>").iter("{*}sheet"):
            visible[attribute(node, "id")] = node.get("state", "visible") == "visible"
        links = parse_xml(read_entry(archive, "xl/_rels/workbook.xml.rels") or b"<none/>")
    except UnreadableDocument:
        return
    hidden = {(node.get("Target") or "").rpartition("/")[2] for node in links if not visible.get(node.get("Id"), True)}
    for part in related_parts(archive, "xl/workbook.xml", "chartsheet"):
        if part.rpartition("/")[2] not in hidden:
            yield part
