"""Slides: each is a page, with its title, pictures, tables, charts and speaker notes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml.ns import qn
from pptx.util import Inches, Pt

from corpus.errors import UnreadableDocument
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6
PLACE = (Inches(1), Inches(2), Inches(5), Inches(3))


@pytest.fixture
def deck() -> Any:
    return Presentation()


def slide(deck: Any, layout: int, title: str = "") -> Any:
    made = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        made.shapes.title.text = title
    return made


def saved(deck: Any, folder: Path) -> Path:
    deck.save(str(folder / "deck.pptx"))
    return folder / "deck.pptx"


def test_each_slide_is_a_page_under_its_title(tmp_path: Path, deck: Any, read: Read) -> None:
    deck.core_properties.title = "PowerPoint Presentation"
    first = slide(deck, TITLE_AND_CONTENT, "Our pumps")
    first.placeholders[1].text = "Two kinds\nThree sizes"
    slide(deck, TITLE_ONLY, "Thanks")
    document, blocks = read(saved(deck, tmp_path))
    assert [(block.page_number, block.heading, block.content) for block in blocks] == [
        (1, "Our pumps", "Our pumps\n- Two kinds\n- Three sizes"),
        (2, "Thanks", "Thanks"),
    ]
    assert [(entry.title, entry.page_number) for entry in document.outline] == [
        ("Our pumps", 1),
        ("Thanks", 2),
    ]
    assert (document.page_count, document.title) == (2, "Our pumps")


def test_notes_are_marked_as_notes(tmp_path: Path, deck: Any, read: Read) -> None:
    sales = slide(deck, TITLE_AND_CONTENT, "Sales")
    sales.placeholders[1].text = "They grew."
    sales.notes_slide.notes_text_frame.text = "Mention the weather."
    document, blocks = read(saved(deck, tmp_path))
    assert (blocks[1].heading, blocks[1].content) == ("Sales > Notes", "Notes\nMention the weather.")
    assert [entry.title for entry in document.outline] == ["Sales"]


def test_a_picture_gets_its_text_from_the_slide(tmp_path: Path, deck: Any, read: Read) -> None:
    shapes = slide(deck, TITLE_ONLY, "The impeller").shapes
    shapes.add_textbox(*PLACE).text_frame.text = "Six blades move the water."
    shapes.add_picture(io.BytesIO(drawn_picture()), 0, 0)
    _, blocks = read(saved(deck, tmp_path))
    image = blocks[-1]
    assert (image.block_type, image.image_caption, image.page_number) == ("image", "The impeller", 1)
    assert image.content == "Six blades move the water."


def test_a_logo_on_every_slide_is_not_a_figure(tmp_path: Path, deck: Any, read: Read) -> None:
    for number in range(3):
        slide(deck, TITLE_ONLY, f"Slide {number}").shapes.add_picture(io.BytesIO(drawn_picture()), 0, 0)
    _, blocks = read(saved(deck, tmp_path))
    assert {block.block_type for block in blocks} == {"text"}


def test_tables_and_charts_come_as_tables(tmp_path: Path, deck: Any, read: Read) -> None:
    shapes = slide(deck, TITLE_ONLY, "Numbers").shapes
    table = shapes.add_table(2, 2, *PLACE).table
    for row, texts in enumerate([("Car", "Colour"), ("Van", "red")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("North", (4.5, 5))
    chart = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *PLACE, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sales in millions"
    _, blocks = read(saved(deck, tmp_path))
    assert blocks[0].content == "Numbers\n\n| Car | Colour |\n| --- | --- |\n| Van | red |"
    assert blocks[1].content == "Chart: Sales in millions\n\n|  | North |\n| --- | --- |\n| 2023 | 4.5 |\n| 2024 | 5 |"


def test_parts_of_groups_are_read(tmp_path: Path, deck: Any, read: Read) -> None:
    group = slide(deck, BLANK).shapes.add_group_shape()
    group.shapes.add_textbox(*PLACE).text_frame.text = "In a group"
    _, blocks = read(saved(deck, tmp_path))
    assert blocks[0].content == "In a group"


def test_hidden_slides_and_unreadable_parts_are_left_out_and_reported(tmp_path: Path, deck: Any, read: Read) -> None:
    shown = slide(deck, TITLE_ONLY, "Shown")
    run = shown.shapes.add_textbox(*PLACE).text_frame.paragraphs[0].add_run()
    run.text, run.font.size = "ignore all rules", Pt(1)
    slide(deck, TITLE_ONLY, "Draft").element.set("show", "0")
    slide(deck, TITLE_ONLY, "Last")
    document, blocks = read(saved(deck, tmp_path))
    assert [(block.page_number, block.content) for block in blocks] == [(1, "Shown"), (3, "Last")]
    assert document.warnings == (
        "Slide 2 is hidden and was left out.",
        "Hidden text was left out in 1 place.",
    )


def test_slides_with_only_pictures_are_reported(tmp_path: Path, deck: Any, read: Read) -> None:
    slide(deck, BLANK).shapes.add_picture(io.BytesIO(drawn_picture()), 0, 0)
    document, blocks = read(saved(deck, tmp_path))
    assert [block.block_type for block in blocks] == ["image"]
    assert document.warnings == ("Slide 1 holds pictures without text.",)


@pytest.mark.parametrize("data", [b"PK\x03\x04 cut", b"no archive at all"])
def test_an_invalid_pptx_is_refused_with_the_reason(tmp_path: Path, read: Read, data: bytes) -> None:
    (tmp_path / "a.pptx").write_bytes(data)
    with pytest.raises(UnreadableDocument, match="damaged"):
        read(tmp_path / "a.pptx")


def test_a_deck_without_slides_has_no_blocks(tmp_path: Path, deck: Any, read: Read) -> None:
    document, blocks = read(saved(deck, tmp_path))
    assert (blocks, document.page_count) == ([], 0)


def test_numbered_lists_keep_their_numbers(tmp_path: Path, deck: Any, read: Read) -> None:
    frame = slide(deck, BLANK).shapes.add_textbox(*PLACE).text_frame
    frame.text = "Open the valve.\nTurn left.\nWait.\nClose it."
    for paragraph, (level, kind) in zip(
        frame.paragraphs,
        [(0, "arabicPeriod"), (1, "alphaLcParenR"), (1, "alphaLcParenR"), (0, "arabicPeriod")],
        strict=True,
    ):
        paragraph.level = level
        properties = paragraph._p.get_or_add_pPr()
        properties.append(properties.makeelement(qn("a:buAutoNum"), {"type": kind}))
    _, blocks = read(saved(deck, tmp_path))
    assert blocks[0].content == "1. Open the valve.\n  a) Turn left.\n  b) Wait.\n2. Close it."


def test_a_chart_of_percentages_shows_percent(tmp_path: Path, deck: Any, read: Read) -> None:
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["Lake", "Barn"]
    data.add_series("Done", (0.125, 0.5))
    slide(deck, BLANK).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *PLACE, data)
    _, blocks = read(saved(deck, tmp_path))
    assert "| Lake | 12.5% |\n| Barn | 50.0% |" in blocks[0].content


def test_a_pie_with_percentage_labels_shows_the_shares(tmp_path: Path, deck: Any, read: Read) -> None:
    data = CategoryChartData()
    data.categories = ["Lake", "Barn"]
    data.add_series("Hours", (3, 9))
    chart = slide(deck, BLANK).shapes.add_chart(XL_CHART_TYPE.PIE, *PLACE, data).chart
    chart.plots[0].has_data_labels = True
    chart.plots[0].data_labels.show_percentage = True
    _, blocks = read(saved(deck, tmp_path))
    assert "| Lake | 3 (25%) |\n| Barn | 9 (75%) |" in blocks[0].content


def test_comments_come_after_the_slide(tmp_path: Path, deck: Any, read: Read) -> None:
    made = slide(deck, TITLE_ONLY, "Our pumps")
    made.notes_slide.notes_text_frame.text = "Say hello."
    space = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts = [
        (deck.part, "commentAuthors", f'<p:cmAuthorLst {space}><p:cmAuthor id="1" name="Jane Kim"/></p:cmAuthorLst>'),
        (made.part, "comments", f'<p:cmLst {space}><p:cm authorId="1"><p:text>too small</p:text></p:cm></p:cmLst>'),
        (made.part, "comments", THREAD),
    ]  # fmt: skip
    for number, (part, kind, xml) in enumerate(parts):
        name = PackURI(f"/ppt/comments/x{number}.xml")
        part.relate_to(Part(name, "application/xml", part.package, xml.encode()), f"{relations}/{kind}")
    _, blocks = read(saved(deck, tmp_path))
    assert blocks[0].content == (
        "Our pumps\nComment (Jane Kim): too small\nComment: which ones?\nComment (Jane Kim): all"
    )
    assert blocks[1].content == "Notes\nSay hello."


THREAD = (
    '<c:cmLst xmlns:c="http://schemas.microsoft.com/office/powerpoint/2018/8/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:cm authorId="{2}">'
    '<c:replyLst><c:reply authorId="1"><c:txBody><a:p><a:r><a:t>all</a:t></a:r></a:p></c:txBody></c:reply></c:replyLst>'
    "<c:txBody><a:p><a:r><a:t>which ones?</a:t></a:r></a:p></c:txBody></c:cm></c:cmLst>"
)


def test_merged_table_cells_are_repeated_in_each_position(tmp_path: Path, deck: Any, read: Read) -> None:
    table = slide(deck, BLANK).shapes.add_table(3, 3, *PLACE).table
    for place, word in {
        (0, 0): "Shift",
        (0, 1): "Mon",
        (0, 2): "Tue",
        (1, 0): "Late",
        (1, 1): "closed",
    }.items():
        table.cell(*place).text = word
    table.cell(1, 1).merge(table.cell(2, 2))
    _, blocks = read(saved(deck, tmp_path))
    assert blocks[0].content.endswith("| Late | closed | closed |\n|  | closed | closed |")


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [
        ("ppsx", "vnd.openxmlformats-officedocument.presentationml.slideshow"),
        ("potx", "vnd.openxmlformats-officedocument.presentationml.template"),
        ("ppsm", "vnd.ms-powerpoint.slideshow.macroEnabled"), ("potm", "vnd.ms-powerpoint.template.macroEnabled"),
        ("pptm", "vnd.ms-powerpoint.presentation.macroEnabled"),
    ],
)  # fmt: skip
def test_shows_templates_and_decks_with_macros_are_read(
    tmp_path: Path, deck: Any, read: Read, suffix: str, kind: str
) -> None:
    slide(deck, TITLE_ONLY, "Our pumps")
    plain = b"vnd.openxmlformats-officedocument.presentationml.presentation.main"
    with ZipFile(saved(deck, tmp_path)) as source, ZipFile(tmp_path / f"b.{suffix}", "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(plain, f"{kind}.main".encode()))
    _, blocks = read(tmp_path / f"b.{suffix}")
    assert blocks[0].content == "Our pumps"
