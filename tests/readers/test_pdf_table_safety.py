"""A grid assigns each word to a row and column. In case of doubt there is no grid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from corpus.readers.elements.captions import Mentions
from corpus.readers.pdf.tables.grid import Cell, Grid
from corpus.readers.pdf.tables.grid_validation import is_doubtful
from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.pdfs import HEIGHT, Draw, both, drawn, lines
from tests.readers.test_pdf_tables import BODY, rows_of, ruled, rules, tables

Placed = tuple[float, float, str]


def put(*texts: Placed, to_right: bool = False) -> Draw:
    """Draw each text at its position, from the top left corner, or with its right end there."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for x, y, text in texts:
            (canvas.drawRightString if to_right else canvas.drawString)(x, HEIGHT - y, text)

    return draw


def grid(rows: Sequence[Sequence[str]], header: int = 1) -> Grid:
    """Draw a grid. A line end separates the lines of a cell; `+` before a text makes it span the next column too."""
    cells = [
        Cell(row, column, tuple(text.lstrip("+").split("\n")), 1, 1 + text.startswith("+"))
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text
    ]
    return Grid(len(rows), len(rows[0]), tuple(cells), header, (0, 0, 100, 100))


def test_words_on_the_left_and_numbers_on_the_right_are_one_column(tmp_path: Path, read: Read) -> None:
    columns = {120: "Alder", 196: "Birch", 272: "Cedar"}
    heads = put((44, 140, "Year"), *((left, 140, name) for left, name in columns.items()))
    years = put(*((100, 140 + 16 * n, str(2000 + n)) for n in range(1, 9)), to_right=True)
    numbers = put(
        *((left + 70, 140 + 16 * n, str(500 + 7 * n)) for left in columns for n in range(1, 9 if left == 196 else 7)),
        to_right=True,
    )
    none = put(*((left, 140 + 16 * n, "N/A") for left in (120, 272) for n in range(7, 9)))
    page = both(put((44, 120, "Table 1: Pumps sold")), heads, years, numbers, none)
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    assert rows_of(table)[0] == ["Year", "Alder", "Birch", "Cedar"]
    assert rows_of(table)[1] == ["2001", "507", "507", "507"]
    assert rows_of(table)[8] == ["2008", "N/A", "556", "N/A"]


