"""Pictures and drawings without a caption."""

from __future__ import annotations

import io
from pathlib import Path

from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.drawings import drawn_picture
from tests.readers.pdfs import HEIGHT, WIDTH, Draw, both, chart, drawn, lines

BODY = [f"Line {number} of the running text, which is as long as such lines are wont to be." for number in range(8)]


def figures(blocks: list[ReadBlock]) -> list[ReadBlock]:
    return [block for block in blocks if block.block_type == "image"]


def picture(left: float, top: float, width: float, height: float, colour: str = "navy") -> Draw:
    def draw(canvas: Canvas) -> None:
        image = ImageReader(io.BytesIO(drawn_picture(colour)))
        canvas.drawImage(image, left, HEIGHT - top - height, width, height)

    return draw


def test_a_chart_on_a_slide_has_the_title_as_its_caption(tmp_path: Path, read: Read) -> None:
    slide = both(
        lines("Sales of pumps", top=70, size=28),
        chart(top=220),
        lines("2021   2022   2023", left=200, top=285, size=10),
        lines("The sales rose in every year.", left=72, top=460, size=14),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", slide))
    (figure,) = figures(blocks)
    assert figure.image_caption == "Sales of pumps"
    assert "2022" in figure.content
    assert "The sales rose in every year." in figure.content
    assert any("Sales of pumps" in block.content for block in blocks if block.block_type == "text")


def test_a_picture_in_a_report_is_a_figure_under_its_heading(tmp_path: Path, read: Read) -> None:
    page = both(
        lines(*BODY, top=60),
        lines("3 The housing", top=230, size=16),
        picture(100, 260, 300, 200),
        lines(*BODY, top=520),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert figure.image_caption == "3 The housing"


def test_a_picture_amid_much_text_is_not_called_its_subject(tmp_path: Path, read: Read) -> None:
    page = both(lines("Pumps", top=50, size=16), lines(*BODY, *BODY, *BODY, top=80), picture(100, 460, 300, 200))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (figure,) = figures(blocks)
    assert figure.content == ""


def test_small_logos_and_rules_are_not_figures(tmp_path: Path, read: Read) -> None:
    def rule(canvas: Canvas) -> None:
        canvas.line(72, HEIGHT - 80, 500, HEIGHT - 80)

    _, blocks = read(drawn(tmp_path / "a.pdf", both(picture(500, 20, 60, 40), rule, lines(*BODY, top=100))))
    assert figures(blocks) == []


def test_a_picture_on_page_after_page_is_decoration(tmp_path: Path, read: Read) -> None:
    pages = [
        both(picture(100, 40, 300, 120), lines(f"Chapter {n}", *BODY, top=300), chart(top=500, height=20.0 * n))
        for n in range(3, 7)
    ]
    _, blocks = read(drawn(tmp_path / "a.pdf", *pages))
    assert all(block.bbox is not None and block.bbox[1] > 400 for block in figures(blocks))
    assert len(figures(blocks)) >= 3


def test_a_page_that_is_one_picture_is_not_a_figure(tmp_path: Path, read: Read) -> None:
    _, blocks = read(drawn(tmp_path / "a.pdf", picture(0, 0, WIDTH, HEIGHT)))
    assert figures(blocks) == []
