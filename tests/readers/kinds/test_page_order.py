"""A page reads the same in every format with positions, whatever the order of its parts and its rotation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from tests.readers.kinds import writers
from tests.readers.kinds.conftest import Text

BARN = (
    "The fence of the barn is mended in March, when the ground is soft. New posts are cut from the ash trees by the "
    "road, and the old ones are burnt. The door is painted in April, red as it has been since the barn was built."
)
LAKE = (
    "The reeds of the lake are cut in May and dried on the shore. They cover the roofs of the boat houses in autumn. "
    "The swans are counted in June by the children of the school, who write the number on the board."
)
TITLE = "Work of the spring"
PARTS = (
    (TITLE, (0.5, 0.4)),
    ("Barn", (0.5, 1.6)),
    (BARN, (0.5, 2.1)),
    ("Lake", (5.2, 1.6)),
    (LAKE, (5.2, 2.1)),
)
"""Texts with their left and top in inches, in reading order: a title above two columns with headings."""

Make = Callable[[Path, list[tuple[str, tuple[float, float]]]], Path]


def pptx(folder: Path, parts: list[tuple[str, tuple[float, float]]]) -> Path:
    deck = Presentation()
    page = deck.slides.add_slide(deck.slide_layouts[6])
    for text, (left, top) in parts:
        width = 8 if text == TITLE else 4
        page.shapes.add_textbox(*map(Inches, (left, top, width, 0.4))).text_frame.text = text
    deck.save(str(folder / "a.pptx"))
    return folder / "a.pptx"


def odp(folder: Path, parts: list[tuple[str, tuple[float, float]]]) -> Path:
    frames = "".join(
        f'<draw:frame svg:x="{left}in" svg:y="{top}in" svg:width="{8 if text == TITLE else 4}in" '
        f'svg:height="0.4in"><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>'
        for text, (left, top) in parts
    )
    return writers.odp(folder, f"<draw:page>{frames}</draw:page>")


def pdf(turn: int) -> Make:
    def make(folder: Path, parts: list[tuple[str, tuple[float, float]]]) -> Path:
        size = (720, 540) if turn % 180 == 0 else (540, 720)
        canvas = Canvas(str(folder / "a.pdf"), pagesize=size)
        canvas.translate(*{0: (0, 0), 90: (540, 0), 180: (720, 540), 270: (0, 720)}[turn])
        canvas.rotate(turn)
        for text, (left, top) in parts:
            font = "Helvetica" if text in (BARN, LAKE) else "Helvetica-Bold"
            canvas.setFont(font, 12)
            for n, line in enumerate(simpleSplit(text, font, 12, 290)):
                canvas.drawString(left * 72, 540 - top * 72 - 12 - 15 * n, line)
        canvas.save()
        return folder / "a.pdf"

    return make


FORMATS: dict[str, Make] = {
    "pptx": pptx,
    "odp": odp,
    **{f"pdf turned by {turn}": pdf(turn) for turn in (0, 90, 180, 270)},
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("make", FORMATS.values(), ids=FORMATS)
def test_parts_are_read_in_human_reading_order(tmp_path: Path, text: Text, make: Make, seed: int) -> None:
    parts = list(PARTS)
    Random(seed).shuffle(parts)
    read = " ".join(text(make(tmp_path, parts)).split())
    assert read == " ".join(part for part, _ in PARTS)