def test_a_header_half_a_line_above_the_others_applies_to_all_titles_below_it(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("Table 1: Scores", top=100),
        rules(110, 140, 195, right=390),
        put((205, 121, "Hops"), (72, 127, "Model"), (330, 127, "Other"), (150, 133, "two")),
        put((210, 133, "three"), (270, 133, "four")),
        *(
            put(
                (72, 152 + 15 * n, name),
                *((x, 152 + 15 * n, f"{51 + n}.{x % 7}") for x in (150, 210, 270, 330)),
            )
            for n, name in enumerate(("Alder", "Birch", "Cedar"))
        ),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    assert rows_of(table)[0] == ["Model", "Hops two", "Hops three", "Hops four", "Other"]


def test_rows_with_mostly_empty_cells_stay_separate(tmp_path: Path, read: Read) -> None:
    rows = [
        ("Alarms", "yes", "yes"),
        ("Remote access", "yes", "yes"),
        ("Data export", "", "yes"),
        ("Phone", "", "yes"),
    ]
    page = both(
        lines("Table 1: Plans", top=100),
        rules(110, 130, 200),
        put((72, 124, "Feature"), (250, 124, "Basic"), (340, 124, "Plus")),
        *(
            put(*((x, 144 + 15 * n, text) for x, text in zip((72, 250, 340), row, strict=True) if text))
            for n, row in enumerate(rows)
        ),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    assert rows_of(table)[1:] == [list(row) for row in rows]


def test_a_rule_below_several_numbers_marks_a_sum(tmp_path: Path, read: Read) -> None:
    rows = [("Revenue", "4,120", "3,870"), ("Costs", "2,610", "2,540"), ("Profit", "1,510", "1,330")]
    page = both(
        lines("Table 1: Statement", top=100),
        rules(110, 130, 180),
        rules(163, left=245, right=375),
        put((250, 124, "2023"), (340, 124, "2022")),
        *(
            put(*((x, 144 + 15 * n, text) for x, text in zip((72, 250, 340), row, strict=True)))
            for n, row in enumerate(rows)
        ),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    assert rows_of(table)[1:] == [list(row) for row in rows]


def test_rows_between_two_rules_are_read_line_by_line(tmp_path: Path, read: Read) -> None:
    rows = [("Name", "Type"), ("Level", "Real"), ("Area\nWidth", "Real\nReal"), ("File\nOff", "Text\nFlag")]
    _, blocks = read(drawn(tmp_path / "a.pdf", both(ruled(rows), lines(*BODY, top=260))))
    assert [rows_of(table)[2:4] for table in tables(blocks)] in ([], [[["Area", "Real"], ["Width", "Real"]]])


def test_a_title_that_is_not_a_row_stays_in_the_text(tmp_path: Path, read: Read) -> None:
    def upright(canvas: Canvas) -> None:
        for x in (240, 330):
            canvas.line(x, HEIGHT - 106, x, HEIGHT - 200)

    page = both(
        upright,
        rules(84, 122, 200),
        put((200, 98, "Pumps of the year")),
        put((72, 116, "Model"), (250, 116, "Power"), (340, 116, "Weight")),
        *(put((72, y, f"Type {y}"), (250, y, f"{y} kW"), (340, y, f"{y + 8} kg")) for y in (140, 155, 170, 185)),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert len(tables(blocks)) == 1
    assert sum("Pumps of the year" in block.content for block in blocks if block.block_type == "text") == 1


def test_cells_with_several_numbers_or_two_next_to_an_empty_one_are_doubtful() -> None:
    plain = [("a", "1", "2"), ("b", "3", "4"), ("c", "5", "6"), ("d", "7", "8")]
    assert not is_doubtful(grid([("Name", "X", "Y"), *plain]))
    assert is_doubtful(grid([("Name", "X", "Y"), *plain, ("e", "2.1 - 0.5", "9")]))
    assert is_doubtful(grid([("Name", "X", "Y"), *plain, ("e", "9 10", "")]))
    assert not is_doubtful(grid([("Name", "X", "Y"), *plain, ("e", "12 345 678", "9 000")]))
    assert not is_doubtful(grid([("Name", "X", "Y"), *plain, ("e", "3 ± 1", "")]))


def test_a_single_column_of_numbers_without_a_title_is_doubtful() -> None:
    body = [("a", "1", "2"), ("b", "3", "4")]
    assert is_doubtful(grid([("Name", "X", ""), *body]))
    assert is_doubtful(grid([("Name", "+Number Percent", ""), *body]))
    assert not is_doubtful(grid([("", "X", "Y"), *body]))


def test_merged_rows_are_detected_by_lines_that_are_entries_elsewhere() -> None:
    rows = [("Name", "Type"), ("a", "Real"), ("b\nc", "Real\nReal")]
    assert is_doubtful(grid(rows))
    assert not is_doubtful(grid([("Name", "Use"), ("a", "Real"), ("long\nname", "of two\nlines")]))


def test_a_caption_within_the_rows_is_doubtful() -> None:
    assert is_doubtful(grid([("Table 5. Loans", "", ""), ("Name", "X", "Y"), ("a", "1", "2")], header=2))


def test_the_text_about_a_table_is_found_with_its_picture(tmp_path: Path, read: Read) -> None:
    said = "All pumps are heavier than they look, as Table 3 shows."
    page = both(
        lines(said, top=60),
        lines("Table 3: Pumps and what they weigh", top=100),
        ruled([("Model", "Mass"), ("Alder", "81 kg"), ("Birch", "94 kg")], top=115),
        lines(*BODY, top=240),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    pictures: list[ReadBlock] = [block for block in blocks if block.block_type == "image"]
    assert [said in block.content for block in pictures] == [True]


def test_tables_and_figures_with_one_number_are_distinguished() -> None:
    mentions = Mentions()
    mentions.see("See Figure 2 for the flow.")
    mentions.see("See Table 2 for the mass.")
    mentions.see("Table 4: What a pump weighs")
    assert mentions.of("2") == "See Figure 2 for the flow."
    assert mentions.of("2", "table") == "See Table 2 for the mass."
    assert mentions.of("4", "table") == ""


def test_entries_centred_in_unseparated_rows_are_kept_as_lines(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("Table 1: Parts", top=100),
        rules(110, 130, 215),
        put((72, 124, "Part"), (180, 124, "Use"), (340, 124, "Mass")),
        *(put((72, y, f"Part {y}"), (340, y, f"{y} kg")) for y in (150, 174, 198)),
        *(put((180, y - 6, "Holds the cover"), (180, y + 6, "over the motor")) for y in (150, 174, 198)),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert tables(blocks) == []
    (picture,) = (block for block in blocks if block.block_type == "image")
    assert picture.image_caption == "Table 1: Parts"
    assert any("Part 174" in block.content for block in blocks if block.block_type == "text")


def test_lines_between_two_rules_with_one_label_are_one_row(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("Table 1: Parts", top=100),
        rules(110, 130, 156, 182, 208),
        put((72, 124, "Part"), (180, 124, "Use"), (340, 124, "Mass")),
        *(put((72, y, f"Part {y}"), (340, y, f"{y} kg")) for y in (146, 172, 198)),
        *(put((180, y - 6, "Holds the cover"), (180, y + 6, "Over the motor")) for y in (146, 172, 198)),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    (table,) = tables(blocks)
    assert rows_of(table)[1] == ["Part 146", "Holds the cover Over the motor", "146 kg"]


def test_a_header_between_columns_applies_to_none(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("Table 1: Before and after", top=100),
        rules(110, 145, 215),
        put(
            (235, 124, "Before"),
            (72, 138, "Part"),
            (200, 138, "Count"),
            (260, 138, "Kept"),
            (340, 138, "Mass"),
        ),
        *(
            put((72, y, f"Part {y}"), (200, y, str(y)), (260, y, str(y + 1)), (340, y, f"{y} kg"))
            for y in (160, 174, 188, 202)
        ),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert not any("Before Count" in block.content or "Before Kept" in block.content for block in tables(blocks))


def test_rows_of_words_below_the_header_are_not_part_of_it(tmp_path: Path, read: Read) -> None:
    rows = [("Alder", "12 kW", "yes"), ("Birch", "15 kW", "no"), ("Cedar", "", "yes"), ("Elm", "9 kW", "")]
    page = both(
        lines("Table 1: Pumps", top=100),
        put((72, 124, "Model"), (250, 124, "Power"), (340, 124, "Spare")),
        *(
            put(*((x, 140 + 15 * n, text) for x, text in zip((72, 250, 340), row, strict=True) if text))
            for n, row in enumerate(rows)
        ),
        lines(*BODY, top=240),
    )
    _, blocks = read(drawn(tmp_path / "a.pdf", page))
    assert [rows_of(table)[1:] for table in tables(blocks)] == [[list(row) for row in rows]]


def test_an_unlabelled_line_of_words_and_two_quantities_in_one_cell_are_doubtful() -> None:
    rows = [("Name", "Use", "X"), ("a", "holds", "1"), ("b", "turns", "2")]
    assert not is_doubtful(grid(rows))
    assert is_doubtful(grid([*rows, ("", "and closes", "")]))
    assert is_doubtful(grid([("Name", "X"), ("a", "12 kg 7"), ("b", "3 kg 9")]))
    assert not is_doubtful(grid([("Name", "X"), ("a", "12 345"), ("b", "3 045")]))
