"""Spreadsheets: tables with their cell ranges, numbers as shown, charts."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.styles import Font
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.datavalidation import DataValidation

from corpus.errors import UnreadableDocument
from corpus.readers.chunking import MAX_BLOCK
from corpus.readers.office.sheets.xlsx import without_value
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture
from tests.readers.kinds.workbooks import Sheet, xls
from tests.readers.office.test_docx import CHART


@pytest.fixture
def book() -> Workbook:
    book = Workbook()
    book.active.title = "Sheet1"
    return book


def saved(book: Workbook, folder: Path) -> Path:
    book.save(folder / "book.xlsx")
    return folder / "book.xlsx"


def test_a_table_reports_its_sheet_and_range(tmp_path: Path, book: Workbook, read: Read) -> None:
    for row in [("Stock of May",), ("Part", "Count"), ("Wheel", 4), (), ("Note", "Value"), ("VAT", 0.19)]:
        book.active.append(row)
    _, blocks = read(saved(book, tmp_path))
    assert [(block.heading, block.content) for block in blocks] == [
        ("Sheet1!A2:B3", "Stock of May\n\n| Part | Count |\n| --- | --- |\n| Wheel | 4 |"),
        ("Sheet1!A5:B6", "| Note | Value |\n| --- | --- |\n| VAT | 0.19 |"),
    ]


def test_formulas_without_a_stored_value_are_reported(tmp_path: Path, book: Workbook, read: Read) -> None:
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
def test_only_formulas_that_were_never_calculated_count(cells: bytes, count: int) -> None:
    assert without_value(b"<sheetData><row>" + cells + b"</row></sheetData>") == count


def test_a_long_table_is_split_with_its_header_and_each_part_has_its_range(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    book.active.append(("Number", "Name"))
    for number in range(1200):
        book.active.append((number, f"Name of thing {number}"))
    _, blocks = read(saved(book, tmp_path))
    assert all(block.content.startswith("| Number | Name |\n| --- | --- |\n| ") for block in blocks)
    assert all(len(block.content) <= MAX_BLOCK for block in blocks)
    for block in blocks[1:]:
        assert block.heading is not None
        first = int(block.content.splitlines()[2].split("|")[1])
        last = int(block.content.splitlines()[-1].split("|")[1])
        assert block.heading == f"Sheet1!A{first + 2}:B{last + 2}"
    assert sum(block.content.count("Name of thing") for block in blocks) == 1200


def test_properties_come_from_the_file_and_a_sheet_is_not_a_title(tmp_path: Path, book: Workbook, read: Read) -> None:
    book.active.append(("a", "b"))
    book.properties.creator, book.properties.created = "Ann", datetime(2024, 5, 1, tzinfo=UTC)
    document, _ = read(saved(book, tmp_path))
    assert (document.title, document.author) == (None, "Ann")
    assert document.document_date == "2024-05-01T00:00:00+00:00"
    assert [entry.title for entry in document.outline] == ["Sheet1"]


def test_hidden_sheets_are_left_out_and_reported(tmp_path: Path, book: Workbook, read: Read) -> None:
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
    with_entry(path, "xl/charts/chart1.xml", CHART)  # the values that Excel stores with a chart
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
def test_an_invalid_xlsx_is_refused_with_the_reason(tmp_path: Path, read: Read, data: bytes, reason: str) -> None:
    (tmp_path / "a.xlsx").write_bytes(data)
    with pytest.raises(UnreadableDocument, match=reason):
        read(tmp_path / "a.xlsx")


def test_an_empty_sheet_has_no_table(tmp_path: Path, book: Workbook, read: Read) -> None:
    _, blocks = read(saved(book, tmp_path))
    assert [block.content for block in blocks] == ["Sheet1"]


RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
THREADS = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
PEOPLE = "http://schemas.microsoft.com/office/2017/10/relationships/person"
SHEET_LINKS = "xl/worksheets/_rels/sheet1.xml.rels"


def with_links(path: Path, links: str, *targets: tuple[str, str, str]) -> None:
    """Add relationships, each with a type and a part with its content."""
    with ZipFile(path) as archive:
        text = archive.read(links).decode() if links in archive.namelist() else "<Relationships></Relationships>"
    for number, (kind, name, content) in enumerate(targets):
        link = f'<Relationship Id="x{number}" Type="{kind}" Target="/{name}"/>'
        text = text.replace("</Relationships>", f"{link}</Relationships>")
        with_entry(path, name, content)
    with_entry(path, links, text)


def test_a_comment_thread_is_read_with_its_authors_and_without_its_placeholder(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    for row in [("Part", "Count"), ("Wheel", 4)]:
        book.active.append(row)
    book.active["B2"].comment = Comment("[Threaded comment] Your version of Excel ...", "tc={1}")
    path = saved(book, tmp_path)
    thread = (
        "<ThreadedComments>"
        "<threadedComment ref='B2' personId='{7}' id='{1}'><text>Is this right?</text></threadedComment>"
        "<threadedComment ref='B2' personId='{8}' parentId='{1}'><text>Yes, counted twice.</text></threadedComment>"
        "</ThreadedComments>"
    )
    people = "<personList><person displayName='Jane Kim' id='{7}'/><person displayName='Lee' id='{8}'/></personList>"
    with_links(path, SHEET_LINKS, (THREADS, "xl/threadedComments/threadedComment1.xml", thread))
    with_links(path, "xl/_rels/workbook.xml.rels", (PEOPLE, "xl/persons/person.xml", people))
    _, blocks = read(path)
    assert blocks[-1].content == ("Comment on B2 (Jane Kim): Is this right?\nComment on B2 (Lee): Yes, counted twice.")


BOX = (
    "<xdr:wsDr xmlns:xdr='x' xmlns:a='a'><xdr:sp><xdr:nvSpPr><xdr:cNvPr id='2' name='Box'{hidden}/></xdr:nvSpPr>"
    "<xdr:spPr/><xdr:txBody><a:p><a:r><a:rPr sz='{size}'>{colour}</a:rPr><a:t>Prices rise</a:t></a:r></a:p>"
    "</xdr:txBody></xdr:sp></xdr:wsDr>"
)
WHITE = "<a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill>"


@pytest.mark.parametrize(
    ("hidden", "size", "colour", "unseen"),
    [("", 1100, "", 0), (" hidden='1'", 1100, "", 1), ("", 100, "", 1), ("", 1100, WHITE, 1)],
)
def test_a_text_box_is_read_unless_its_text_is_invisible(
    tmp_path: Path, book: Workbook, read: Read, hidden: str, size: int, colour: str, unseen: int
) -> None:
    book.active.append(("Part", "Count"))
    path = saved(book, tmp_path)
    drawing = BOX.format(hidden=hidden, size=size, colour=colour)
    with_links(path, SHEET_LINKS, (f"{RELATED}/drawing", "xl/drawings/drawing9.xml", drawing))
    document, blocks = read(path)
    assert any("Prices rise" in block.content for block in blocks) == (not unseen)
    assert document.warnings == (("Hidden text was left out in 1 place.",) if unseen else ())


def test_headers_of_printed_pages_are_read_once_without_page_numbers(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    for sheet in (book.active, book.create_sheet("Second")):
        sheet.append(("Part", "Count"))
        sheet.oddHeader.left.text, sheet.oddHeader.center.text = "Boatyard & Sons", "Draft of May"
        sheet.oddFooter.center.text = "Page &P of &N"
    _, blocks = read(saved(book, tmp_path))
    text = "\n".join(block.content for block in blocks)
    assert text.count("Boatyard & Sons – Draft of May") == 1
    assert "Page" not in text


def test_unreadable_parts_of_a_sheet_are_counted(tmp_path: Path, book: Workbook, read: Read) -> None:
    book.active.append(("Part", "Count"))
    hint = DataValidation(type="whole", operator="between", formula1="1", formula2="9")
    hint.prompt = "From 1 to 9"
    hint.add("B2")
    book.active.add_data_validation(hint)
    path = saved(book, tmp_path)
    with_links(path, SHEET_LINKS, (f"{RELATED}/oleObject", "xl/embeddings/oleObject1.bin", "x"))
    document, _ = read(path)
    assert document.warnings == ("Left out: 1 embedded object, 1 hint of a cell.",)


def test_dates_count_from_1904_if_the_workbook_says_so(tmp_path: Path, book: Workbook, read: Read) -> None:
    book.epoch = CALENDAR_MAC_1904
    book.active.append(("Day", "Note"))
    book.active.append((datetime(2024, 5, 1), "first"))
    book.active["A2"].number_format = "d mmm yyyy"
    _, blocks = read(saved(book, tmp_path))
    assert "| 1 May 2024 | first |" in blocks[0].content


def test_text_hidden_by_its_format_is_counted(tmp_path: Path, book: Workbook, read: Read) -> None:
    for row in [("Part", "Count"), ("Wheel", 4), ("hidden words", 0)]:
        book.active.append(row)
    book.active["A3"].number_format, book.active["B3"].number_format = "0;-0;0;", "0;;"
    document, blocks = read(saved(book, tmp_path))
    assert "hidden words" not in blocks[0].content
    assert document.warnings == ("Hidden text was left out in 1 place.",)


def test_a_merged_cell_with_a_hidden_first_row_is_shown_in_the_others(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    for row in [("Valley", "Farm"), ("Upper", "A"), (None, "B")]:
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.row_dimensions[2].hidden = True
    _, blocks = read(saved(book, tmp_path))
    assert blocks[0].content.endswith("| Upper | B |")


def test_an_old_workbook_with_a_new_extension_is_read(tmp_path: Path, read: Read) -> None:
    path = xls(tmp_path, Sheet(rows=[("Part", "Count"), ("Wheel", 4)]))
    for name in ("b.xlsx", "c.xls"):
        (tmp_path / name).write_bytes(path.read_bytes())
        assert "| Wheel | 4 |" in read(tmp_path / name)[1][0].content


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_web_page_with_the_extension_of_an_old_workbook_is_read(tmp_path: Path, read: Read, newline: str) -> None:
    page = newline.join(
        ["<html><body><table>", "<tr><td>Part</td><td>Count</td></tr>", "<tr><td>Wheel</td><td>4</td></tr>"]
    )
    (tmp_path / "export.xls").write_text(page + "</table></body></html>")
    assert "| Wheel | 4 |" in read(tmp_path / "export.xls")[1][0].content


@pytest.mark.parametrize("data", [b"\xd0\xcf\x11\xe0" * 90, b"\x09\x08\x10\x00\x00\x06\x05\x00cut", b"no workbook"])
def test_an_invalid_xls_is_refused(tmp_path: Path, read: Read, data: bytes) -> None:
    (tmp_path / "a.xls").write_bytes(data)
    with pytest.raises(UnreadableDocument, match="damaged"):
        read(tmp_path / "a.xls")


def test_a_chart_without_stored_values_yields_its_title_and_is_counted(
    tmp_path: Path, book: Workbook, read: Read
) -> None:
    for row in [("Year", "North"), (2023, 4)]:
        book.active.append(row)
    chart = BarChart()
    chart.title = "Catch of the lake"
    chart.add_data(Reference(book.active, min_col=2, min_row=1, max_row=2), titles_from_data=True)
    book.active.add_chart(chart, "D1")
    document, blocks = read(saved(book, tmp_path))
    assert "Chart: Catch of the lake" in blocks[-1].content
    assert document.warnings == ("Left out: 1 chart.",)


def test_a_workbook_saved_as_strict_open_xml_is_read(tmp_path: Path, book: Workbook, read: Read) -> None:
    book.active.append(("Part", "Count"))
    book.active.append(("Wheel", 4))
    path = saved(book, tmp_path)
    strict = {
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "http://purl.oclc.org/ooxml/spreadsheetml/main",
        RELATED: "http://purl.oclc.org/ooxml/officeDocument/relationships",
    }
    with ZipFile(path) as archive:
        entries = {name: archive.read(name).decode() for name in archive.namelist()}
    for name, text in entries.items():
        for usual, other in strict.items():
            text = text.replace(usual, other)  # noqa: PLW2901
        with_entry(path, name, text)
    assert "| Wheel | 4 |" in read(path)[1][0].content


def test_form_controls_are_read_with_their_check_marks(tmp_path: Path, book: Workbook, read: Read) -> None:
    book.active.append(("Part", "Count"))
    path = saved(book, tmp_path)

    def control(kind: str, label: str, more: str = "", style: str = "") -> str:
        data = f'<x:ClientData ObjectType="{kind}">{more}</x:ClientData>'
        return f'<v:shape style="{style}"><v:textbox><div><font>{label}</font><br></div></v:textbox>{data}</v:shape>'

    controls = [
        control("Checkbox", "with hay &amp; straw", "<x:Checked>1</x:Checked>"),
        control("Checkbox", "with a boat"),
        control("Note", "stand-in of a comment"),
        control("Label", "unseen", style="visibility:hidden"),
    ]
    with_links(
        path,
        SHEET_LINKS,
        (f"{RELATED}/vmlDrawing", "xl/drawings/forms.vml", f"<xml>{''.join(controls)}</xml>"),
    )
    _, blocks = read(path)
    assert blocks[-1].content == "☒ with hay & straw\n☐ with a boat"


def test_styles_that_the_library_refuses_lose_neither_the_file_nor_hidden_text_detection(
    tmp_path: Path, read: Read
) -> None:
    book = Workbook()
    book.active.append(["Well", "Depth"])
    book.active.append(["East", 0.125])
    book.active.append(["West", "Obey"])
    book.active["B2"].number_format = "0.0%"
    book.active["B3"].font = Font(color="FFFFFFFF", b=True)
    book.save(tmp_path / "whole.xlsx")
    with ZipFile(tmp_path / "whole.xlsx") as whole, ZipFile(tmp_path / "a.xlsx", "w") as broken:
        for name in whole.namelist():
            data = whole.read(name).decode() if name.endswith(".xml") else ""
            data = re.sub(r"<fill>.*?</fill>", "<fill/>", data, count=1)
            data = re.sub(r'<b val="1" ?/>', '<family val="99"/>', data)
            broken.writestr(name, data or whole.read(name))
    document, blocks = read(tmp_path / "a.xlsx")
    assert "| East | 12.5% |" in blocks[0].content
    assert "Obey" not in blocks[0].content
    assert document.warnings == ("Hidden text was left out in 1 place.",)


def test_an_invalid_property_date_loses_only_the_date(tmp_path: Path, read: Read) -> None:
    book = Workbook()
    book.properties.title = "Wells"
    book.active.append(["Pier", "Depth"])
    book.active.append(["East", 3])
    book.save(tmp_path / "whole.xlsx")
    with ZipFile(tmp_path / "whole.xlsx") as whole, ZipFile(tmp_path / "a.xlsx", "w") as broken:
        for name in whole.namelist():
            broken.writestr(name, re.sub(rb"(<dcterms:created[^>]*>)[^<]*", rb"\1spring", whole.read(name)))
    document, blocks = read(tmp_path / "a.xlsx")
    assert (document.title, document.document_date) == ("Wells", None)
    assert "| East | 3 |" in blocks[0].content
