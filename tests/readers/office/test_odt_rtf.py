"""Text documents of other programs: ODT and RTF."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"'
    for name, kind in [
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"),
        ("svg", "svg-compatible"), ("meta", "meta"),
    ]
) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip
STYLES = (
    '<office:automatic-styles><style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="P1" style:parent-style-name="Title"/></office:automatic-styles>'
)
META = (
    "<office:meta><dc:title>The pump</dc:title><meta:initial-creator>Ann</meta:initial-creator>"
    "<meta:creation-date>2024-05-01T12:00:00.123</meta:creation-date></office:meta>"
)


def odt(folder: Path, body: str, meta: str = "") -> Path:
    path = folder / "a.odt"
    with ZipFile(path, "w") as archive:
        archive.writestr("content.xml", (
            f"<office:document-content {SPACES}>{STYLES}<office:body><office:text>{body}</office:text></office:body>"
            "</office:document-content>"
        ))  # fmt: skip
        archive.writestr("meta.xml", f"<office:document-meta {SPACES}>{meta}</office:document-meta>")
        archive.writestr("Pictures/1.png", drawn_picture())
    return path


def test_an_odt_says_its_head_and_stands_under_headings(tmp_path: Path, read: Read) -> None:
    body = (
        '<text:h text:outline-level="1">Care</text:h><text:p>Oil<text:s text:c="2"/>it.'
        "<text:line-break/>Daily.</text:p>"
        "<text:list><text:list-item><text:p>first</text:p></text:list-item></text:list>"
    )
    document, blocks = read(odt(tmp_path, body, META))
    assert (document.title, document.author) == ("The pump", "Ann")
    assert document.document_date == "2024-05-01T12:00:00+00:00"
    assert (blocks[0].heading, blocks[0].content) == ("Care", "Care\nOil  it.\nDaily.\n- first")


def test_a_picture_of_an_odt_has_its_caption(tmp_path: Path, read: Read) -> None:
    body = (
        "<text:p>See Figure 1.</text:p><text:p><draw:frame><draw:text-box><text:p><draw:frame><draw:image "
        'xlink:href="Pictures/1.png"/><svg:desc>A dog</svg:desc></draw:frame></text:p>'
        "<text:p>Figure 1: The impeller</text:p></draw:text-box></draw:frame></text:p>"
    )
    _, blocks = read(odt(tmp_path, body))
    image = blocks[-1]
    assert (image.block_type, image.image_caption) == ("image", "Figure 1: The impeller")
    assert image.content == "A dog\nSee Figure 1."


def test_a_table_and_a_note_of_an_odt_are_read(tmp_path: Path, read: Read) -> None:
    row = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell>"
    table = "".join(
        row.format(left) + f"<table:table-cell><text:p>{right}</text:p></table:table-cell></table:table-row>"
        for left, right in [("Car", "Colour"), ("Van", "red")]
    )
    note = (
        "<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>Why.</text:p></text:note-body></text:note>"
    )
    _, blocks = read(odt(tmp_path, f"<text:p>So{note} it is.</text:p><table:table>{table}</table:table>"))
    assert blocks[0].content == "So it is.\nNote: Why.\n\n| Car | Colour |\n| --- | --- |\n| Van | red |"


def test_hidden_text_and_contents_of_an_odt_are_left_out(tmp_path: Path, read: Read) -> None:
    body = (
        '<text:p>Seen<text:span text:style-name="H">ignore all</text:span>.</text:p>'
        "<text:table-of-content><text:index-body><text:p>Care 1</text:p></text:index-body></text:table-of-content>"
        '<text:p text:style-name="P1">The title</text:p>'
    )
    document, blocks = read(odt(tmp_path, body))
    assert blocks[0].content == "Seen.\nThe title"
    assert document.title == "The title"
    assert document.warnings == ("Hidden text was left out in 1 place.",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("<x/>", "damaged"), ("<x", "no XML"), ('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "entities")],
)
def test_what_is_no_odt_is_refused(tmp_path: Path, read: Read, content: str, reason: str) -> None:
    with ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("content.xml", content)
    with pytest.raises(UnreadableDocument, match=reason):
        read(tmp_path / "a.odt")


RTF = (
    r"{\rtf1\ansi\ansicpg1252{\info{\title The pump}{\author Ann}{\creatim\yr2024\mo5\dy1}}"
    r"{\pard\outlinelevel0 Care\par}{\pard Gr\'fc\'dfe und \u8364? 5.\par}"
    r"{\trowd\cellx1\cellx2 Car\cell Colour\cell\row Van\cell red\cell\row}{\pict\pngblip 89504e47}}"
)


def test_an_rtf_is_read_with_headings_and_tables(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.rtf").write_text(RTF, encoding="ascii")
    document, blocks = read(tmp_path / "a.rtf")
    assert (document.title, document.author, document.document_date) == (
        "The pump",
        "Ann",
        "2024-05-01T00:00:00+00:00",
    )
    assert blocks[0].heading == "Care"
    assert document.warnings == ("Pictures in an RTF are not read: 1.",)
    assert blocks[0].content == "Care\nGrüße und € 5.\n\n| Car | Colour |\n| --- | --- |\n| Van | red |"


def test_what_is_no_rtf_is_refused(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.rtf").write_text("plain")
    with pytest.raises(UnreadableDocument, match="not an RTF"):
        read(tmp_path / "a.rtf")


def test_footnotes_headers_and_text_boxes_of_an_rtf_are_read(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(
        rb"{\rtf1\ansi{\header\pard Lakeside Boatyard\tab Page {\field{\*\fldinst PAGE}{\fldrslt 1}}\par}"
        rb"{\footer\pard Page \chpgn\par}{\headerf\pard never shown\par}"
        rb"The gate is shut{\super\chftn}{\footnote\pard\plain{\super\chftn} Except in May.} at night.\par "
        rb"{\shp{\*\shpinst{\sp{\sn posrelh}{\sv 0}}{\shptxt\pard Ring the bell.\par}}{\shprslt copy}}Next to it.\par}"
    )
    _, (block,) = read(path)
    assert [" ".join(line.split()) for line in block.content.split("\n")] == [
        "Header: Lakeside Boatyard", "The gate is shut at night.", "Footnote 1: Except in May.", "Next to it.",
        "Ring the bell.",
    ]  # fmt: skip


def test_a_cell_of_several_paragraphs_stays_one_cell(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "a.rtf"
    path.write_bytes(
        rb"{\rtf1\trowd\cellx1000\cellx2000\pard\intbl one\par two\cell a|b\cell\row"
        rb"\trowd\cellx1000\cellx2000\pard\intbl 1\cell 2\cell\row\pard End.\par}"
    )
    _, blocks = read(path)
    assert "| one two | a\\|b |\n| --- | --- |\n| 1 | 2 |" in blocks[0].content
