"""Reading order of the text of a page whose file has another order."""

from __future__ import annotations

from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.reading_order import in_reading_order
from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines

LEFT = [f"left {n:02d} the pump moves the water through" for n in range(12)]
RIGHT = [f"right {n:02d} a lamp is lit when the filter is" for n in range(12)]
STEP = 13.2


def test_columns_drawn_line_by_line_are_read_one_after_the_other(tmp_path: Path, read: Read) -> None:
    rows = [
        both(lines(one, left=60, top=100 + n * STEP), lines(other, left=320, top=100 + n * STEP))
        for n, (one, other) in enumerate(zip(LEFT, RIGHT, strict=True))
    ]
    _, blocks = read(drawn(tmp_path / "a.pdf", both(*rows)))
    assert in_order(blocks, *(line[:8] for line in LEFT + RIGHT))


def test_the_left_column_is_read_first_even_if_it_is_drawn_last(tmp_path: Path, read: Read) -> None:
    page = both(lines(*RIGHT, left=320), lines(*LEFT, left=60))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert in_order(blocks, *(line[:8] for line in LEFT + RIGHT))


def test_a_title_over_both_columns_is_read_first_even_if_it_is_drawn_last(tmp_path: Path, read: Read) -> None:
    title = lines("Everything about pumps and their many filters", size=18, top=70)
    page = both(lines(*LEFT, left=60, top=120), lines(*RIGHT, left=320, top=120), title)
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert in_order(blocks, "Everything", "left 00", "right 11")


def test_a_line_over_both_columns_separates_them(tmp_path: Path, read: Read) -> None:
    across = lines("Between the columns of one half and those of the other half stands this line", top=280)
    halves = [
        both(lines(*side[:6], left=left, top=150), lines(*side[6:], left=left, top=330))
        for side, left in ((LEFT, 60), (RIGHT, 320))
    ]
    _, blocks = read(drawn(tmp_path / "a.pdf", both(*halves, across)))
    assert in_order(blocks, "left 00", "left 05", "right 00", "Between", "left 06", "right 06", "right 11")


def test_cells_of_several_lines_are_read_row_by_row(tmp_path: Path, read: Read) -> None:
    rows = []
    for n in range(4):
        cells = (["Cause of the", f"trouble {n} found"], ["What to do then", f"is cure {n} of all"])
        rows += [lines(*cell, left=left, top=100 + 40 * n) for cell, left in zip(cells, (60, 320), strict=True)]
    _, blocks = read(drawn(tmp_path / "a.pdf", both(*rows)))
    assert in_order(blocks, *(f"{name} {n}" for n in range(4) for name in ("trouble", "cure")))


def test_footnotes_are_separate_blocks_after_the_text(tmp_path: Path, read: Read) -> None:
    def page(canvas: Canvas) -> None:
        lines(*LEFT, left=60)(canvas)
        lines("7", left=60, top=697, size=5)(canvas)
        lines("A note on the pump that nobody", "needs but its maker.", left=63, top=700, size=8)(canvas)
        lines(*RIGHT, left=320)(canvas)

    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert in_order(blocks[:-1], "left 00", "left 11", "right 00", "right 11")
    assert blocks[-1].content == "7 A note on the pump that nobody needs but its maker."


def test_small_text_without_a_mark_stays_in_place(tmp_path: Path, read: Read) -> None:
    small = lines("Prices are without tax and may", "change at any time.", left=60, top=700, size=8)
    _, blocks = read(drawn(tmp_path / "a.pdf", both(lines(*LEFT, left=60), small, lines(*RIGHT, left=320))))
    assert in_order(blocks, "left 11", "Prices", "right 00")


def test_words_written_upwards_are_in_no_paragraph(tmp_path: Path, read: Read) -> None:
    _, blocks = read(
        drawn(
            tmp_path / "a.pdf",
            both(lines(*LEFT[:4]), upwards("Pressure in bar", 300), lines(*LEFT[4:], top=152.8)),
        )
    )
    rows = [row for block in blocks for row in block.content.splitlines()]
    assert "Pressure in bar" in rows


def test_a_note_written_upwards_at_the_edge_comes_last(tmp_path: Path, read: Read) -> None:
    _, blocks = read(drawn(tmp_path / "a.pdf", both(upwards("Printed in Kiel", 585), lines(*LEFT))))
    assert in_order(blocks, "left 00", "left 11", "Printed in Kiel")


def test_a_small_listing_with_numbers_at_the_foot_is_not_a_footnote(tmp_path: Path, read: Read) -> None:
    listing = lines("4 bytes for the number of names", "8 bytes for each of the names", left=60, top=700, size=8)
    _, blocks = read(drawn(tmp_path / "a.pdf", both(lines(*LEFT, left=60), listing, lines(*RIGHT, left=320))))
    assert in_order(blocks, "left 11", "4 bytes", "8 bytes", "right 00")


def test_hebrew_columns_are_read_from_the_right() -> None:
    left, right = (
        [Line(f"{word} שלום עולם שלום עולם", (x, 100 + 14 * n, x + 200, 112 + 14 * n), 12) for n in range(6)]
        for word, x in (("אחרון", 60), ("ראשון", 320))
    )
    assert in_reading_order([*left, *right], (595, 842)) == [*right, *left]


def test_vertical_japanese_keeps_the_order_of_the_file() -> None:
    columns = [Line("日本語の文章", (500 - 20 * n, 100, 512 - 20 * n, 300), 12) for n in range(20)]
    assert in_reading_order(columns, (595, 842)) == columns


def upwards(text: str, left: float) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(left, HEIGHT - 300)
        canvas.rotate(90)
        canvas.drawString(0, 0, text)
        canvas.restoreState()

    return draw


def in_order(blocks: list[ReadBlock], *words: str) -> bool:
    """Return whether each text occurs once, and after the previous one."""
    text = " ".join(" ".join(block.content.split()) for block in blocks)
    places = [text.index(word) for word in words]
    return places == sorted(places) and all(text.count(word) == 1 for word in words)
