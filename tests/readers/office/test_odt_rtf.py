"""Text documents of other programs: ODT and RTF."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture
from tests.readers.kinds import writers

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


def test_an_odt_has_its_metadata_and_its_text_is_under_headings(tmp_path: Path, read: Read) -> None:
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


def test_hidden_text_and_the_table_of_contents_of_an_odt_are_left_out(tmp_path: Path, read: Read) -> None:
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
    [("<x/>", "damaged"), ("<x", "not XML"), ('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "entities")],
)
def test_an_invalid_odt_is_refused(tmp_path: Path, read: Read, content: str, reason: str) -> None:
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


def test_an_invalid_rtf_is_refused(tmp_path: Path, read: Read) -> None:
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


def test_headers_of_an_odt_are_read_once_without_page_numbers(tmp_path: Path, read: Read) -> None:
    page = (
        "<style:header><text:p>Lakeside Boatyard<text:tab/>"
        "Page <text:page-number>1</text:page-number></text:p></style:header>"
        "<style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer>"
        '<style:footer-left style:display="false"><text:p>never shown</text:p></style:footer-left>'
    )
    _, (block,) = read(writers.odt(tmp_path, "<text:p>The first page.</text:p>", page=page))
    assert block.content == "Header: Lakeside Boatyard\nThe first page."


def test_numbered_lists_of_an_odt_keep_their_numbers(tmp_path: Path, read: Read) -> None:
    styles = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" '
        'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
        "</text:list-style>"
    )
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('left', '')}{item.format('right', '')}</text:list>"
    body = f'<text:list text:style-name="L1">{item.format("open", inner)}{item.format("close", "")}</text:list>'
    _, (block,) = read(writers.odt(tmp_path, body, styles=styles))
    assert block.content == "1. open\n  a) left\n  b) right\n2. close"


def test_a_chart_and_the_form_fields_of_an_odt_are_read(tmp_path: Path, read: Read) -> None:
    row = "<table:table-row>{}</table:table-row>"
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = "".join(row.format("".join(map(cell.format, cells))) for cells in [("", "Done"), ("Lake", "3")])
    chart = (
        f"<office:document-content {writers.ODF_SPACES}><chart:chart><chart:title><text:p>Jobs</text:p></chart:title>"
        f"<table:table>{rows}</table:table></chart:chart></office:document-content>"
    )
    body = (
        '<office:forms><form:form><form:checkbox form:id="c1" form:label="insured" form:current-state="checked"/>'
        '</form:form></office:forms><text:p><draw:control draw:control="c1"/></text:p>'
        '<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
    )
    _, blocks = read(writers.odt(tmp_path, body, files={"Object 1/content.xml": chart}))
    text = "\n".join(block.content for block in blocks)
    assert "☒ insured" in text
    assert "Chart: Jobs\n\n|  | Done |\n| --- | --- |\n| Lake | 3 |" in text


def test_characters_hidden_by_a_named_odt_style_are_left_out(tmp_path: Path, read: Read) -> None:
    look = '<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>'
    page = f"</style:master-page>{look}<style:master-page>"
    body = (
        '<text:p>Seen.<text:span text:style-name="Gone">Obey</text:span></text:p>'
        '<text:section text:display="none"><text:p>Obey</text:p></text:section>'
    )
    document, (block,) = read(writers.odt(tmp_path, body, page=page))
    assert block.content == "Seen."
    assert document.warnings == ("Hidden text was left out in 2 places.",)


NOTES = 'presentation:class="notes"'


def test_slides_of_an_odp_are_pages_read_by_position(tmp_path: Path, read: Read) -> None:
    box = (
        '<draw:frame svg:x="{}cm" svg:y="{}cm" svg:width="8cm" svg:height="1cm" {}><draw:text-box><text:p>{}</text:p>'
        "</draw:text-box></draw:frame>"
    )
    pages = (
        "<draw:page>"
        + box.format(1, 8, "", "mend the fence")
        + box.format(1, 5, "", "Jobs at the barn")
        + box.format(1, 1, 'presentation:class="title"', "Spring jobs")
        + f"<presentation:notes>{box.format(1, 1, NOTES, 'Say hello.')}</presentation:notes></draw:page>"
        + f"<draw:page>{box.format(1, 1, '', 'The end')}</draw:page>"
    )
    document, blocks = read(writers.odp(tmp_path, pages))
    assert [(block.page_number, block.content) for block in blocks] == [
        (1, "Spring jobs\nJobs at the barn\nmend the fence"), (1, "Notes\nSay hello."), (2, "The end"),
    ]  # fmt: skip
    assert document.page_count == 2


def test_hidden_fields_paragraphs_and_shapes_of_an_odt_are_left_out(tmp_path: Path, read: Read) -> None:
    body = (
        '<text:p>Seen.<text:hidden-text text:condition="1" text:is-hidden="true">Obey</text:hidden-text>'
        '<text:hidden-text text:condition="1" text:is-hidden="false"> Shown.</text:hidden-text></text:p>'
        '<text:p>Obey<text:hidden-paragraph text:condition="1" text:is-hidden="true"/></text:p>'
        '<text:section text:display="condition" text:is-hidden="true"><text:p>Obey</text:p></text:section>'
        '<text:p><draw:frame draw:display="none"><draw:text-box><text:p>Obey</text:p></draw:text-box>'
        "</draw:frame></text:p>"
    )
    document, blocks = read(writers.odt(tmp_path, body))
    assert [block.content for block in blocks] == ["Seen. Shown."]
    assert document.warnings == ("Hidden text was left out in 4 places.",)


def test_a_text_box_of_an_rtf_is_read_once(tmp_path: Path, read: Read) -> None:
    box = r"\pard Twelve boats\par"
    body = rf"{{\shp{{\*\shpinst{{\shptxt{box}}}}}{{\shprslt{{\*\do\dptxbx{{\dptxbxtext{box}}}}}}}}}Seen.\par"
    _, blocks = read(writers.rtf(tmp_path, body))
    assert "\n".join(block.content for block in blocks).count("Twelve boats") == 1


def test_any_box_on_the_notes_page_of_an_odp_is_a_note(tmp_path: Path, read: Read) -> None:
    notes = "<presentation:notes><draw:page-thumbnail/>" + "".join(
        f"<draw:frame{kind}><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>"
        for kind, words in (
            (' presentation:class="notes"', "Speak slowly."),
            ("", "Show the map."),
            (' presentation:class="date-time"', "Monday"),
        )
    )
    page = writers.slide("<text:p>Seen.</text:p>").replace("</draw:page>", f"{notes}</presentation:notes></draw:page>")
    _, blocks = read(writers.odp(tmp_path, page))
    assert [block.content for block in blocks] == ["Seen.", "Notes\nSpeak slowly.\nShow the map."]


def test_an_rtf_note_uses_the_code_page_of_the_default_font(tmp_path: Path, read: Read) -> None:
    fonts = r"{\f0\fcharset238 Times New Roman;}{\f1\fcharset0 Calibri;}"
    body = r"\f1 Stupe\'e8{\footnote\pard\plain{ Bez dan\'ec.}} end\par"
    _, blocks = read(writers.rtf(tmp_path, body, fonts))
    assert blocks[0].content.endswith("Bez daně.")


def test_a_note_of_an_unclosed_last_paragraph_is_read(tmp_path: Path, read: Read) -> None:
    source = r"{\rtf1\ansi The fee is set.{\footnote It was set in spring.}}"
    (tmp_path / "a.rtf").write_text(source)
    _, blocks = read(tmp_path / "a.rtf")
    assert "Footnote 1: It was set in spring." in blocks[0].content


def test_white_and_tiny_odt_text_is_left_out_if_the_page_is_white(tmp_path: Path, read: Read) -> None:
    def style(name: str, said: str) -> str:
        return f'<style:style style:name="{name}" style:family="text"><style:text-properties {said}/></style:style>'

    styles = style("W", 'fo:color="#ffffff"') + style("Z", 'fo:font-size="1pt"') + style("B", 'fo:color="#000000"')
    span = '<text:span text:style-name="{}">{}</text:span>'
    body = (
        f"<text:p>Seen. {span.format('W', 'Obey ' + span.format('B', 'Black.'))}{span.format('Z', 'Obey')}</text:p>"
        "<table:table><table:table-row>"
        f"<table:table-cell><text:p>{span.format('W', 'Head')}</text:p></table:table-cell>"
        "<table:table-cell><text:p>Depth</text:p></table:table-cell></table:table-row></table:table>"
    )
    document, blocks = read(writers.odt(tmp_path, body, styles=styles))
    text = "\n".join(block.content for block in blocks)
    assert "Obey" not in text
    assert "Seen. Black." in text
    assert "Head" in text
    assert document.warnings == ("Hidden text was left out in 2 places.",)
    shaded = '<style:style style:name="P9"><style:paragraph-properties fo:background-color="#000080"/></style:style>'
    _, blocks = read(writers.odt(tmp_path, f"<text:p>{span.format('W', 'On blue')}</text:p>", styles=styles + shaded))
    assert blocks[0].content == "On blue"


def test_a_space_separates_raised_digits_of_an_rtf(tmp_path: Path, read: Read) -> None:
    _, blocks = read(writers.rtf(tmp_path, r"10{\super 6} {\super 2} litres\par"))
    assert blocks[0].content == "10⁶ ² litres"


def test_odt_characters_in_a_symbol_font_are_symbols(tmp_path: Path, read: Read) -> None:
    look = '<style:text-properties style:font-name="Symbol1"/>'
    styles = f'<style:style style:name="S" style:family="text">{look}</style:style>'
    body = '<text:p>Depth <text:span text:style-name="S">\uf0b3</text:span> 3 m</text:p>'
    document, blocks = read(writers.odt(tmp_path, body, styles=styles))
    assert blocks[0].content == "Depth ≥ 3 m"
    assert not document.warnings
