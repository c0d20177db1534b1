"""Shapes of a slide are read by their positions, whatever their order in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pptx import Presentation
from pptx.util import Inches, Pt

from tests.readers.kinds.conftest import Text

Place = tuple[float, float, float, float]
"""Left, top, width and height, in inches."""

Slide = Callable[..., Path]


@pytest.fixture
def slide(tmp_path: Path) -> Slide:
    """Create a slide of text boxes, in the order of the file."""

    def slide(boxes: list[tuple[str, Place]], bold: tuple[str, ...] = ()) -> Path:
        deck = Presentation()
        made = deck.slides.add_slide(deck.slide_layouts[6])
        for text, place in boxes:
            add(made.shapes, text, place, bold=text in bold)
        deck.save(str(tmp_path / "a.pptx"))
        return tmp_path / "a.pptx"

    return slide


def add(shapes: Any, text: str, place: Place, *, bold: bool = False) -> None:
    frame = shapes.add_textbox(*map(Inches, place)).text_frame
    frame.text = text
    for paragraph in frame.paragraphs:
        for run in paragraph.runs:
            run.font.bold, run.font.size = bold, Pt(18)


def test_a_heading_comes_before_the_text_below_it(slide: Slide, text: Text) -> None:
    assert text(slide([
        ("mend the fence\npaint the door", (0.5, 2.7, 4, 1)), ("Jobs at the barn", (0.5, 2, 4, 1)),
        ("cut the reeds\ncount the swans", (0.5, 4.7, 4, 1)), ("Jobs at the lake", (0.5, 4, 4, 1)),
    ])) == (
        "Jobs at the barn\nmend the fence\npaint the door\nJobs at the lake\ncut the reeds\ncount the swans"
    )  # fmt: skip


def test_columns_are_read_under_their_headings(slide: Slide, text: Text) -> None:
    assert text(slide([
        ("Barn", (0.5, 1, 3, 0.5)), ("Lake", (5, 1, 3, 0.5)),
        ("mend the fence\npaint the door", (0.5, 1.7, 3, 2)), ("cut the reeds\ncount the swans", (5, 1.7, 3, 2)),
    ])) == "Barn\nmend the fence\npaint the door\nLake\ncut the reeds\ncount the swans"  # fmt: skip


def test_columns_below_a_full_width_line_are_read_separately(slide: Slide, text: Text) -> None:
    assert text(slide([
        ("cut the reeds\ncount the swans", (5, 2.7, 3, 2)), ("Lake", (5, 2, 3, 0.5)), ("Barn", (0.5, 2, 3, 0.5)),
        ("mend the fence\npaint the door", (0.5, 2.7, 3, 2)),
        ("What is to be done in the spring of this year, by place and by week", (0.5, 1, 8, 0.5)),
        ("All of it is to be done by the end of May, by those who have signed for it", (0.5, 5.5, 8, 0.5)),
    ])).split("\n") == [
        "What is to be done in the spring of this year, by place and by week", "Barn", "mend the fence",
        "paint the door", "Lake", "cut the reeds", "count the swans",
        "All of it is to be done by the end of May, by those who have signed for it",
    ]  # fmt: skip


def test_labels_stay_before_the_text_next_to_them(slide: Slide, text: Text) -> None:
    assert text(slide([
        ("The yard was founded by two brothers who came from the coast to build boats", (3, 1, 6, 1)),
        ("The slip was lengthened, so that ferries of forty metres could be drawn ashore", (3, 3, 6, 1)),
        ("1921", (0.5, 1, 1.5, 0.5)), ("1948", (0.5, 3, 1.5, 0.5)),
    ])).startswith("1921\nThe yard was founded")  # fmt: skip


def test_bold_headers_are_read_with_their_columns(slide: Slide, text: Text) -> None:
    boxes = [
        ("Lake", (5, 1, 3, 0.5)),
        ("Barn", (0.5, 1, 3, 0.5)),
        ("reeds", (5, 2, 3, 0.5)),
        ("fence", (0.5, 2, 3, 0.5)),
    ]
    assert text(slide(boxes, bold=("Lake", "Barn"))) == "Barn\nfence\nLake\nreeds"


def test_a_group_is_read_at_its_position(tmp_path: Path, text: Text) -> None:
    deck = Presentation()
    made = deck.slides.add_slide(deck.slide_layouts[6])
    group = made.shapes.add_group_shape()
    add(group.shapes, "Lower heading", (1, 1, 3, 0.5))
    add(group.shapes, "lower text", (1, 1.7, 3, 0.5))
    group.top = Inches(5)  # its parts keep their positions within it
    add(made.shapes, "upper text", (1, 3, 3, 0.5))
    add(made.shapes, "Upper heading", (1, 2, 3, 0.5))
    deck.save(str(tmp_path / "a.pptx"))
    assert text(tmp_path / "a.pptx") == "Upper heading\nupper text\nLower heading\nlower text"


def test_a_heading_between_the_parts_of_a_group_is_read_between_them(tmp_path: Path, text: Text) -> None:
    deck = Presentation()
    made = deck.slides.add_slide(deck.slide_layouts[6])
    group = made.shapes.add_group_shape()
    add(group.shapes, "the first text", (1, 2, 3, 0.5))
    add(group.shapes, "the second text", (1, 4, 3, 0.5))
    add(made.shapes, "Second", (1, 3, 3, 0.5))
    add(made.shapes, "First", (1, 1, 3, 0.5))
    deck.save(str(tmp_path / "a.pptx"))
    assert text(tmp_path / "a.pptx") == "First\nthe first text\nSecond\nthe second text"


def test_an_equation_that_older_programs_do_not_show_is_read(tmp_path: Path, text: Text) -> None:
    deck = Presentation()
    made = deck.slides.add_slide(deck.slide_layouts[6])
    add(made.shapes, "The load", (1, 1, 3, 0.5))
    shape = made.shapes[0]._element
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    around = etree.SubElement(made.shapes._spTree, f"{{{space}}}AlternateContent")
    etree.SubElement(around, f"{{{space}}}Choice", Requires="a14").append(shape)
    etree.SubElement(around, f"{{{space}}}Fallback")
    deck.save(str(tmp_path / "a.pptx"))
    assert text(tmp_path / "a.pptx") == "The load"


def test_cards_are_read_row_by_row(slide: Slide, text: Text) -> None:
    places = {(x, y): f"{x}{y}" for y in (1, 4) for x in (6, 1)}
    boxes = [(f"text of {name}\nwhich goes on", (x, y + 0.5, 3, 1.0)) for (x, y), name in places.items()]
    boxes += [(f"Card {name}", (x, y, 3, 0.4)) for (x, y), name in places.items()]
    lines = text(slide(boxes)).split("\n")
    assert [line for line in lines if "of" in line or "Card" in line] == [
        "Card 11", "text of 11", "Card 61", "text of 61", "Card 14", "text of 14", "Card 64", "text of 64",
    ]  # fmt: skip


def test_years_come_before_their_events(slide: Slide, text: Text) -> None:
    events = [("2021", "Founded"), ("2022", "Moved to the lake"), ("2023", "Grown")]
    boxes = [(event, (3, y, 3, 0.5)) for y, (_, event) in enumerate(events, 1)]
    boxes += [(year, (0.5, y, 1.5, 0.5)) for y, (year, _) in enumerate(events, 1)]
    assert text(slide(boxes)) == "2021\nFounded\n2022\nMoved to the lake\n2023\nGrown"
