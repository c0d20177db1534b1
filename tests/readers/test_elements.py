"""Blocks from elements, the same for all formats: sizes, headings, tables, figures with their text."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.readers.chunking import MAX_BLOCK
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Element, Figure, Heading, Page, Paragraph, Table
from corpus.readers.protocol import ReadBlock, ReadDocument
from tests.readers.drawings import drawn_picture, vast_picture

SENTENCE = "The pump must be filled with water before it is started, or it runs dry. "


def made(*elements: Element) -> tuple[ReadDocument, list[ReadBlock]]:
    steps = list(steps_of(iter(elements), About()))
    assert isinstance(steps[-1], ReadDocument)
    return steps[-1], [step for step in steps if isinstance(step, ReadBlock)]


def texts(blocks: Iterable[ReadBlock]) -> list[str]:
    return [block.content for block in blocks if block.block_type == "text"]


def images(blocks: Iterable[ReadBlock]) -> list[ReadBlock]:
    return [block for block in blocks if block.block_type == "image"]


def test_paragraphs_are_under_their_heading_path() -> None:
    document, blocks = made(
        Heading("Guide"), Heading("Start", 2), Paragraph("Open."), Heading("Stop", 2), Paragraph("Close.")
    )
    assert [block.heading for block in blocks] == ["Guide > Start", "Guide > Stop"]
    assert texts(blocks) == ["Guide\nStart\nOpen.", "Stop\nClose."]
    assert [(entry.title, entry.level) for entry in document.outline] == [
        ("Guide", 1),
        ("Start", 2),
        ("Stop", 2),
    ]
    assert document.title == "Guide"


@pytest.mark.parametrize("default", ["(anonymous)", "(unspecified)", "untitled", "[Unknown]", "None", " "])
def test_placeholders_for_no_title_and_no_author_are_ignored(default: str) -> None:
    *_, document = steps_of(iter([Heading("Coffee machines")]), About(title=default, author=default))
    assert isinstance(document, ReadDocument)
    assert (document.title, document.author) == ("Coffee machines", None)


def test_a_title_that_only_mentions_the_unknown_is_kept() -> None:
    *_, document = steps_of(iter([]), About(title="Unknown (and untitled) works", author="Ann Unknown"))
    assert isinstance(document, ReadDocument)
    assert (document.title, document.author) == ("Unknown (and untitled) works", "Ann Unknown")


def test_a_page_with_only_a_figure_and_a_heading_keeps_its_heading() -> None:
    _, blocks = made(Page(1), Heading("Our mascot"), Figure(data=drawn_picture()), Page(2), Heading("End"))
    assert texts(blocks) == ["Our mascot", "End"]
    assert [(block.page_number, block.heading) for block in images(blocks)] == [(1, "Our mascot")]


def test_a_page_starts_again_and_counts_its_own_positions() -> None:
    _, blocks = made(Page(1), Heading("One"), Paragraph("First."), Page(2), Paragraph("Second."))
    assert [(block.place, block.page_number, block.heading) for block in blocks] == [
        ("p1-1", 1, "One"),
        ("p2-1", 2, None),
    ]


def test_a_long_paragraph_is_split_and_short_ones_are_joined() -> None:
    _, blocks = made(Paragraph(SENTENCE * 60), *[Paragraph("Short.")] * 20)
    assert all(len(text) <= MAX_BLOCK for text in texts(blocks))
    assert "".join(texts(blocks)).count("runs dry") == 60
    assert texts(blocks)[-1].count("Short.") >= 10


def test_a_table_stays_complete_with_its_caption_and_header() -> None:
    rows = (("Part", "Weight"), ("Wheel", "2 kg"), ("Axle | long", "3 kg"))
    _, blocks = made(Paragraph("Text " * 200), Paragraph("Table 1: Weights"), Table(rows=rows))
    assert texts(blocks)[-1] == (
        "Table 1: Weights\n\n| Part | Weight |\n| --- | --- |\n| Wheel | 2 kg |\n| Axle \\| long | 3 kg |"
    )
    assert "Table 1" not in texts(blocks)[0]


def test_a_few_words_before_a_table_stay_with_it() -> None:
    _, blocks = made(Heading("Cars"), Paragraph("The colours:"), Table(rows=(("Car", "Colour"), ("Van", "red"))))
    assert texts(blocks) == ["Cars\nThe colours:\n\n| Car | Colour |\n| --- | --- |\n| Van | red |"]


def test_a_long_table_repeats_caption_and_header_in_each_block() -> None:
    rows = (("Number", "Name"), *((str(n), f"Name of thing {n}") for n in range(200)))
    _, blocks = made(Table(rows=rows, caption="Table 7: Things"))
    assert len(blocks) > 3
    assert all(text.startswith("Table 7: Things\n\n| Number | Name |\n| --- | --- |\n| ") for text in texts(blocks))
    assert all(len(text) <= MAX_BLOCK for text in texts(blocks))
    assert [n for n in range(200) if f"| {n} |" not in "".join(texts(blocks))] == []


def test_a_row_too_long_for_a_line_lists_each_cell_with_its_title() -> None:
    _, blocks = made(Table(rows=(("Name", "Story"), ("Pump", SENTENCE * 40), ("Valve", "short"))))
    assert "Name: Pump" in texts(blocks)[0]
    assert "Story: The pump must" in texts(blocks)[0]
    assert texts(blocks)[-1].endswith("| Valve | short |")
    assert all(len(text) <= MAX_BLOCK for text in texts(blocks))


@settings(max_examples=60)
@given(st.lists(st.lists(st.text("ab |\n", max_size=400), max_size=6), max_size=12), st.integers(0, 3))
def test_no_table_cell_is_lost_and_no_block_is_too_long(rows: list[list[str]], header: int) -> None:
    _, blocks = made(Table(rows=tuple(map(tuple, rows)), header=header))
    everything = "".join("".join(texts(blocks)).replace("\\|", "|").split())
    assert all("".join(cell.split()) in everything or len(cell) > 300 for row in rows for cell in row)
    assert all(len(text) <= MAX_BLOCK for text in texts(blocks))


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_figure_gets_the_caption_next_to_it_and_the_text_that_refers_to_it(side: str) -> None:
    caption, figure = Paragraph("Figure 3: The impeller"), Figure(data=drawn_picture())
    pair = [caption, figure] if side == "before" else [figure, caption]
    _, blocks = made(Paragraph("As Figure 3 shows, the impeller has six blades."), *pair, Paragraph("More text."))
    (image,) = images(blocks)
    assert image.image_caption == "Figure 3: The impeller"
    assert image.content == "As Figure 3 shows, the impeller has six blades."
    assert "Figure 3: The" not in "".join(texts(blocks))
    assert image.picture is not None
    assert image.picture.mime_type == "image/png"


def test_figures_follow_the_text_around_them() -> None:
    _, blocks = made(Paragraph("Before."), Figure(data=drawn_picture()), Paragraph("After."))
    assert [block.block_type for block in blocks] == ["text", "image"]
    assert images(blocks)[0].content == "Before."


@pytest.mark.parametrize(
    ("alt", "title", "caption"),
    [
        ("A dog on the beach", None, "A dog on the beach"),
        ("Picture 4", "Our team", "Our team"),
        ("image1.png", None, "Chapter"),
    ],
)
def test_without_a_caption_the_nearby_words_are_used(alt: str, title: str | None, caption: str) -> None:
    _, blocks = made(Heading("Chapter"), Paragraph("Text."), Figure(data=drawn_picture(), alt=alt, title=title))
    assert images(blocks)[0].image_caption == caption


def test_logos_and_repeated_and_tiny_pictures_are_not_blocks() -> None:
    ornament = Figure(data=drawn_picture("red"))
    _, blocks = made(
        *[ornament] * 3,
        Figure(data=drawn_picture("blue", (20, 20))),
        Figure(data=drawn_picture("blue", (900, 50))),
        Figure(data=drawn_picture("green"), alt="Company logo"),
        Figure(data=drawn_picture("orange")),
        Figure(data=drawn_picture("orange")),
    )
    assert len(images(blocks)) == 1


def test_an_unreadable_picture_is_reported() -> None:
    document, blocks = made(Paragraph("Text."), Figure(data=b"\x01\x00\x00\x00 EMF"), Figure(data=drawn_picture()[:60]))
    assert images(blocks) == []
    assert document.warnings[0].startswith("2 pictures were left out")


def test_a_large_picture_is_reduced_to_fit() -> None:
    _, blocks = made(Figure(data=drawn_picture(size=(5000, 4000), kind="BMP")))
    picture = images(blocks)[0].picture
    assert picture is not None
    assert len(picture.data) <= 1_000_000


def test_a_picture_with_too_many_pixels_is_left_out() -> None:
    document, blocks = made(Figure(data=vast_picture()))
    assert blocks == []
    assert "too large" in document.warnings[0]
