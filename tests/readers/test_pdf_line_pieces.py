"""A sentence is outlined at its position, even if the characters of its line have several sizes or spacings, and on an
upside-down page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from corpus.documents.block import Box
from corpus.documents.line_boxes import boxes_within
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock

LEFT, NEAR = 72.0, 6.0
SMALL, SPACED = "Small words come first here. ", "WIDE AND FAR. "
TURNED, WIDTH = "The pump is red and old.", 595.28


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> tuple[ReadBlock, ...]:
    path = tmp_path_factory.mktemp("pieces") / "uneven.pdf"
    canvas = Canvas(str(path), pagesize=(WIDTH, 841.89))
    text = canvas.beginText(LEFT, 770)
    text.setFont("Helvetica", 8)
    text.textOut(SMALL)
    text.setFont("Helvetica", 20)
    text.textOut("Change the seal. ")
    text.setFont("Courier", 9)
    text.textOut("It is worn.")
    canvas.drawText(text)
    text = canvas.beginText(LEFT, 700)
    text.setFont("Helvetica", 11)
    text.setCharSpace(4)
    text.textOut(SPACED)
    text.setCharSpace(0)
    text.textOut("Oil the valve now.")
    canvas.drawText(text)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(LEFT, 600, "An even line of usual letters is kept as one.")
    canvas.showPage()
    canvas.setPageRotation(180)
    canvas.setFont("Helvetica", 12)
    for number in range(6):
        canvas.drawString(100, 700 - 16 * number, f"{TURNED} Change the seal after {number} hours of work.")
    canvas.showPage()
    canvas.save()
    return tuple(step for step in read_pdf(path) if isinstance(step, ReadBlock))


def _boxes(blocks: tuple[ReadBlock, ...], sentence: str) -> Iterator[Box]:
    block = next(block for block in blocks if sentence in block.content)
    at = block.content.index(sentence)
    yield from boxes_within(block.lines, block.content, at, at + len(sentence))


def test_character_sizes_may_change_within_a_line(blocks: tuple[ReadBlock, ...]) -> None:
    (box,) = _boxes(blocks, "Change the seal.")
    begin = LEFT + stringWidth(SMALL, "Helvetica", 8)
    assert box[0] == pytest.approx(begin, abs=NEAR)
    assert box[2] == pytest.approx(begin + stringWidth("Change the seal.", "Helvetica", 20), abs=NEAR)


def test_characters_may_be_spaced_apart_in_a_part_of_a_line(blocks: tuple[ReadBlock, ...]) -> None:
    (box,) = _boxes(blocks, "Oil the valve now.")
    begin = LEFT + stringWidth(SPACED, "Helvetica", 11) + 4 * len(SPACED)
    assert box[0] == pytest.approx(begin, abs=NEAR)


def test_pieces_of_a_line_share_one_box_and_an_even_line_is_one_piece(blocks: tuple[ReadBlock, ...]) -> None:
    (box,) = _boxes(blocks, "Change the seal. It is worn.")
    assert box[2] > LEFT + stringWidth(SMALL, "Helvetica", 8) + stringWidth("Change the seal. ", "Helvetica", 20)
    block = next(block for block in blocks if "An even line" in block.content)
    assert len([line for line in block.lines if line.start >= block.content.index("An even line")]) == 1


def test_on_an_upside_down_page_a_line_begins_at_its_right(blocks: tuple[ReadBlock, ...]) -> None:
    (box,) = _boxes(blocks, TURNED)
    assert box[2] == pytest.approx(WIDTH - 100, abs=NEAR)
    assert box[0] == pytest.approx(WIDTH - 100 - stringWidth(TURNED, "Helvetica", 12), abs=NEAR)
