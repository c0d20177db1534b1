"""Text that runs upwards, downwards or upside down is read from its first line to its last, and so are tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from corpus.documents.block import Box
from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, WIDTH, both, drawn, lines

FERRY = (
    "The ferry was built by a yard on the northern shore of the lake and",
    "carries ninety cars when the water is calm, which is most of the year.",
    "In a storm it stays in the harbour until noon.",
)
ROWS = [["Ferry", "Cars", "Year"], ["Anna", "90", "1961"], ["Berta", "40", "1974"], ["Clara", "12", "1902"]]
GRID = """| Ferry | Cars | Year |
| --- | --- | --- |
| Anna | 90 | 1961 |
| Berta | 40 | 1974 |
| Clara | 12 | 1902 |"""
BELOW = "Below the box stands a line that goes on to the right as far as it can."
HEADS = ("Inhabitants of the place", "Wells in use", "Sheep")


def page(canvas: Canvas, angle: int) -> None:
    """Draw a heading, a paragraph and a table, rotated clockwise by the angle."""
    corner = {0: (0, 0), 90: (0, HEIGHT), 180: (WIDTH, HEIGHT), 270: (WIDTH, 0)}[angle]
    height = WIDTH if angle in (90, 270) else HEIGHT
    canvas.translate(*corner)
    canvas.rotate(-angle)
    for number, text in enumerate(FERRY):
        canvas.drawString(72, height - 110 - 14 * number, text)
    table = Table(ROWS, style=[("GRID", (0, 0), (-1, -1), 0.5, "black")])
    table.wrapOn(canvas, 300, 300)
    table.drawOn(canvas, 72, height - 330)


def made(path: Path, angle: int, rotation: int) -> Path:
    # reportlab swaps the sides of a page that it rotates.
    canvas = Canvas(str(path), pagesize=A4 if rotation == 0 else A4[::-1])
    page(canvas, angle)
    canvas.setPageRotation(rotation)
    canvas.save()
    return path


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
@pytest.mark.parametrize("rotation", [0, 90])
def test_a_rotated_page_reads_like_the_upright_one(tmp_path: Path, read: Read, angle: int, rotation: int) -> None:
    _, blocks = read(made(tmp_path / "a.pdf", angle, rotation))
    assert [block.content for block in blocks][:2] == [" ".join(FERRY), GRID]


@pytest.mark.parametrize(
    ("angle", "box"),
    [
        (90, (455, 72, 494, 436)),
        (180, (159, 702, 523, 741)),
        (270, (101, 406, 140, 770)),
    ],
)
def test_boxes_of_a_rotated_page_are_where_the_file_shows_them(
    tmp_path: Path, read: Read, angle: int, box: Box
) -> None:
    _, blocks = read(made(tmp_path / "a.pdf", angle, 0))
    assert blocks[0].bbox == pytest.approx(box, abs=4)
    for line in blocks[0].lines:
        assert all(a >= b - 1 for a, b in zip(line.box[:2], blocks[0].bbox[:2], strict=True))
        assert all(a <= b + 1 for a, b in zip(line.box[2:], blocks[0].bbox[2:], strict=True))


@pytest.mark.parametrize("angle", [-90, 90, 180])
def test_a_rotated_box_is_a_separate_paragraph_between_the_text_above_and_below(
    tmp_path: Path, read: Read, angle: int
) -> None:
    def box(canvas: Canvas) -> None:
        canvas.translate(250, 520)
        canvas.rotate(angle)
        for number, text in enumerate(("Box one starts here and", "goes on with more words", "until it ends.")):
            canvas.drawString(0, -14 * number, text)

    below = lines(BELOW, top=540)
    _, blocks = read(drawn(tmp_path / "a.pdf", both(lines(*FERRY), below, box)))
    text = "\n".join(block.content for block in blocks)
    whole = "Box one starts here and goes on with more words until it ends."
    assert text.split("\n") == [" ".join(FERRY), whole, BELOW]


@pytest.mark.parametrize("angle", [90, -90])
@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("beside", [4, 60, 110])
def test_headers_written_upwards_or_downwards_are_headers(
    tmp_path: Path, read: Read, angle: int, ruled: bool, beside: int
) -> None:
    rows = (("Ardning", "610", "14", "900"), ("Gams", "480", "9", "350"), ("Weng", "91", "4", "81"))
    top, bottom = HEIGHT - 100, HEIGHT - 225

    def table(canvas: Canvas) -> None:
        canvas.drawString(72, bottom + beside, "Village")
        for column, head in enumerate(HEADS):
            canvas.saveState()
            canvas.translate(186 + 30 * column, bottom + 4 if angle == 90 else top - 4)
            canvas.rotate(angle)
            canvas.drawString(0, 0, head)
            canvas.restoreState()
        for number, (name, *values) in enumerate(rows, 1):
            canvas.drawString(72, bottom - 14 * number + 3, name)
            for column, value in enumerate(values):
                canvas.drawCentredString(185 + 30 * column, bottom - 14 * number + 3, value)
        if ruled:
            sides = [68, *(170 + 30 * column for column in range(4))]
            levels = [top, *(bottom - 14 * number for number in range(4))]
            canvas.grid(sides, levels)

    _, blocks = read(drawn(tmp_path / "a.pdf", table))
    assert blocks[0].content.splitlines() == [
        "| Village | Inhabitants of the place | Wells in use | Sheep |",
        "| --- | --- | --- | --- |",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def test_vertical_japanese_is_read_from_the_right_column_on(tmp_path: Path, read: Read) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3", isVertical=True))
    columns = ("船は毎朝七時に出ます。切", "符は窓口で買えます。子供", "は半額で乗れます。")

    def down(canvas: Canvas) -> None:
        canvas.setFont("HeiseiMin-W3", 14)
        for number, column in reversed(list(enumerate(columns))):
            canvas.drawString(500 - 26 * number, HEIGHT - 80, column)

    _, blocks = read(drawn(tmp_path / "a.pdf", down))
    assert blocks[0].content == "".join(columns)
