"""Arabic and Hebrew lines are read in logical order, however a file draws them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from corpus.readers.pdf.text.right_to_left import Glyph, order_of_words, words_as_written
from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, drawn

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
needs_font = pytest.mark.skipif(not FONT.exists(), reason="needs the font DejaVu Sans")

# in logical order, and as a page shows it from left to right
LINES = [
    ("מספר המשאבה LK-720 ותקן (EN 733).", ".(EN 733) ןקתו LK-720 הבאשמה רפסמ"),
    ("בשנת 1990-1995 עלה ב-15% לפי IBM Germany.", ".IBM Germany יפל 15%-ב הלע 1990-1995 תנשב"),
    ("ראו סעיף 4.2(ב) ותרשים 7.", ".7 םישרתו (ב)4.2 ףיעס ואר"),
    ("طراز LK-720 وسعره 640 يورو.", ".وروي 640 هرعسو LK-720 زارط"),
    ("الضغط 12.5 bar في الغرفة 3.", ".3 ةفرغلا يف bar 12.5 طغضلا"),
    ("المواصفة (EN 733) متوفرة", "ةرفوتم (EN 733) ةفصاوملا"),
]


def whole(canvas: Canvas, shown: str, right: float, y: float) -> None:
    canvas.drawRightString(right, y, shown)


def letter_by_letter(canvas: Canvas, shown: str, right: float, y: float) -> None:
    """Draw the text without spaces, in the order in which the characters are written."""
    left = right - pdfmetrics.stringWidth(shown, "DejaVu", 13)
    for place in reversed(range(len(shown))):
        if shown[place] != " ":
            canvas.drawString(left + pdfmetrics.stringWidth(shown[:place], "DejaVu", 13), y, shown[place])


@needs_font
@pytest.mark.parametrize("draw", [whole, letter_by_letter])
def test_codes_numbers_and_brackets_stay_intact_in_right_to_left_lines(
    tmp_path: Path, read: Read, draw: Callable[[Canvas, str, float, float], None]
) -> None:
    def page(canvas: Canvas) -> None:
        pdfmetrics.registerFont(TTFont("DejaVu", FONT))
        canvas.setFont("DejaVu", 13)
        for number, (_, shown) in enumerate(LINES):
            draw(canvas, shown, 520, HEIGHT - 80 - 60 * number)

    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert "\n".join(block.content for block in blocks).splitlines() == [written for written, _ in LINES]
    assert all(0 < line.box[0] < line.box[2] < 521 for block in blocks for line in block.lines)


@needs_font
def test_hebrew_cells_are_read_in_logical_order(tmp_path: Path, read: Read) -> None:
    rows = [
        ["ריחמ", "הדובע ץחל", "םגד"],
        ["ורוי 640", "bar 12", "LK-720"],
        ["ורוי 800", "bar 8", "EN 733 םימ"],
    ]

    def page(canvas: Canvas) -> None:
        pdfmetrics.registerFont(TTFont("DejaVu", FONT))
        style = [("GRID", (0, 0), (-1, -1), 0.5, "black"), ("FONT", (0, 0), (-1, -1), "DejaVu", 11)]
        table = Table(rows, style=style)
        table.wrapOn(canvas, 400, 400)
        table.drawOn(canvas, 100, 600)

    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert blocks[0].content.splitlines()[0] == "| מחיר | לחץ עבודה | דגם |"
    assert "| 640 יורו |" in blocks[0].content
    assert "| מים EN 733 |" in blocks[0].content


def test_letters_of_a_ligature_keep_their_order() -> None:
    boxes = {"ا": (30, 0, 40, 10), "ل": (20, 0, 30, 10), "خ": (20, 0, 30, 10), "ط": (10, 0, 20, 10)}
    glyphs = [Glyph(letter, box, index) for index, (letter, box) in enumerate(boxes.items())]
    assert [word.text for word in words_as_written(glyphs, 10, ())] == ["الخط"]


def test_marks_follow_their_letters() -> None:
    boxes = [("ك", (20, 0, 30, 10)), ("َ", (23, 0, 27, 3)), ("ت", (10, 0, 20, 10)), ("َ", (13, 0, 17, 3))]
    glyphs = [Glyph(letter, box, index) for index, (letter, box) in enumerate(boxes)]
    assert [word.text for word in words_as_written(glyphs, 10, ())] == ["كَتَ"]


def test_words_in_latin_script_keep_their_order() -> None:
    assert order_of_words(["the", "pump"]) == [0, 1]
    assert order_of_words(["EN", "733", "מים"]) == [2, 0, 1]
