"""Code keeps its lines and indentation, and prose in a monospaced font is prose."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines

CODE = """def repair(boat, hours=2):
    if boat.leaks:
        pump(boat)
    for part in boat.parts:
        replace(part,  by="new")
    return hours"""
MAIN = """int main(void) {
    while (i < 10) {
        i++;
    }
    return 0;
}"""
PROSE = (
    "The boats of the lake are kept in a table that the harbour master",
    "fills in each year. The function goes over all of them.",
)


def listing(code: str, left: float, top: float, *, spaces: bool = True, numbers: bool = False) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Courier", 9)
        for number, row in enumerate(code.split("\n")):
            indent = 0 if spaces else len(row) - len(row.lstrip())
            y = HEIGHT - top - 11 * number
            canvas.drawString(left + indent * 5.4, y, row if spaces else row.lstrip())
            if numbers:
                canvas.drawRightString(left - 10, y, str(number + 1))

    return draw


@pytest.mark.parametrize("spaces", [True, False])
@pytest.mark.parametrize("code", [CODE, MAIN])
def test_code_between_prose_keeps_its_lines_and_indents(tmp_path: Path, read: Read, code: str, spaces: bool) -> None:
    page = both(lines(*PROSE), listing(code, 90, 140, spaces=spaces), lines(*PROSE, top=230))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    text = "\n".join(block.content for block in blocks)
    assert text == "\n".join((" ".join(PROSE), code, " ".join(PROSE)))
    for block in blocks:
        parts = [block.content[line.start : line.end] for line in block.lines]
        assert [part.strip() for part in parts] == [
            *(part.strip() for part in PROSE),
            *(part.strip() for part in code.split("\n")),
            *(part.strip() for part in PROSE),
        ]


def test_listings_side_by_side_are_read_one_after_the_other(tmp_path: Path, read: Read) -> None:
    page = both(listing(CODE, 60, 80, spaces=False), listing(MAIN, 320, 80, spaces=False))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert "\n".join(block.content for block in blocks) == f"{CODE}\n{MAIN}"


def test_code_line_numbers_are_left_out_and_counted(tmp_path: Path, read: Read) -> None:
    document, blocks = read(drawn(tmp_path / "a.pdf", listing(MAIN, 90, 80, numbers=True)))
    assert "\n".join(block.content for block in blocks) == MAIN
    assert document.warnings == ("Left out: 6 line numbers.",)


def test_a_letter_in_a_typewriter_font_is_prose(tmp_path: Path, read: Read) -> None:
    letter = (
        "I have the honour to inform you that the boat which you sold",
        "to us last year (in June) has been found to leak, and that it",
        "has cost us 1,640 euros. We ask you to pay us this sum by the",
        "end of the month.",
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", lines(*letter, font="Courier")))
    assert blocks[0].content == " ".join(letter)


SPACED = """for i in range(9):
    x = i ** 2
    print(x)
    y = x
    z = 1"""
SETTINGS = """server:
  port: 8080
  regions:
    - west
    - east
  tls: true"""


@pytest.mark.parametrize("code", [SPACED, SETTINGS])
def test_lines_with_many_spaces_and_configuration_lines_keep_their_indents(
    tmp_path: Path, read: Read, code: str
) -> None:
    page = both(lines(*PROSE), listing(code, 90, 140, spaces=False), lines(*PROSE, top=230))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert code in "\n".join(block.content for block in blocks)


def test_code_in_a_shaded_box_is_not_a_table(tmp_path: Path, read: Read) -> None:
    def box(canvas: Canvas) -> None:
        canvas.setFillGray(0.93)
        canvas.rect(80, HEIGHT - 200, 400, 75, stroke=0, fill=1)
        canvas.setFillGray(0)

    _, blocks = read(drawn(tmp_path / "a.pdf", both(box, listing(SPACED, 90, 140, spaces=False))))
    assert "\n".join(block.content for block in blocks) == SPACED


def test_the_first_line_of_a_page_keeps_its_indent(tmp_path: Path, read: Read) -> None:
    rows = SPACED.split("\n")
    rest = "\n".join([*rows[1:], "print(y)"])
    _, blocks = read(drawn(tmp_path / "a.pdf", listing(rows[0] + "\n" + rows[1], 90, 700), listing(rest, 90, 80)))
    (page,) = (block for block in blocks if block.page_number == 2)
    assert page.content == rest
    assert [page.content[line.start : line.end].strip() for line in page.lines] == [
        row.strip() for row in rest.split("\n")
    ]
