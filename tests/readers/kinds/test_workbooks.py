"""The visible content of a sheet is read in every format that supports it: number formats, adjacent tables, hidden
rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.readers.conftest import Read
from tests.readers.kinds.conftest import Text
from tests.readers.kinds.workbooks import BOOKS, Sheet, Writer, csv_file

SHOWN = [
    (8_641_250, '#,##0, "k EUR"', "8,641 k EUR"),
    (32_560_000, '0.0,,"M"', "32.6M"),
    (23, '0"%"', "23%"),
    (0.256, "0.0%", "25.6%"),
    (471_109_032, "00-000-0000", "47-110-9032"),
    (2.145833333333333, "[h]:mm", "51:30"),
    (2.65, "0.0", "2.7"),
    (0, '0;-0;"none"', "none"),
    (4_200_000, '[>=1000000]0.0,,"M";0', "4.2M"),
    (45413, "d mmmm yyyy", "1 May 2024"),
    (45413, "[$-407]d. mmmm yyyy", "1. Mai 2024"),
    (12.25, "# ?/?", "12 1/4"),
    (0.1 + 0.2, "General", "0.3"),
    (-1234.5, '"$"#,##0.00;("$"#,##0.00)', "($1,234.50)"),
    (12345, "0.00E+00", "1.23E+04"),
]
FORMATS = Sheet(
    rows=[("What", "Value"), *((f"value {n}", value) for n, (value, _, _) in enumerate(SHOWN))],
    formats={(n + 2, 2): code for n, (_, code, _) in enumerate(SHOWN)},
    texts={(n + 2, 2): text for n, (_, _, text) in enumerate(SHOWN)},
)


@pytest.mark.parametrize("kind", BOOKS)
def test_values_read_as_shown(tmp_path: Path, text: Text, kind: str) -> None:
    lines = text(BOOKS[kind](tmp_path, FORMATS)).splitlines()[2:]
    assert [line.strip("| ").split(" | ")[1] for line in lines] == [shown for _, _, shown in SHOWN]


SIDE_BY_SIDE = Sheet(
    rows=[
        ("Lake", "Depth", None, "Boat", "Seats"),
        ("Attersee", 169, None, "Swan", 6),
        ("Mondsee", 68, None, "Heron", 12),
        (None, None, None, "Tern", 4),
        (),
        ("Depths of the year 2021, as the office measured them.",),
    ]
)


@pytest.mark.parametrize(("kind", "write"), [*BOOKS.items(), ("csv", csv_file)])
def test_tables_side_by_side_and_a_remark_are_separate(tmp_path: Path, read: Read, kind: str, write: Writer) -> None:
    _, blocks = read(write(tmp_path, SIDE_BY_SIDE))
    assert [block.content for block in blocks] == [
        "| Lake | Depth |\n| --- | --- |\n| Attersee | 169 |\n| Mondsee | 68 |",
        "| Boat | Seats |\n| --- | --- |\n| Swan | 6 |\n| Heron | 12 |\n| Tern | 4 |",
        "Depths of the year 2021, as the office measured them.",
    ]
    places = [block.heading or (block.start_line, block.end_line) for block in blocks]
    assert places == ([(1, 3), (1, 4), (6, 6)] if kind == "csv" else ["Farms!A1:B3", "Farms!D1:E4", "Farms!A6:A6"])


GROUPS = Sheet(
    rows=[
        ("Region", 2025, None, 2026, None),
        (None, "Q1", "Q2", "Q1", "Q2"),
        ("North", 1, 2, 3, 4),
    ],
    merges=[(1, 1, 2, 1), (1, 2, 1, 3), (1, 4, 1, 5)],
)


@pytest.mark.parametrize("kind", BOOKS)
def test_group_headers_are_above_each_of_their_columns(tmp_path: Path, text: Text, kind: str) -> None:
    first = text(BOOKS[kind](tmp_path, GROUPS)).splitlines()[0]
    assert first == "| Region | 2025 Q1 | 2025 Q2 | 2026 Q1 | 2026 Q2 |"


MANY = Sheet(
    rows=[
        ("Valley", "Farm", "Remark"),
        *((("Upper" if n == 0 else None), f"Farm {n}", "hay " * 30) for n in range(80)),
    ],
    merges=[(2, 1, 81, 1)],
)


@pytest.mark.parametrize("kind", BOOKS)
def test_a_merged_cell_is_in_each_block_that_it_covers(tmp_path: Path, read: Read, kind: str) -> None:
    _, blocks = read(BOOKS[kind](tmp_path, MANY))
    assert len(blocks) > 3
    assert all(line.startswith("| Upper | Farm") for block in blocks for line in block.content.splitlines()[2:])


HIDDEN = Sheet(
    rows=[("Name", "Pay", "City"), ("Ann", 5, "Oslo"), ("secret", 7, "Rome"), ("Ben", 6, "Bern")],
    hidden_rows=[3],
    hidden_columns=["B"],
)


@pytest.mark.parametrize("kind", BOOKS)
def test_hidden_rows_and_columns_are_left_out_and_counted(
    tmp_path: Path, text: Text, warnings: Callable[[Path], str], kind: str
) -> None:
    path = BOOKS[kind](tmp_path, HIDDEN)
    assert text(path) == "| Name | City |\n| --- | --- |\n| Ann | Oslo |\n| Ben | Bern |"
    assert "Hidden text was left out in 2 places." in warnings(path)


RUNS = Sheet(
    rows=[("What", "Value"), ("pond", "x"), ("water", "x"), ("fee", "x"), ("gone", "x"), ("note", "x")],
    runs={
        (2, 2): [("10", "plain"), ("6", "raised"), (" litres", "plain")],
        (3, 2): [("H", "plain"), ("2", "lowered"), ("O", "plain")],
        (4, 2): [("4 euros", "struck"), ("5 euros", "plain")],
        (5, 2): [("all of it", "struck")],
        (6, 2): [("seen", "plain"), (" not seen", "white")],
    },
)


@pytest.mark.parametrize("kind", BOOKS)
def test_raised_lowered_and_struck_text_is_handled_within_a_cell(
    tmp_path: Path, text: Text, warnings: Callable[[Path], str], kind: str
) -> None:
    path = BOOKS[kind](tmp_path, RUNS)
    assert text(path).splitlines()[2:] == [
        "| pond | 10⁶ litres |", "| water | H₂O |", "| fee | 5 euros |", "| gone |  |", "| note | seen |",
    ]  # fmt: skip
    assert warnings(path) == "Hidden text was left out in 1 place. Left out: 2 struck passages."
