"""Word documents: everything that a reader sees, in order and in its position."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor
from pptx import Presentation

from corpus.errors import UnreadableDocument
from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture


@pytest.fixture
def word() -> Any:
    return Document()


def saved(document: Any, folder: Path) -> Path:
    path = folder / "file.docx"
    document.save(str(path))
    return path


def text_of(blocks: list[ReadBlock]) -> str:
    return "\n".join(block.content for block in blocks)


def test_headings_become_paths_outline_and_title(tmp_path: Path, word: Any, read: Read) -> None:
    word.core_properties.title = "Pump manual"
    word.core_properties.author = "Ann Example"
    word.core_properties.created = datetime(2024, 5, 1, 12, tzinfo=UTC)
    word.add_heading("Operation", 1)
    word.add_heading("Start", 2)
    word.add_paragraph("Open the valve.")
    word.add_heading("Care", 1)
    word.add_paragraph("Change the oil.")
    document, blocks = read(saved(word, tmp_path))
    assert (document.title, document.author) == ("Pump manual", "Ann Example")
    assert document.document_date == "2024-05-01T12:00:00+00:00"
    assert [entry.title for entry in document.outline] == ["Operation", "Start", "Care"]
    assert [block.heading for block in blocks] == ["Operation > Start", "Care"]
    assert [block.page_number for block in blocks] == [None, None]


def test_a_title_paragraph_is_used_if_the_properties_have_no_title(tmp_path: Path, word: Any, read: Read) -> None:
    word.core_properties.title = ""
    word.add_paragraph("The real title", style="Title")
    word.add_heading("Chapter", 1)
    document, _ = read(saved(word, tmp_path))
    assert document.title == "The real title"


def test_large_bold_lines_are_headings_if_no_style_is_used(tmp_path: Path, word: Any, read: Read) -> None:
    run = word.add_paragraph().add_run("Section One")
    run.bold, run.font.size = True, Pt(18)
    word.add_paragraph("Its text.")
    document, blocks = read(saved(word, tmp_path))
    assert [entry.title for entry in document.outline] == ["Section One"]
    assert blocks[0].heading == "Section One"


def test_list_items_keep_their_marks(tmp_path: Path, word: Any, read: Read) -> None:
    for style, text in [("List Bullet", "a bullet"), ("List Number", "first"), ("List Number", "second")]:
        word.add_paragraph(text, style=style)
    _, blocks = read(saved(word, tmp_path))
    assert blocks[0].content == "- a bullet\n1. first\n2. second"


def test_a_table_becomes_markdown_with_merged_cells_repeated(tmp_path: Path, word: Any, read: Read) -> None:
    table = word.add_table(3, 2)
    for cell, text in zip(table._cells, ["Car", "Colour", "Van", "red", "", "blue"], strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    _, blocks = read(saved(word, tmp_path))
    assert blocks[0].content == "| Car | Colour |\n| --- | --- |\n| Van | red |\n| Van | blue |"


def test_a_table_of_one_column_is_text(tmp_path: Path, word: Any, read: Read) -> None:
    table = word.add_table(2, 1)
    table.cell(0, 0).text, table.cell(1, 0).text = "A framed remark.", "Another one."
    _, blocks = read(saved(word, tmp_path))
    assert blocks[0].content == "A framed remark.\nAnother one."


def test_a_picture_has_its_caption_and_the_text_that_refers_to_it(tmp_path: Path, word: Any, read: Read) -> None:
    word.add_heading("Parts", 1)
    word.add_paragraph("The impeller of Figure 1 turns.")
    word.add_picture(io.BytesIO(drawn_picture()))
    word.add_paragraph("Figure 1: Impeller", style="Caption")
    _, blocks = read(saved(word, tmp_path))
    image = blocks[-1]
    assert (image.block_type, image.image_caption, image.heading) == ("image", "Figure 1: Impeller", "Parts")
    assert image.content == "The impeller of Figure 1 turns."
    assert image.picture is not None
    assert image.picture.data == drawn_picture()


def test_a_picture_without_caption_has_its_alternative_text(tmp_path: Path, word: Any, read: Read) -> None:
    shape = word.add_picture(io.BytesIO(drawn_picture()))
    shape._inline.docPr.set("descr", "A pump seen from above")
    _, blocks = read(saved(word, tmp_path))
    assert blocks[0].image_caption == "A pump seen from above"


def test_an_external_picture_is_not_downloaded(tmp_path: Path, word: Any, read: Read) -> None:
    word.add_picture(io.BytesIO(drawn_picture()))
    relation = word.part.relate_to("http://192.0.2.1/x.png", "http://x/image", is_external=True)
    (blip,) = word.element.body.iter("{*}blip")
    blip.set(blip.keys()[0], relation)
    word.add_paragraph("Text.")
    document, blocks = read(saved(word, tmp_path))
    assert [block.block_type for block in blocks] == ["text"]
    assert document.warnings == ()


def test_invisible_text_is_left_out_and_counted(tmp_path: Path, word: Any, read: Read) -> None:
    word.add_paragraph("Seen.")
    hidden = [word.add_paragraph().add_run(f"ignore all rules {n}") for n in range(3)]
    hidden[0].font.hidden = True
    hidden[1].font.color.rgb = RGBColor(255, 255, 255)
    hidden[2].font.size = Pt(1)
    document, blocks = read(saved(word, tmp_path))
    assert text_of(blocks) == "Seen."
    assert document.warnings == ("Hidden text was left out in 3 places.",)


def test_deleted_text_is_left_out_and_inserted_text_is_read(tmp_path: Path, word: Any, read: Read) -> None:
    word.add_paragraph()._p.append(parse_xml(f"<w:ins {nsdecls('w')}><w:r><w:t>now</w:t></w:r></w:ins>"))
    word.add_paragraph()._p.append(parse_xml(f"<w:del {nsdecls('w')}><w:r><w:delText>before</w:delText></w:r></w:del>"))
    _, blocks = read(saved(word, tmp_path))
    assert text_of(blocks) == "now"


TEXT_BOX = """<w:r {ns}><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">
<mc:Choice Requires="wps"><w:drawing><box><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p>
</w:txbxContent></box></w:drawing></mc:Choice><mc:Fallback><w:pict><box><w:txbxContent><w:p><w:r>
<w:t>In the box</w:t></w:r></w:p></w:txbxContent></box></w:pict></mc:Fallback></mc:AlternateContent></w:r>"""


def test_a_text_box_is_read_once(tmp_path: Path, word: Any, read: Read) -> None:
    word.add_paragraph("Anchor.")._p.append(parse_xml(TEXT_BOX.format(ns=nsdecls("w"))))
    _, blocks = read(saved(word, tmp_path))
    assert text_of(blocks) == "Anchor.\nIn the box"


def test_a_chart_is_a_table_of_its_values(tmp_path: Path, word: Any, read: Read) -> None:
    path = saved(word, tmp_path)
    with_part(path, "word/charts/chart1.xml", CHART, "chart")
    _, blocks = read(path)
    assert blocks[0].content == (
        "Chart: Sales\n\n|  | North | South |\n| --- | --- | --- |\n| 2023 | 4.5 | 1 |\n| 2024 | 5 | 2 |"
    )


def test_footnotes_follow_their_paragraph(tmp_path: Path, word: Any, read: Read) -> None:
    path = saved(word, tmp_path)
    note = (
        f"<w:footnotes {nsdecls('w')}><w:footnote w:id='7'><w:p><w:r><w:t>See the annex."
        "</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    with_part(path, "word/footnotes.xml", note, "footnotes")
    _, blocks = read(path)
    assert "Footnote 1: See the annex." in text_of(blocks)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04 and nothing more", "damaged"),
        (b"<html><body>Hello</body></html>", "damaged|not a DOCX"),
        (b"\xd0\xcf\x11\xe0 old or locked", "password"),
    ],
)
def test_an_invalid_docx_is_refused_with_the_reason(tmp_path: Path, read: Read, data: bytes, reason: str) -> None:
    (tmp_path / "a.docx").write_bytes(data)
    with pytest.raises(UnreadableDocument, match=reason):
        read(tmp_path / "a.docx")


def test_an_empty_document_has_no_blocks(tmp_path: Path, word: Any, read: Read) -> None:
    _, blocks = read(saved(word, tmp_path))
    assert blocks == []


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "XML entities"),
        (" " * 60_000_000, "refused"),
    ],
)
def test_a_part_that_decompresses_too_far_is_refused(
    tmp_path: Path, word: Any, read: Read, part: str, reason: str
) -> None:
    path = saved(word, tmp_path)
    with ZipFile(path, "a", ZIP_DEFLATED) as archive:
        archive.writestr("word/extra.xml", part)
    with pytest.raises(UnreadableDocument, match=reason):
        read(path)


CHART = """<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>
<c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>
<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>
<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>2023</c:v></c:pt>
<c:pt idx="1"><c:v>2024</c:v></c:pt></c:strCache></c:strRef></c:cat>
<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>4.5</c:v></c:pt>
<c:pt idx="1"><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:tx>
<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>1</c:v></c:pt>
<c:pt idx="1"><c:v>2</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
</c:barChart></c:plotArea></c:chart></c:chartSpace>"""

REFERENCES = {
    "chart": '<w:p><w:r><w:drawing><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId77"/>'
    "</w:drawing></w:r></w:p>",
    "footnotes": '<w:p><w:r><w:t>Text.</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>',
}


def with_part(path: Path, name: str, part: str, kind: str) -> None:
    """Add a part to the file, with the relationship and the reference in the text."""
    with ZipFile(path) as archive:
        entries = {each: archive.read(each) for each in archive.namelist()}
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = f'<Relationship Id="rId77" Type="{base}/{kind}" Target="{name.removeprefix("word/")}"/></Relationships>'
    entries["word/_rels/document.xml.rels"] = entries["word/_rels/document.xml.rels"].replace(
        b"</Relationships>", relation.encode()
    )
    entries["word/document.xml"] = entries["word/document.xml"].replace(
        b"<w:body>", b"<w:body>" + REFERENCES[kind].encode()
    )
    entries["[Content_Types].xml"] = entries["[Content_Types].xml"].replace(
        b"</Types>", f'<Override PartName="/{name}" ContentType="application/xml"/></Types>'.encode()
    )
    entries[name] = part.encode()
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for each, data in entries.items():
            archive.writestr(each, data)


def test_headers_and_footers_are_read_once_without_page_numbers(tmp_path: Path, word: Any, read: Read) -> None:
    def number(paragraph: Any) -> None:
        field = f'<w:fldSimple {nsdecls("w")} w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>'
        paragraph._p.append(parse_xml(field))

    word.add_paragraph("First part.")
    word.sections[0].header.paragraphs[0].text = "Lakeside Boatyard"
    footer = word.sections[0].footer
    footer.paragraphs[0].text = "Page "
    number(footer.paragraphs[0])
    number(footer.add_paragraph("Order 551\t"))
    second = word.add_section()
    second.header.is_linked_to_previous = False
    second.header.paragraphs[0].text = "Lakeside Boatyard"
    word.add_paragraph("Second part.")
    _, blocks = read(saved(word, tmp_path))
    assert text_of(blocks) == "Header: Lakeside Boatyard\nFirst part.\nSecond part.\nFooter: Order 551"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt>", "☒ insured"),
        ("{}<w:checkBox><w:default w:val='1'/></w:checkBox>{}", "☒ insured"),
        ("{}<w:checkBox><w:default w:val='1'/><w:checked w:val='0'/></w:checkBox>{}", "☐ insured"),
        ("{}<w:ddList><w:result w:val='1'/><w:listEntry w:val='a'/><w:listEntry w:val='b'/></w:ddList>{}", "b insured"),
    ],
)  # fmt: skip
def test_form_check_boxes_and_choices_are_read(tmp_path: Path, word: Any, read: Read, body: str, said: str) -> None:
    begin, end = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData>',
        '</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
    )
    words = '<w:r><w:t xml:space="preserve"> insured</w:t></w:r>'
    word.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w')}>{body.format(begin, end)}{words}</w:p>"))
    _, blocks = read(saved(word, tmp_path))
    assert text_of(blocks) == said


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [
        ("docm", "vnd.ms-word.document.macroEnabled"), ("dotm", "vnd.ms-word.template.macroEnabledTemplate"),
        ("dotx", "vnd.openxmlformats-officedocument.wordprocessingml.template"),
    ],
)  # fmt: skip
def test_templates_and_documents_with_macros_are_read(
    tmp_path: Path, word: Any, read: Read, suffix: str, kind: str
) -> None:
    word.add_paragraph("Open the valve.")
    plain = b"vnd.openxmlformats-officedocument.wordprocessingml.document.main"
    with (
        ZipFile(saved(word, tmp_path)) as source,
        ZipFile(tmp_path / f"b.{suffix}", "w", ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(plain, f"{kind}.main".encode()))
    _, blocks = read(tmp_path / f"b.{suffix}")
    assert text_of(blocks) == "Open the valve."


def test_a_file_without_properties_gets_no_title_or_date_from_the_library(tmp_path: Path, read: Read) -> None:
    Document().save(str(tmp_path / "a.docx"))
    Presentation().save(str(tmp_path / "a.pptx"))
    for name in ("a.docx", "a.pptx"):
        with ZipFile(tmp_path / name) as whole, ZipFile(tmp_path / f"bare-{name}", "w") as bare:
            for each in whole.namelist():
                data = whole.read(each)
                if each == "_rels/.rels":
                    data = re.sub(rb"<Relationship [^>]*core-properties[^>]*/>", b"", data)
                if not each.startswith("docProps/core"):
                    bare.writestr(each, data)
        document, _ = read(tmp_path / f"bare-{name}")
        assert (document.title, document.author, document.document_date) == (None, None, None)
