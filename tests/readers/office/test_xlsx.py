"""Spreadsheets: tables with the range of their cells, numbers as they are shown, charts."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.drawing.image import Image

from corpus.errors import UnreadableDocument
from corpus.readers.office.sheets.formulas import without_value
from corpus.readers.sizes import MOST
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture
from tests.readers.office.test_docx import CHART


@pytest.fixture
def book() -> Workbook:
    book = Workbook()
    book.active.title = "Sheet1"
    return book


def saved(book: Workbook, folder: Path) -> Path:
    book.save(folder / "book.xlsx")
    return folder / "book.xlsx"


def test_a_table_says_its_sheet_and_range(tmp_path: Path, book: Workbook, read: Read) -> None:
    for row in [("Stock of May",), ("Part", "Count"), ("Wheel", 4), (), ("Note", "Value"), ("VAT", 0.19)]:
        book.active.append(row)
    _, blocks = read(saved(book, tmp_path))
    assert [(block.heading, block.content) for block in blocks] == [
        ("Sheet1!A2:B3", "Stock of May\n\n| Part | Count |\n| --- | --- |\n| Wheel | 4 |"),
        ("Sheet1!A5:B6", "| Note | Value |\n| --- | --- |\n| VAT | 0.19 |"),
    ]


def test_formulas_without_a_stored_value_are_told(tmp_path: Path, book: Workbook, read: Read) -> None:
    for row in [("Month", "Sales"), ("May", 4), ("Sum", "=SUM(B2:B2)"), ("Mean", "=B3/1")]:
        book.active.append(row)
    document, _ = read(saved(book, tmp_path))
    (warning,) = document.warnings
    assert warning.startswith("2 formulas have no stored value and cannot be found.")


@pytest.mark.parametrize(
    ("cells", "count"),
    [
        (b"<c r='A1'><f>SUM(B2)</f><v>7</v></c><c r='A2'/>", 0),
        (b"<c r='A1'><f>SUM(B2)</f><v></v></c><c r='A2'><v>3</v></c>", 1),
        (b"<x:c r='A1'><x:f t='shared' si='0'/></x:c><x:c r='A2'><x:f>B1</x:f><x:v>0</x:v></x:c>", 1),
        (b"<c r='A1' t='str'><f>B1</f><v xml:space='preserve'> </v></c>", 0),
        (b"", 0),
    ],
)
def test_only_formulas_that_nobody_calculated_count(cells: bytes, count: int) -> None:
    assert without_value(b"<sheetData><row>" + cells + b"</row></sheetData>") == count


def test_a_long_table_is_cut_with_its_head_and_each_part_says_its_range(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    book.active.append(("Number", "Name"))
    for number in range(1200):
        book.active.append((number, f"Name of thing {number}"))
    _, blocks = read(saved(book, tmp_path))
    assert all(block.content.startswith("| Number | Name |\n| --- | --- |\n| ") for block in blocks)
    assert all(len(block.content) <= MOST for block in blocks)
    for block in blocks[1:]:
        assert block.heading is not None
        first = int(block.content.splitlines()[2].split("|")[1])
        last = int(block.content.splitlines()[-1].split("|")[1])
        assert block.heading == f"Sheet1!A{first + 2}:B{last + 2}"
    assert sum(block.content.count("Name of thing") for block in blocks) == 1200


def test_properties_are_those_of_the_file_and_a_sheet_is_no_title(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    book.active.append(("a", "b"))
    book.properties.creator, book.properties.created = "Ann", datetime(2024, 5, 1, tzinfo=UTC)
    document, _ = read(saved(book, tmp_path))
    assert (document.title, document.author) == (None, "Ann")
    assert document.document_date == "2024-05-01T00:00:00+00:00"
    assert [entry.title for entry in document.outline] == ["Sheet1"]


def test_hidden_sheets_are_left_out_and_told(tmp_path: Path, book: Workbook, read: Read) -> None:
    book.active.append(("seen", "too"))
    secret = book.create_sheet("Salaries")
    secret.append(("Ann", 5))
    secret.sheet_state = "hidden"
    document, blocks = read(saved(book, tmp_path))
    assert "Ann" not in blocks[0].content
    assert document.warnings == ("1 hidden sheet was left out.",)


def test_a_chart_and_a_picture_belong_to_their_sheet(tmp_path: Path, book: Workbook, read: Read) -> None:
    sheet = book.active
    for row in [("Year", "North"), (2023, 4), (2024, 5)]:
        sheet.append(row)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D1")
    sheet.add_image(Image(io.BytesIO(drawn_picture())), "D20")
    path = saved(book, tmp_path)
    with_entry(path, "xl/charts/chart1.xml", CHART)  # the values that Excel keeps with a chart
    _, blocks = read(path)
    assert "Chart: Sales" in blocks[1].content
    assert (blocks[2].block_type, blocks[2].image_caption) == ("image", "Sheet1")


def with_entry(path: Path, name: str, text: str) -> None:
    with ZipFile(path) as archive:
        entries = {each: archive.read(each) for each in archive.namelist()}
    with ZipFile(path, "w") as archive:
        for each, data in (entries | {name: text.encode()}).items():
            archive.writestr(each, data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"PK\x03\x04 cut", "damaged"), (b"\xd0\xcf\x11\xe0" * 9, "password"), (b"a;b\n1;2", "damaged")],
)
def test_what_is_no_xlsx_is_refused_with_the_reason(
    tmp_path: Path, read: Read, data: bytes, reason: str
) -> None:
    (tmp_path / "a.xlsx").write_bytes(data)
    with pytest.raises(UnreadableDocument, match=reason):
        read(tmp_path / "a.xlsx")


def test_an_empty_sheet_has_no_table(tmp_path: Path, book: Workbook, read: Read) -> None:
    _, blocks = read(saved(book, tmp_path))
    assert [block.content for block in blocks] == ["Sheet1"]
