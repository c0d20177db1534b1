"""Tables of a sheet: one below the other or side by side, with titles, headers and remarks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.readers.office.sheets.regions import MAX_ROWS, Region, regions
from corpus.readers.office.sheets.sheet_grid import Area, Merges, Row


def grid(text: str, merges: tuple[Area, ...] = ()) -> list[Row]:
    """Return rows of cells from text with bars, as shown by a sheet with these merged cells."""
    carried, rows = Merges(merges), []
    for number, line in enumerate(text.strip("\n").split("\n"), 1):
        cells = tuple(cell.strip() for cell in line.split("|"))
        numeric = sum(1 << column for column, cell in enumerate(cells) if cell.isdigit())
        rows.append(carried.carry(Row(number, cells, numeric)))
    return rows


def shapes(text: str, merges: tuple[Area, ...] = ()) -> list[str]:
    """Return the title, first cell and last row of each region."""
    return [shape(region) for region in regions(grid(text, merges))]


def shape(region: Region) -> str:
    cells = [cell for row in region.rows for cell in row.cells if cell]
    if region.is_text:
        return " / ".join(cells)
    title = f"{region.caption}: " if region.caption else ""
    return f"{title}{cells[0]} {region.rows[0].number}-{region.rows[-1].number}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lake|Depth||Boat|Seats\nAtter|169||Swan|6\nMond|68||Heron|12", ["Lake 1-3", "Boat 1-3"]),
        (
            "Lake|Depth||Boat|Seats\nAtter|1||Swan|6\nMond|2||Heron|9\n\nFarm|Cows||Inn|Beds\nA|3||X|5\nB|4||Y|6",
            ["Lake 1-3", "Boat 1-3", "Farm 5-7", "Inn 5-7"],
        ),
        (
            "Lake|Depth||Boat|Seats||Inn|Beds\nAtter|1||Swan|6||X|5\nMond|2||Heron|9||Y|8\n||||||Z|8",
            ["Lake 1-3", "Boat 1-3", "Inn 1-4"],
        ),
        ("Year|Output||Year|Input\n2020|5||2021|7\n2021|6||2022|8", ["Year 1-3", "Year 1-3"]),
        (
            "Name|City||Boat|Owner\nAnn|Oslo||Swan|Ben\nEve|Rome||Heron|Kim\nBob|Rome",
            ["Name 1-4", "Boat 1-3"],
        ),
        ("Lake|Depth\nAtter|169\nMond|68||Boat|Seats\nFuschl|67||Swan|6", ["Lake 1-4", "Boat 3-4"]),
        ("Lakes|||Boats\nLake|Depth||Boat|Seats\nAtter|1||Swan|6", ["Lakes: Lake 2-3", "Boats: Boat 2-3"]),
        ("No|Name||No|Name\n1|Ann||11|Ben\n2|Eve||12|Kim", ["No 1-3", "No 1-3"]),
    ],
)
def test_tables_side_by_side_are_separate(text: str, expected: list[str]) -> None:
    assert shapes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Region|Q1||Q2\nNorth|1||2\nSouth|3||4",
        "|2024|||2025|\nRegion|Q1|Q2||Q1|Q2\nNorth|1|2||3|4\nSouth|1|2||3|4",
        "Part|Count||Remark\nWheel|4||\nBolt|5||sold out\nNut|5||",
        "Part|Count||Supplier|Price\nWheel|4||Kim|9\nBolt|5||Kim|8",
        "Name|Phone||Street|City\nAnn|12 34||Main 1|Oslo\nEve|45 67||High 2|Oslo",
        "Region||Q1|Q2\nNorth||1|2\nSouth||3|4",
    ],
)
def test_an_empty_column_within_a_table_does_not_split_it(text: str) -> None:
    assert len(shapes(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stock of May\nPart|Count\nWheel|4\n\nNote|Value\nVAT|0", ["Stock of May: Part 2-3", "Note 5-6"]),
        ("Sales\nItem|Price\nA|3\nCosts\nItem|Price\nC|3", ["Sales: Item 2-3", "Costs: Item 5-6"]),
        ("Item|Price\nA|3\nB|4\n\nTotal|7", ["Item 1-5"]),
        ("Sales|2023|2024\nA|3|4\n\nCosts|2023|2024\nA|1|2", ["Sales 1-2", "Costs 4-5"]),
        ("Item|Price\nFruit\nApple|3\nVegetables\nLeek|4", ["Item 1-5"]),
        (
            "Report\nAll figures in francs\n\nItem|Price\nA|3\n\nNext\n\nNote|Value\nB|4",
            ["Report – All figures in francs: Item 4-5", "Next: Note 9-10"],
        ),
    ],
)
def test_tables_below_each_other_are_separate_with_their_titles_and_totals(text: str, expected: list[str]) -> None:
    assert shapes(text) == expected


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("Item|Price\nA|3\nB|4\nSource: own counts", "Source: own counts"),
        ("Item|Price\nA|3\nB|4\n\n* without tax\n\nNote|Value\nC|4", "* without tax"),
        ("Item|Price\nA|3\nB|4\nFigures are provisional.", "Figures are provisional."),
        ("Item|Price\nA|3||without tax\nB|4", "without tax"),
        ("Item|Price\nA|3\nB|4\n\nto be checked\n\n\nNote|Value\nC|4", "to be checked"),
    ],
)
def test_a_remark_stays_separate(text: str, remark: str) -> None:
    assert remark in shapes(text)


def test_a_long_text_above_a_table_is_not_a_caption() -> None:
    assert shapes("All figures " * 40 + "\nItem|Price\nA|3")[0].startswith("All figures")


def test_merged_group_headers_are_above_each_of_their_columns() -> None:
    merges = (Area(1, 1, 1, 5), Area(2, 1, 3, 1), Area(2, 2, 2, 3), Area(2, 4, 2, 5))
    text = "Report||||\nRegion|Sales||Costs|\n|Plan|Actual|Plan|Actual\nNorth|1|2|3|4"
    (region,) = regions(grid(text, merges))
    assert region.caption == "Report"
    assert region.header == 2
    assert [row.cells for row in region.rows[:2]] == [
        ("Region", "Sales", "Sales", "Costs", "Costs"),
        ("Region", "Plan", "Actual", "Plan", "Actual"),
    ]


def test_group_headers_that_are_not_merged_are_above_each_of_their_columns_too() -> None:
    (region,) = regions(grid("|2024||2025|\nRegion|Q1|Q2|Q1|Q2\nNorth|1|2|3|4"))
    assert region.header == 2
    assert region.rows[0].cells == ("", "2024", "2024", "2025", "2025")


def test_a_merged_header_over_a_text_body_takes_no_row_of_it() -> None:
    (region,) = regions(grid("Name||City\nAnn|Lee|Oslo\nEve|Kim|Rome", (Area(1, 1, 1, 2),)))
    assert region.header == 1


def test_cells_merged_over_rows_and_columns_are_repeated_in_each() -> None:
    merges = (Area(2, 1, 4, 1), Area(4, 2, 4, 3))
    (region,) = regions(grid("Valley|Mon|Tue\nUpper|1|2\n|3|4\n|closed|", merges))
    assert [row.cells for row in region.rows[1:]] == [
        ("Upper", "1", "2"),
        ("Upper", "3", "4"),
        ("Upper", "closed", "closed"),
    ]


def test_a_row_merged_over_the_entire_table_is_read_once() -> None:
    (region,) = regions(grid("Item|Price\nA|1\nclosed in May|\nB|2", (Area(3, 1, 3, 2),)))
    assert [cell for cell in region.rows[2].cells if cell] == ["closed in May"]


def test_a_long_table_continues_under_its_two_header_rows() -> None:
    rows = grid("|2024||2025|\nRegion|Q1|Q2|Q1|Q2\n" + "\n".join(f"R{n}|1|2|3|4" for n in range(MAX_ROWS)))
    first, second = regions(rows)
    assert (first.repeated, second.repeated) == (0, 2)
    assert second.rows[:2] == first.rows[:2]
    assert [*first.rows, *second.rows[2:]] == [first.rows[0], *rows[1:]]


CELL = st.sampled_from(["", "", "", "Ann", "7", "2020", "a longer text. ", "* note"])


@given(st.lists(st.lists(CELL, max_size=7), max_size=25), st.booleans())
def test_every_cell_is_in_one_region_or_a_title(cells: list[list[str]], parts_at_blank: bool) -> None:
    rows = [
        Row(number, tuple(row), sum(1 << column for column, cell in enumerate(row) if cell.isdigit()))
        for number, row in enumerate(cells, 1)
    ]
    found = list(regions(rows, parts_at_blank=parts_at_blank))
    numbers = [row.number for region in found for row in region.rows[region.repeated :]]
    places = {(row.number, column) for region in found for row in region.rows for column in row.used}
    titles = {title for region in found for title in (region.caption or "").split(" – ")}
    assert len(numbers) <= sum(len(row) for row in cells)
    for row in rows:
        for column in row.used:
            assert (row.number, column) in places or row.cells[column] in titles
