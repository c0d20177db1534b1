"""Tables of PDFs: as Markdown if they can be read safely, otherwise as their lines; always with a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table as PdfTable

from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines

Place = tuple[int, int]

MODELS = [
    ("Model", "Power", "Weight"),
    ("Alder", "12 kW", "81 kg"),
    ("Birch", "15 kW", "94 kg"),
    ("Cedar", "18 kW", "103 kg"),
]
BODY = [f"Line {number} of the running text, which is as long as such lines are wont to be." for number in range(6)]


def ruled(
    rows: Sequence[Sequence[str]], left: float = 72, top: float = 120, wide: float = 120, high: float = 20
) -> Draw:
    """Draw a table with lines around all cells. A cell may have several lines."""

    def draw(canvas: Canvas) -> None:
        right, y = left + wide * len(rows[0]), HEIGHT - top
        canvas.setFont("Helvetica", 10)
        canvas.line(left, y, right, y)
        for row in rows:
            parts = [cell.split("\n") for cell in row]
            for column, cell in enumerate(parts):
                for number, text in enumerate(cell):
                    canvas.drawString(left + column * wide + 5, y - 14 - 12 * number, text)
            height = high + 12 * (max(map(len, parts)) - 1)
            for column in range(len(row) + 1):
                canvas.line(left + column * wide, y, left + column * wide, y - height)
            y -= height
            canvas.line(left, y, right, y)

    return draw


def aligned(rows: Sequence[Sequence[str]], left: float = 72, top: float = 120, wide: float = 120) -> Draw:
    """Draw a table without lines."""
    return both(*(lines(*(row[n] or " " for row in rows), left=left + n * wide, top=top) for n in range(len(rows[0]))))


def rules(*tops: float, left: float = 68, right: float = 420) -> Draw:
    def draw(canvas: Canvas) -> None:
        for top in tops:
            canvas.line(left, HEIGHT - top, right, HEIGHT - top)

    return draw


def tables(blocks: list[ReadBlock]) -> list[ReadBlock]:
    return [block for block in blocks if block.block_type == "text" and "-t" in block.place]


def rows_of(block: ReadBlock) -> list[list[str]]:
    """Return the cells of a Markdown table, without the line below its header."""
    rows = [line.strip("|").split("|") for line in block.content.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if set("".join(row)) - set(" -")]


def test_a_ruled_table_is_markdown_with_its_picture(tmp_path: Path, read: Read) -> None:
    _, blocks = read(drawn(tmp_path / "a.pdf", both(lines(*BODY, top=40, size=9), ruled(MODELS))))
    (table,) = tables(blocks)
    assert rows_of(table) == [list(row) for row in MODELS]
    assert table.bbox == pytest.approx((72, 120, 432, 200), abs=2)
    (picture,) = (block for block in blocks if block.block_type == "image")
    assert picture.picture is not None
    assert "Birch 15 kW 94 kg" in picture.content
    assert sum("Birch" in block.content for block in blocks if block.block_type == "text") == 1


def test_lines_of_one_cell_stay_together(tmp_path: Path, read: Read) -> None:
    rows = [
        ("Part", "What it is for"),
        ("Seal", "keeps the water\nin the housing"),
        ("Rotor", "turns"),
        ("Cap", "closes"),
    ]
    _, blocks = read(drawn(tmp_path / "a.pdf", ruled(rows)))
    (table,) = tables(blocks)
    assert rows_of(table)[1] == ["Seal", "keeps the water in the housing"]


def test_entries_in_columns_under_a_caption_are_a_table(tmp_path: Path, read: Read) -> None:
    page = both(lines("Table 3: Pumps and what they weigh", top=100), aligned(MODELS, top=130), lines(*BODY, top=240))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    assert table.content.startswith("Table 3: Pumps and what they weigh\n")
    assert rows_of(table) == [list(row) for row in MODELS]
    (picture,) = (block for block in blocks if block.block_type == "image")
    assert picture.image_caption == "Table 3: Pumps and what they weigh"


def test_a_header_over_two_columns_applies_to_both(tmp_path: Path, read: Read) -> None:
    page = both(
        rules(110, 150, 230),
        rules(128, left=188, right=420),
        lines("Measured in the year 2023", left=215, top=122),
        aligned([("Model", "Power", "Weight"), *MODELS[1:]], top=144),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    head = rows_of(table)[0]
    assert head == ["Model", "Measured in the year 2023 Power", "Measured in the year 2023 Weight"]


def test_a_continued_table_has_its_header_on_each_page(tmp_path: Path, read: Read) -> None:
    first = [MODELS[0], *((f"First {n}", f"{n} kW", f"{n} kg") for n in range(30))]
    second = [(f"Second {n}", f"{n} kW", f"{n} kg") for n in range(6)]
    path = drawn(
        tmp_path / "a.pdf",
        both(lines("Table 1: All models", top=60), ruled(first, top=80)),
        ruled(second, top=60),
    )
    _, blocks = read(path)
    (rest,) = (block for block in tables(blocks) if block.page_number == 2)
    assert rest.content.startswith("Table 1: All models")
    assert rows_of(rest)[:2] == [list(MODELS[0]), list(second[0])]


@pytest.mark.parametrize(
    ("rows", "left", "top"),
    [(30, 110, 60), (30, 72, 300), (10, 72, 60)],
    ids=["with other sides", "further down the page", "after a table that ended above"],
)
def test_another_table_on_the_next_page_keeps_its_own_header(
    tmp_path: Path, read: Read, rows: int, left: float, top: float
) -> None:
    first = [MODELS[0], *((f"First {n}", f"{n} kW", f"{n} kg") for n in range(rows))]
    second = [("Boat", "Crew", "Length"), *((f"Boat {n}", f"{n}", f"{n} m") for n in range(6))]
    path = drawn(
        tmp_path / "a.pdf",
        both(lines("Table 1: All models", top=60), ruled(first, top=80)),
        ruled(second, left=left, top=top),
    )
    _, blocks = read(path)
    (own,) = (block for block in tables(blocks) if block.page_number == 2)
    assert rows_of(own)[:2] == [list(second[0]), list(second[1])]
    assert "All models" not in own.content


def test_a_long_text_over_several_rows_appears_once(tmp_path: Path, read: Read) -> None:
    note = "\n".join(f"Line {n} of a note that is too long for a label." for n in range(1, 5))
    rows = [["Boat", "Note"], ["Anna", note], ["Berta", ""], ["Clara", ""]]

    def draw(canvas: Canvas) -> None:
        table = PdfTable(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, "black"), ("SPAN", (1, 1), (1, 3))])
        table.wrapOn(canvas, 500, 500)
        table.drawOn(canvas, 72, 500)

    _, blocks = read(drawn(tmp_path / "a.pdf", draw))
    assert blocks[0].content.count("Line 1 of a note") == 1
    assert "| Berta |  |" in blocks[0].content


def test_text_in_two_columns_is_not_a_table(tmp_path: Path, read: Read) -> None:
    left = [f"The pump number {n} has been running well for" for n in range(20)]
    right = [f"several years now in the plant of number {n}" for n in range(20)]
    page = both(lines(*left, top=80, size=10), lines(*right, top=80, left=320, size=10))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert tables(blocks) == []


def test_contents_and_lists_of_numbers_are_not_tables(tmp_path: Path, read: Read) -> None:
    contents = both(
        lines(*(f"{n} Chapter of pumps {'. ' * 40}" for n in range(1, 9)), top=80),
        lines(*(f"{n * 7}" for n in range(1, 9)), left=480, top=80),
    )
    numbered = both(
        lines(*(f"{n}." for n in range(1, 9)), top=80),
        lines(*(f"Do step {n} with care" for n in range(1, 9)), left=110, top=80),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", contents, numbered))
    assert tables(blocks) == []


def test_contents_with_spaced_dots_are_not_a_table_of_dots(tmp_path: Path, read: Read) -> None:
    def contents(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.line(72, HEIGHT - 60, 520, HEIGHT - 60)
        for row in range(12):
            y = HEIGHT - 90 - 18 * row
            canvas.drawString(72, y, f"{row + 1}.1 Chapter")
            for dot in range(30):
                canvas.drawString(170 + 11 * dot, y, ".")
            canvas.drawString(505, y, str(row + 3))
        canvas.line(72, HEIGHT - 320, 520, HEIGHT - 320)

    _, blocks = read(drawn(tmp_path / "a.pdf", contents))
    assert [block.block_type for block in blocks] == ["text"]
    assert "|" not in blocks[0].content


def test_a_frame_around_text_is_not_a_table(tmp_path: Path, read: Read) -> None:
    page = both(ruled([("Warning: the housing is hot",)], wide=400), lines(*BODY, top=200))
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert tables(blocks) == []


def test_a_captioned_table_that_cannot_be_read_safely_keeps_its_lines_and_its_picture(
    tmp_path: Path, read: Read
) -> None:
    page = both(
        lines("Table 2: Notes on the pumps", top=100),
        rules(120, 210),
        lines("Alder and Birch are much alike in what they do", top=140),
        lines("Cedar", "Nobody knows", left=90, top=160),
        lines("stands apart from all of them in many ways", left=105, top=196),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert tables(blocks) == []
    (picture,) = (block for block in blocks if block.block_type == "image")
    assert picture.image_caption == "Table 2: Notes on the pumps"
    assert any("much alike" in block.content for block in blocks if block.block_type == "text")


@pytest.mark.parametrize(
    ("rows", "spans", "read_as"),
    [
        (
            [["Valley", "Farm"], ["Upper valley", "Berg"], ["", "Tal"], ["Lower valley", "Moos"], ["", "Ried"]],
            [((0, 1), (0, 2)), ((0, 3), (0, 4))],
            ["| Valley | Farm |", "| Upper valley | Berg |", "| Upper valley | Tal |", "| Lower valley | Moos |",
             "| Lower valley | Ried |"],
        ),
        (
            [["Bridge", "Mon", "Tue", "Wed"], ["North", "closed for works", "", "open"],
             ["South", "open", "open", "closed"]],
            [((1, 1), (2, 1))],
            ["| Bridge | Mon | Tue | Wed |", "| North | closed for works | closed for works | open |",
             "| South | open | open | closed |"],
        ),
        (
            [["Boat", "Cost", ""], ["", "min", "max"], ["Anna", "1", "2"], ["Berta", "3", "4"]],
            [((0, 0), (0, 1)), ((1, 0), (2, 0))],
            ["| Boat | Cost min | Cost max |", "| Anna | 1 | 2 |", "| Berta | 3 | 4 |"],
        ),
        (
            [["Boat", "Cars"], ["Large boats", ""], ["Anna", "90"], ["Small boats", ""], ["Berta", "40"]],
            [((0, 1), (1, 1)), ((0, 3), (1, 3))],
            ["| Boat | Cars |", "| Large boats |  |", "| Anna | 90 |", "| Small boats |  |", "| Berta | 40 |"],
        ),
    ],
)  # fmt: skip
def test_a_merged_cell_is_repeated_in_all_rows_and_columns_that_it_covers(
    tmp_path: Path, read: Read, rows: list[list[str]], spans: list[tuple[Place, Place]], read_as: list[str]
) -> None:
    def draw(canvas: Canvas) -> None:
        style = [("GRID", (0, 0), (-1, -1), 0.5, "black"), *(("SPAN", first, last) for first, last in spans)]
        table = PdfTable(rows, style=style)
        table.wrapOn(canvas, 500, 500)
        table.drawOn(canvas, 72, 500)

    _, blocks = read(drawn(tmp_path / "a.pdf", draw))
    head, _, *body = blocks[0].content.splitlines()
    assert [head, *body] == read_as
