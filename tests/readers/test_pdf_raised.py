"""Superscripts and subscripts in a PDF are separated from the number or word next to them, however they are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines

Part = tuple[str, float, float]
"""A text, its size and its rise, in points."""


def line(*parts: Part, top: float = 100, left: float = 72) -> Draw:
    """Draw one line of parts, one after the other."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(left, HEIGHT - top)
        for content, size, rise in parts:
            text.setFont("Helvetica", size)
            text.setRise(rise)
            text.textOut(content)
        canvas.drawText(text)

    return draw


CASES = {
    "a power": ((("The pond holds 10", 12, 0), ("6", 7.5, 4.5), (" litres.", 12, 0)), "holds 10⁶ litres."),
    "a negative power": ((("A charge of 10", 12, 0), ("−19", 7.5, 4.5), (" C.", 12, 0)), "of 10⁻¹⁹ C."),
    "a square": ((("A field of 450 m", 11, 0), ("2", 7, 4), (" lies fallow.", 11, 0)), "450 m² lies"),
    "a note's mark": ((("Heated to 950", 12, 0), ("3", 7.5, 4.5), (" degrees.", 12, 0)), "to 950 ³ degrees."),
    "a mark in almost the size": ((("Growth of 10", 24, 0), ("6", 22, 12), (" bales", 24, 0)), "of 10⁶ bales"),
    "a mark in the same size": ((("A height of 312", 12, 0), ("5", 12, 5), (" metres", 12, 0)), "312 ⁵ metres"),
    "a formula": ((("Pure H", 12, 0), ("2", 7, -2), ("O and CO", 12, 0), ("2", 7, -2), (".", 12, 0)), "H₂O and CO₂."),
    "an index": ((("The speed v", 12, 0), ("max", 7, -2), (" is low.", 12, 0)), "speed v_max is"),
    "both": ((("A term x", 12, 0), ("i", 7, -2), ("2", 7, 5), (" is added.", 12, 0)), "x_i² is"),
    "an ordinal": ((("On the 1", 12, 0), ("st", 7, 5), (" of May.", 12, 0)), "the 1st of May."),
    "a fraction": ((("Take 2", 12, 0), ("1", 7, 5), ("/", 12, 0), ("2", 7, -2), (" cups.", 12, 0)), "Take 2 1/2 cups."),
    "degrees": ((("It is 25 ", 12, 0), ("o", 7, 5), ("C today.", 12, 0)), "is 25 °C today."),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "right"), CASES.values(), ids=CASES)
def test_raised_and_lowered_text_is_distinguished_from_the_text_next_to_it(
    tmp_path: Path, read: Read, parts: tuple[Part, ...], right: str
) -> None:
    page = both(line(*parts), lines("The next line of the page is plain.", top=130))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert right in blocks[0].content


PLAIN = {
    "small capitals": (
        ("T", 16, 0),
        ("HE ", 12, 0),
        ("U", 16, 0),
        ("PPER ", 12, 0),
        ("M", 16, 0),
        ("ILL", 12, 0),
    ),
    "a smaller word": (("The mill is ", 12, 0), ("closed", 9, 0), (" today.", 12, 0)),
    "small print that stands a little higher": (("Total ", 12, 0), ("without the tax of the town", 8, 2)),
}


@pytest.mark.parametrize("parts", PLAIN.values(), ids=PLAIN)
def test_text_of_several_sizes_is_unchanged(tmp_path: Path, read: Read, parts: tuple[Part, ...]) -> None:
    page = both(line(*parts), lines("The next line of the page is plain.", top=130))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert "".join(text for text, _, _ in parts) in blocks[0].content


def test_a_power_drawn_after_its_line_is_in_its_position(tmp_path: Path, read: Read) -> None:
    page = both(
        line(("The dam holds 10", 11, 0)),
        line((" tons of stones.", 11, 0), left=164),
        line(("6", 6, 5), left=159),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert "The dam holds 10⁶ tons of stones." in blocks[0].content


def test_a_table_keeps_powers_in_their_cells(tmp_path: Path, read: Read) -> None:
    rows = both(
        *(
            both(lines(name, top=top), line(("10", 11, 0), (power, 7, 4), left=200, top=top), lines(
                "some stones", left=300, top=top))
            for top, name, power in ((100, "Dam", "6"), (116, "Wall", "4"), (132, "Weir", "3"))
        )
    )  # fmt: skip
    _, blocks = read(drawn(tmp_path / "a.pdf", rows))
    text = "\n".join(block.content for block in blocks)
    assert all(power in text for power in ("10⁶", "10⁴", "10³"))
