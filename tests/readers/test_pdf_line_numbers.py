"""Line numbers in the margin are separated from the text, and numbers that belong to the text are kept."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, drawn, lines

PROSE = (
    "The witness left the harbour on 9 June 2021 and sold the boat for 7,200 euros to a man from the next village, who "
    "never paid the second half of the price. He then went to the court of the town and asked for help, which was "
    "refused in the autumn of that year. The boat was found 14 miles off the coast by a crew of 5 men."
)
ROWS = textwrap.wrap(PROSE, 40)


def numbered(pitch: float, left: float, step: int = 1, first: int = 1) -> Draw:
    """Draw the prose with a number next to each line, or next to each `step`th line."""

    def draw(canvas: Canvas) -> None:
        for number, row in enumerate(ROWS, first):
            if number % step == 0 and left < 90:
                canvas.drawRightString(left, HEIGHT - 80 - pitch * (number - first), str(number))
            canvas.drawString(96, HEIGHT - 80 - pitch * (number - first), row)
            if number % step == 0 and left > 90:
                canvas.drawString(left, HEIGHT - 80 - pitch * (number - first), str(number))

    return draw


def pleading(off: float) -> Draw:
    """Draw numbers down the entire page first, and then the prose next to them."""

    def draw(canvas: Canvas) -> None:
        for number in range(1, 26):
            canvas.drawRightString(70, HEIGHT - 80 - 24 * number, str(number))
        for number, row in enumerate(ROWS, 1):
            canvas.drawString(90, HEIGHT - 80 - 24 * number - off, row)

    return draw


@pytest.mark.parametrize(
    ("draw", "count"),
    [
        (numbered(18, 78), len(ROWS)),
        (numbered(28, 78), len(ROWS)),
        (numbered(14, 78, first=95), len(ROWS)),
        (numbered(15, 78, step=5, first=3), 2),
        (numbered(15, 480, step=5, first=3), 2),
        (numbered(15, 480), len(ROWS)),
        (pleading(0), 25),
        (pleading(5), 25),
    ],
)
def test_margin_numbers_are_left_out_and_counted(tmp_path: Path, read: Read, draw: Draw, count: int) -> None:
    document, blocks = read(drawn(tmp_path / "a.pdf", draw))
    text = "\n".join(block.content for block in blocks)
    assert " ".join(text.split()) == PROSE
    assert document.warnings == (f"Left out: {count} line numbers.",)


def beside(*rows: str, left: float = 96) -> Draw:
    def draw(canvas: Canvas) -> None:
        for number, row in enumerate(rows, 1):
            canvas.drawString(72, HEIGHT - 80 - 16 * number, str(number))
            canvas.drawString(left, HEIGHT - 80 - 16 * number, row)

    return draw


def paragraphs(canvas: Canvas) -> None:
    for number in range(1, 6):
        canvas.drawString(60, HEIGHT - 60 * number - 40, str(number))
        lines(*ROWS[:3], left=90, top=60 * number + 40)(canvas)


def cells(canvas: Canvas) -> None:
    for number, name in enumerate(("Anna", "berta", "clara", "dora", "emma"), 1):
        for column, text in enumerate((str(number), name, "of the northern shore", "1961")):
            canvas.drawString(72 + 110 * column, HEIGHT - 80 - 16 * number, text)


@pytest.mark.parametrize(
    "draw",
    [
        beside(
            "Apples from the garden",
            "pears from the neighbour",
            "Plums, dried",
            "Cherries",
            "nuts of all kinds",
        ),
        beside(
            "The captain opens the outer valve and waits for the lamp to be",
            "The engineer reads the pressure at the pump and writes it down",
            "The cook closes the windows of the galley on the windy side of",
            "The boy rings the bell three times and counts all the people.",
        ),
        paragraphs,
        cells,
    ],
)
def test_numbers_of_lists_paragraphs_and_rows_stay(tmp_path: Path, read: Read, draw: Callable[[Canvas], None]) -> None:
    document, blocks = read(drawn(tmp_path / "a.pdf", draw))
    words = "\n".join(block.content for block in blocks).split()
    assert {"1", "2", "3", "4"} <= set(words)
    assert not document.warnings
