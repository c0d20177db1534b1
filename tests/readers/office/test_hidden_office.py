"""Hidden content of office documents, and visible content that looks similar."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl import Workbook
from openpyxl.styles import Color, Font, PatternFill
from openpyxl.worksheet.table import Table
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.util import Inches

from tests.readers.conftest import Read

_ONE = "Hidden text was left out in 1 place."


def _word(inside: str) -> Any:
    document = Document()
    document.add_paragraph("Seen.")
    document.element.body.insert(1, parse_xml(inside.replace(">", f" {nsdecls('w')}>", 1)))
    for key, hides in (("Secret", ""), ("Open", ' w:val="0"')):
        look = f"<w:rPr><w:vanish{hides}/></w:rPr>"
        style = f'<w:style {nsdecls("w")} w:type="character" w:styleId="{key}">{look}</w:style>'
        document.styles.element.append(parse_xml(style))
    based = '<w:style {} w:type="paragraph" w:styleId="Based"><w:rPr><w:vanish/></w:rPr></w:style>'
    document.styles.element.append(parse_xml(based.format(nsdecls("w"))))
    further = '<w:style {} w:type="paragraph" w:styleId="Further"><w:basedOn w:val="Based"/></w:style>'
    document.styles.element.append(parse_xml(further.format(nsdecls("w"))))
    return document


_RUN = "<w:r><w:t>Obey</w:t></w:r>"
_ROW = "<w:tr>{}<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>"
_FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
WORD = {
    "a style of letters": '<w:p><w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>Obey</w:t></w:r></w:p>',
    "a style of paragraphs": f'<w:p><w:pPr><w:pStyle w:val="Further"/></w:pPr>{_RUN}</w:p>',
    "always": "<w:p><w:r><w:rPr><w:specVanish/></w:rPr><w:t>Obey</w:t></w:r></w:p>",
    "a hidden row": f"<w:tbl>{_ROW.format('', 'a')}{_ROW.format('<w:trPr><w:hidden/></w:trPr>', 'Obey')}</w:tbl>",
    "the code of a field": (
        f"<w:p>{_FIELD.format('begin')}{_RUN}{_FIELD.format('separate')}"
        f"<w:r><w:t>result</w:t></w:r>{_FIELD.format('end')}</w:p>"
    ),
}


@pytest.mark.parametrize("by", WORD)
def test_text_hidden_by_word_is_left_out_and_counted(tmp_path: Path, read: Read, by: str) -> None:
    _word(WORD[by]).save(str(tmp_path / "a.docx"))
    document, blocks = read(tmp_path / "a.docx")
    text = " ".join(block.content for block in blocks)
    assert "Obey" not in text
    assert "Seen." in text
    assert document.warnings == (_ONE,)


WORD_SHOWS = {
    "a result": f"<w:p>{_FIELD.format('begin')}{_FIELD.format('separate')}{_RUN}{_FIELD.format('end')}</w:p>",
    "a field without an end": f"<w:p>{_FIELD.format('begin')}{_RUN}</w:p>",
    "a style that takes back": (
        '<w:p><w:pPr><w:pStyle w:val="Based"/></w:pPr>'
        '<w:r><w:rPr><w:rStyle w:val="Open"/></w:rPr><w:t>Obey</w:t></w:r></w:p>'
    ),
}


@pytest.mark.parametrize("what", WORD_SHOWS)
def test_text_shown_by_word_is_read(tmp_path: Path, read: Read, what: str) -> None:
    _word(WORD_SHOWS[what]).save(str(tmp_path / "a.docx"))
    document, blocks = read(tmp_path / "a.docx")
    assert "Obey" in " ".join(block.content for block in blocks)
    assert document.warnings == ()


def _row(sheet: Any) -> None:
    sheet.row_dimensions[2].hidden = True


def _column(sheet: Any) -> None:
    sheet.column_dimensions["C"].hidden = True


def _format(sheet: Any) -> None:
    sheet["A2"].number_format = sheet["C1"].number_format = ";;;"


def _white(sheet: Any) -> None:
    sheet["A2"].font = Font(color=Color(indexed=9))
    sheet["C1"].font = Font(color="FFFFFFFF")


def _on_its_colour(sheet: Any) -> None:
    for cell in (sheet["A2"], sheet["C1"]):
        cell.font, cell.fill = Font(color="FF336699"), PatternFill("solid", fgColor="FF336699")


SHEETS: dict[str, tuple[Callable[[Any], None], str]] = {
    "a row": (_row, "C1"),
    "a column": (_column, "A2"),
    "a format": (_format, ""),
    "white": (_white, ""),
    "the colour of the cell": (_on_its_colour, ""),
}


@pytest.mark.parametrize("by", SHEETS)
def test_cells_hidden_by_a_sheet_are_left_out_and_counted(tmp_path: Path, read: Read, by: str) -> None:
    hide, unused = SHEETS[by]
    book = Workbook()
    sheet = book.active
    for row in (("Part", "Count", "Obey"), ("Obey", 3, None), ("Wheel", 4, None)):
        sheet.append(row)
    if unused:
        sheet[unused].value = None
    hide(sheet)
    book.save(tmp_path / "a.xlsx")
    document, (block,) = read(tmp_path / "a.xlsx")
    assert "Obey" not in block.content
    assert "| Part | Count |" in block.content
    assert "| Wheel | 4 |" in block.content
    assert document.warnings == (_ONE if unused else "Hidden text was left out in 2 places.",)


def test_white_text_is_read_if_a_table_may_colour_the_cells(tmp_path: Path, read: Read) -> None:
    book = Workbook()
    for row in (("Part", "Count"), ("Wheel", 4)):
        book.active.append(row)
    book.active["A1"].font = book.active["B1"].font = Font(color="FFFFFFFF")
    book.active.add_table(Table(displayName="Parts", ref="A1:B2"))
    book.save(tmp_path / "a.xlsx")
    document, (block,) = read(tmp_path / "a.xlsx")
    assert block.content.startswith("| Part | Count |")
    assert document.warnings == ()


def test_text_that_a_number_format_writes_in_white_is_left_out_and_counted(tmp_path: Path, read: Read) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    cells = [
        ("General", "seen"),
        ("0;0;0;[White]@", "unseen"),
        ('"a;b" 0;[White]0', 7),
        ('"a;b" 0;[Color2]0', -8),
    ]
    for row, (code, value) in enumerate(cells, 1):
        sheet.cell(row, 1, value).number_format = code
    book.save(tmp_path / "a.xlsx")
    document, blocks = read(tmp_path / "a.xlsx")
    text = "\n".join(block.content for block in blocks)
    assert text.startswith("seen")
    assert "a;b 7" in text
    assert "unseen" not in text
    assert "8" not in text
    assert document.warnings == ("Hidden text was left out in 2 places.",)


def _deck(folder: Path, *, left: float, white: bool, ground: bool = False) -> Path:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_textbox(Inches(1), Inches(1), Inches(5), Inches(1)).text_frame.text = "Seen."
    if ground:
        slide.shapes.add_shape(1, Inches(0), Inches(2), Inches(10), Inches(3))
    frame = slide.shapes.add_textbox(Inches(left), Inches(3), Inches(5), Inches(1)).text_frame
    frame.text = "Obey"
    if white:
        frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(255, 255, 255)
    deck.save(str(folder / "a.pptx"))
    return folder / "a.pptx"


@pytest.mark.parametrize(("left", "white"), [(-50, False), (50, False), (1, True)])
def test_text_off_a_slide_or_white_on_white_is_left_out_and_counted(
    tmp_path: Path, read: Read, left: float, white: bool
) -> None:
    document, (block,) = read(_deck(tmp_path, left=left, white=white))
    assert block.content == "Seen."
    assert document.warnings == (_ONE,)


@pytest.mark.parametrize(("left", "white"), [(-1, False), (1, True)])
def test_text_partly_on_a_slide_or_over_a_shape_is_read(tmp_path: Path, read: Read, left: float, white: bool) -> None:
    document, (block,) = read(_deck(tmp_path, left=left, white=white, ground=True))
    assert block.content == "Seen.\nObey"
    assert document.warnings == ()


RTF = {
    "hidden": r"{\v Obey}",
    "hidden by number": r"{\v1 Obey\'41\u66?}",
    "white": r"{\cf1 Obey}",
    "tiny": r"{\fs1 Obey}",
    "until told otherwise": r"\v Obey\v0 ",
}


@pytest.mark.parametrize("by", RTF)
def test_text_hidden_by_an_rtf_is_left_out_and_counted(tmp_path: Path, read: Read, by: str) -> None:
    head = r"{\rtf1{\colortbl;\red255\green255\blue255;}{\stylesheet{\s1\v Secret;}}"
    (tmp_path / "a.rtf").write_text(head + "Seen. " + RTF[by] + r"{\cf0\v0\fs24 The end.}}")
    document, (block,) = read(tmp_path / "a.rtf")
    assert " ".join(block.content.split()) == "Seen. The end."
    assert document.warnings == (_ONE,)


def test_white_rtf_text_is_read_if_the_file_colours_backgrounds(tmp_path: Path, read: Read) -> None:
    head = r"{\rtf1{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}"
    (tmp_path / "a.rtf").write_text(head + r"{\highlight2\cf1 White on black.}}")
    document, (block,) = read(tmp_path / "a.rtf")
    assert (block.content, document.warnings) == ("White on black.", ())
