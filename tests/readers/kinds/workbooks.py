"""One sheet in every format that supports it: values with number formats, merged cells, comments, hidden rows."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

import xlwt
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment

from tests.readers.kinds.writers import ODF_SPACES, archive

_XLSX_FONTS = {
    "plain": InlineFont(),
    "raised": InlineFont(vertAlign="superscript"),
    "lowered": InlineFont(vertAlign="subscript"),
    "struck": InlineFont(strike=True),
    "white": InlineFont(color="FFFFFFFF"),
}
_XLS_FONTS = {
    "plain": "",
    "raised": "escapement superscript",
    "lowered": "escapement subscript",
    "struck": "struck_out true",
    "white": "color_index white",
}
_ODS_STYLES = "".join(
    f'<style:style style:name="{name}" style:family="text"><style:text-properties {properties}/></style:style>'
    for name, properties in {
        "raised": 'style:text-position="super 58%"',
        "lowered": 'style:text-position="-33% 58%"',
        "struck": 'style:text-line-through-style="solid"',
        "white": 'fo:color="#ffffff"',
    }.items()
)

Value = str | float | None


@dataclass
class Sheet:
    """A sheet. `formats`, like all other attributes, is keyed by cell, with row and column from 1. `texts` contains the
    text that a program shows there."""

    rows: Sequence[Sequence[Value]]
    formats: dict[tuple[int, int], str] = field(default_factory=dict)
    texts: dict[tuple[int, int], str] = field(default_factory=dict)
    merges: Sequence[tuple[int, int, int, int]] = ()
    """Top, left, bottom, right."""
    comments: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    runs: dict[tuple[int, int], Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Texts with their style: raised, lowered, struck, white or plain."""
    hidden_rows: Sequence[int] = ()
    hidden_columns: Sequence[str] = ()


def xlsx(folder: Path, sheet: Sheet, name: str = "a.xlsx") -> Path:
    book = Workbook()
    page = book.active
    page.title = "Farms"
    for row, cells in enumerate(sheet.rows, 1):
        for column, value in enumerate(cells, 1):
            page.cell(row, column, value).number_format = sheet.formats.get((row, column), "General")
    for (row, column), runs in sheet.runs.items():
        page.cell(row, column).value = CellRichText([TextBlock(_XLSX_FONTS[kind], text) for text, kind in runs])
    for top, left, bottom, right in sheet.merges:
        page.merge_cells(start_row=top, start_column=left, end_row=bottom, end_column=right)
    for (row, column), (author, text) in sheet.comments.items():
        page.cell(row, column).comment = Comment(text, author)
    for row in sheet.hidden_rows:
        page.row_dimensions[row].hidden = True
    for letter in sheet.hidden_columns:
        page.column_dimensions[letter].hidden = True
    book.save(folder / name)
    return folder / name


def xlsm(folder: Path, sheet: Sheet) -> Path:
    return xlsx(folder, sheet, "a.xlsm")


def xltx(folder: Path, sheet: Sheet) -> Path:
    return xlsx(folder, sheet, "a.xltx")


def xls(folder: Path, sheet: Sheet) -> Path:
    """Write the sheet as XLS. The library for this format does not support comments."""
    book = xlwt.Workbook()
    page = book.add_sheet("Farms")
    for row, cells in enumerate(sheet.rows, 1):
        for column, value in enumerate(cells, 1):
            is_written = (row, column) in sheet.runs or any(_covers(merge, row, column) for merge in sheet.merges)
            if value is not None and not is_written:
                form = xlwt.easyxf("", num_format_str=sheet.formats.get((row, column), "General"))
                page.write(row - 1, column - 1, value, form)
    for (row, column), runs in sheet.runs.items():
        fonts = [(text, xlwt.easyfont(_XLS_FONTS[kind])) for text, kind in runs]
        page.write_rich_text(row - 1, column - 1, fonts)
    for top, left, bottom, right in sheet.merges:
        page.write_merge(top - 1, bottom - 1, left - 1, right - 1, sheet.rows[top - 1][left - 1])
    for row in sheet.hidden_rows:
        page.row(row - 1).hidden = True
    for letter in sheet.hidden_columns:
        page.col(ord(letter) - ord("A")).hidden = True
    book.save(str(folder / "a.xls"))
    return folder / "a.xls"


def ods(folder: Path, sheet: Sheet) -> Path:
    width = max(map(len, sheet.rows))
    letters = [chr(ord("A") + column) for column in range(width)]
    rows = "".join(
        f'<table:table-column table:visibility="{"collapse" if letter in sheet.hidden_columns else "visible"}"/>'
        for letter in letters
    )
    for row, cells in enumerate(sheet.rows, 1):
        rows += f'<table:table-row table:visibility="{"collapse" if row in sheet.hidden_rows else "visible"}">'
        rows += "".join(_ods_cell(sheet, row, column, value) for column, value in enumerate(cells, 1))
        rows += "</table:table-row>"
    content = (
        f"<office:document-content {ODF_SPACES}><office:automatic-styles>{_ODS_STYLES}</office:automatic-styles>"
        "<office:body><office:spreadsheet>"
        f'<table:table table:name="Farms">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    return archive(folder / "a.ods", {"content.xml": content})


def csv_file(folder: Path, sheet: Sheet) -> Path:
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(sheet.rows)
    return folder / "a.csv"


Writer = Callable[[Path, Sheet], Path]
BOOKS: dict[str, Writer] = {"xlsx": xlsx, "xlsm": xlsm, "xltx": xltx, "xls": xls, "ods": ods}


def _ods_cell(sheet: Sheet, row: int, column: int, value: Value) -> str:
    if any(_covers(merge, row, column) and merge[:2] != (row, column) for merge in sheet.merges):
        return "<table:covered-table-cell/>"
    span = next((merge for merge in sheet.merges if merge[:2] == (row, column)), None)
    attributes = ""
    if span:
        down, right = span[2] - span[0] + 1, span[3] - span[1] + 1
        attributes = f' table:number-rows-spanned="{down}" table:number-columns-spanned="{right}"'
    if isinstance(value, int | float):
        attributes += f' office:value-type="float" office:value="{value}"'
    elif value:
        attributes += ' office:value-type="string"'
    author, note = sheet.comments.get((row, column), ("", ""))
    inner = (
        f"<office:annotation><dc:creator>{author}</dc:creator><text:p>{note}</text:p></office:annotation>"
        if note
        else ""
    )
    text = sheet.texts.get((row, column), "" if value is None else str(value))
    spans = "".join(
        f'<text:span text:style-name="{kind}">{run}</text:span>' for run, kind in sheet.runs.get((row, column), ())
    )
    words = f"<text:p>{spans or escape(text)}</text:p>" if text else ""
    return f"<table:table-cell{attributes}>{inner}{words}</table:table-cell>"


def _covers(merge: tuple[int, int, int, int], row: int, column: int) -> bool:
    return merge[0] <= row <= merge[2] and merge[1] <= column <= merge[3]
