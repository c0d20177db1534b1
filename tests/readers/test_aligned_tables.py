"""Tables in plain text, with columns aligned by spaces or tabs, and text that only looks like them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from corpus.readers.elements.aligned_table import aligned_tables, is_rule
from corpus.readers.mail.plain_body import body_elements
from corpus.synthesis.extractive.table import starts_table, table_of
from tests.readers.conftest import Read

TABLES: dict[str, tuple[str, list[str], tuple[str, ...], int]] = {
    "costs of a house": (
        """Kostenart                   2022        2023
-----------------------------------------------
Heizung und Warmwasser  14.820,00   17.365,40
Wasser                   6.120,00    6.480,10
-----------------------------------------------
Summe                   20.940,00   23.845,50""",
        ["Kostenart", "2022", "2023"],
        ("Summe", "20.940,00", "23.845,50"),
        3,
    ),
    "an empty first head": (
        """                       Limit (GBP)   Excess (GBP)
Buildings                  340,000            200
Escape of water             40,000            350
Frozen food                    500              0""",
        ["", "Limit (GBP)", "Excess (GBP)"],
        ("Frozen food", "500", "0"),
        3,
    ),
    "cells that are empty": (
        """Poste                     Recettes (EUR)   Dépenses (EUR)
Cotisations                     4 160,00
Tombola                           742,00
Location de la salle                             960,00
Total                           4 902,00         960,00""",
        ["Poste", "Recettes (EUR)", "Dépenses (EUR)"],
        ("Location de la salle", "", "960,00"),
        4,
    ),
    "words alone below a rule": (
        """Día      Actividad
=======  ====================
lunes    Yoga para mayores
martes   Taller de cerámica
jueves   Club de lectura""",
        ["Día", "Actividad"],
        ("jueves", "Club de lectura"),
        3,
    ),
    "three columns of words": (
        """Giorno      Corso        Aula
lunedì      Francese     Sala blu
martedì     Pittura      Laboratorio
venerdì     Coro         Palestra""",
        ["Giorno", "Corso", "Aula"],
        ("martedì", "Pittura", "Laboratorio"),
        3,
    ),
    "tabs that align": (
        "Artikel\t\tAantal\tPrijs\nSchroeven\t200\t4,50\nMoer\t\t50\t1,20\nRing\t\t75\t0,80",
        ["Artikel", "Aantal", "Prijs"],
        ("Moer", "50", "1,20"),
        3,
    ),
    "tabs that separate": (
        "Name\tTown\tPoints\nAnn Lee-Featherstone\tYork\t12\nBo\tStoke-on-Trent\t7\nCy\t\t31",
        ["Name", "Town", "Points"],
        ("Cy", "", "31"),
        3,
    ),
    "bars between cells": (
        """Jogo   | Hora  | Equipa A     | Equipa B
-------+-------+--------------+-----------
1      | 9:30  | Douro        | Ribeira
2      | 10:45 | Vila Nova    | Maristas
3      | 12:00 | Final        |""",
        ["Jogo", "Hora", "Equipa A", "Equipa B"],
        ("2", "10:45", "Vila Nova", "Maristas"),
        3,
    ),
    "no head": (
        """Äpfel      1,20 EUR
Birnen     2,40 EUR
Kirschen  11,90 EUR""",
        ["", ""],
        ("Birnen", "2,40 EUR"),
        3,
    ),
    "Chinese": (
        """项目          数量     单价
轴承            12     35.00
密封圈         140      2.50
水泵             3    890.00""",
        ["项目", "数量", "单价"],
        ("水泵", "3", "890.00"),
        3,
    ),
    "Russian": (
        """Месяц        Доход      Расход
Январь     120 500      98 300
Февраль    118 900     101 250
Март       131 000      97 800""",
        ["Месяц", "Доход", "Расход"],
        ("Март", "131 000", "97 800"),
        3,
    ),
    "years in the rows": (
        """2020   1990-1995   Wien    ja
2021   1996-2000   Graz    nein
2022   2001-2005   Linz    ja""",
        ["", "", "", ""],
        ("2020", "1990-1995", "Wien", "ja"),
        3,
    ),
    "units": (
        """Jour     Température   Temps
Lundi    20 °C         pluie
Mardi    22 °C         soleil
Jeudi    19 °C         vent""",
        ["Jour", "Température", "Temps"],
        ("Mardi", "22 °C", "soleil"),
        3,
    ),
    "an invoice": (
        """Pos  Bezeichnung      Menge    Gesamt
1    Montage          3 Std.   174,00
     mit Anfahrt
2    Rohr             12 m      54,00
                      Brutto   228,00""",
        ["Pos", "Bezeichnung", "Menge", "Gesamt"],
        ("", "", "Brutto", "228,00"),
        4,
    ),
    "names of groups": (
        """Zimmer         Fläche    Miete
Erdgeschoss
Küche           12 m²      140
Bad              6 m²       90
Obergeschoss
Schlafzimmer    18 m²      210
Kammer           5 m²       45""",
        ["Zimmer", "Fläche", "Miete"],
        ("Obergeschoss", "", ""),
        6,
    ),
    "two lines of head": (
        """               Strom       Gas
Monat           (kWh)     (m³)
------------------------------
Mai               210       31
Juni              198        9
Juli              187        4""",
        ["Monat", "Strom (kWh)", "Gas (m³)"],
        ("Juni", "198", "9"),
        3,
    ),
}

NO_TABLES = {
    "prose with two spaces after full stops": """It rained.  We walked on.  Nobody spoke for an hour.
The hut was shut.  We sat down.  Ann had bread.
It was cold.  We slept.  At six the sun rose again.
They came.  He sang.  The dog slept by the stove.""",
    "a poem": """    The fog comes
         on little cat feet.
    It sits looking
         over harbor and city""",
    "two addresses": """Marion Eckstein              Katharina Brandt
Badenia Versicherung AG      Lindenstraße 17
Am Markt 3                   79312 Emmendingen
76131 Karlsruhe""",
    "code": """int    count  = 12;
double sum    = 3.5;
long   offset = 900;""",
    "shell": """$ ls -l      12
$ du -sh     40
$ wc -l      77""",
    "a drawing": """+-----+      +-----+      +---+
|  A  | ---> |  B  | ---> | C |
+-----+      +-----+      +---+""",
    "another drawing": r"""   /\      /\      /\
  /  \    /  \    /  \
 /    \  /    \  /    \ """,
    "a list with aligned descriptions": """- Dachdeckerei Schätzle:      68.400 EUR, Beginn September
- Bedachungen Nord-Baden:     74.950 EUR, Beginn Juli
- Flachdach Profi GmbH:       63.900 EUR, Beginn März""",
    "a glossary": """HTML     Hypertext Markup Language, the language of web pages
CSS      Cascading Style Sheets, which tell how pages look
HTTP     Hypertext Transfer Protocol, which carries both""",
    "a table of contents": """1  Einleitung .............. 3
2  Bedienung ............... 12
3  Wartung ................. 40""",
    "labels": """Datum:          Donnerstag, 16. Mai 2024
Beginn:         18:30 Uhr
Ende:           21:05 Uhr
Teilnehmer:     11""",
    "stations of a life": """2006 - 2008   MSc Mechanical Engineering, University of Sheffield
              Supervisor: Prof. Eleanor Whitcombe
2002 - 2005   BEng Mechanical Engineering, University of Leeds
1993 - 2000   Lancaster Royal Grammar School""",
    "signatures": """gez. Sabine Rombach            gez. Dr. Peter Wehrle
Verwaltung                     Vorsitz""",
    "Markdown": """| Part  | Price |
| ----- | ----- |
| Seal  | 3     |
| Bolt  | 1     |""",
    "justified text": """The  boat  left  at  six and  turned  north  past  the old
pier,   where the   men  waited   with their   nets  and the
women had   lit  a  fire   of  driftwood,  as  they  did each
year   when  the first   herring  were  seen   off the  coast.""",
}


def words(text: str) -> list[str]:
    """Return the words of a text without rules and bars, in an order that does not depend on the columns."""
    lines = (line for line in text.splitlines() if not is_rule(line))
    return sorted(word for line in lines for word in line.replace("|", " ").split() if re.search(r"\w", word))


def table_in(content: str) -> tuple[list[str], list[tuple[str, ...]]]:
    lines = content.split("\n")
    start = next(n for n in range(len(lines) - 1) if starts_table(lines[n], lines[n + 1]))
    table = table_of(lines[start:])
    return list(table.head), list(table.rows)


@pytest.mark.parametrize("name", TABLES)
def test_aligned_columns_become_a_table_with_its_lines(tmp_path: Path, read: Read, name: str) -> None:
    text, head, row, count = TABLES[name]
    (tmp_path / "a.txt").write_text(f"One.\n\nTwo lines\nof text.\n\n{text}\n\nAfter it.\n", encoding="utf-8")
    _, blocks = read(tmp_path / "a.txt")
    table = next(block for block in blocks if block.place == "tt1")
    assert table_in(table.content)[0] == head
    rows = table_in(table.content)[1]
    assert row in rows
    assert len(rows) == count
    assert (table.start_line, table.end_line) == (3, 5 + len(text.split("\n")))
    assert table.content.startswith("Two lines of text.\n\n|")
    assert [block.content for block in blocks if block is not table] == ["One.", "After it."]


@pytest.mark.parametrize("name", NO_TABLES)
def test_text_that_only_looks_like_a_table_stays_as_written(tmp_path: Path, read: Read, name: str) -> None:
    text = f"Before.\n\n{NO_TABLES[name].rstrip()}\n\nAfter."
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    assert [block.content for block in read(tmp_path / "a.txt")[1]] == [text]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_a_mail_is_read_too(tmp_path: Path, read: Read, name: str) -> None:
    text, head, row, _ = TABLES[name]
    (tmp_path / "a.eml").write_text(
        f"Subject: a\nContent-Type: text/plain; charset=utf-8\n\nHello,\n\nsee below:\n\n{text}\n\nBye",
        encoding="utf-8",
    )
    content = "\n".join(block.content for block in read(tmp_path / "a.eml")[1])
    assert "see below:\n\n|" in content
    found, rows = table_in(content)
    assert found == head
    assert row in rows


def test_a_line_above_and_a_remark_below_stay_outside_the_table(tmp_path: Path, read: Read) -> None:
    rows = "Fruit      Price\nApple       1.20\nPear        2.40\nPlum        3.10"
    text = f"Prices of May:\n{rows}\nAll prices without tax."
    (tmp_path / "a.txt").write_text(text)
    _, blocks = read(tmp_path / "a.txt")
    assert [(block.start_line, block.end_line) for block in blocks] == [(1, 5), (6, 6)]
    assert blocks[0].content.startswith("Prices of May:\n\n| Fruit | Price |")
    assert blocks[1].content == "All prices without tax."


def test_each_part_of_a_long_table_has_its_header_its_caption_and_its_lines(tmp_path: Path, read: Read) -> None:
    rows = [f"Part {n:<20}{n * 3:>8}" for n in range(300)]
    (tmp_path / "a.txt").write_text("\r\n".join(["Stock", "", f"{'Name':<25}{'Count':>8}", *rows]), newline="")
    _, blocks = read(tmp_path / "a.txt")
    assert len(blocks) > 3
    place = 4
    for block in blocks:
        assert block.content.startswith("Stock\n\n| Name | Count |\n| --- | --- |\n")
        assert block.start_line == (1 if place == 4 else place)
        place += block.content.count("| Part")
        assert block.end_line == place - 1
    assert place == 304


def test_logs_and_other_texts_stay_as_written(tmp_path: Path, read: Read) -> None:
    text = TABLES["no head"][0]
    (tmp_path / "a.log").write_text(text)
    assert [block.content for block in read(tmp_path / "a.log")[1]] == [text]


LINES = st.lists(
    st.lists(
        st.sampled_from(["Ann", "12", "3,50", "2023", "a b", "文件", "- x", "----", "|", "", "."]), max_size=4
    ).map(lambda cells: "".join(cell.ljust(9) for cell in cells))
    | st.text("ab1 \t.-|\u00a0", max_size=20),
    max_size=12,
)


@settings(max_examples=300)
@given(LINES)
@example(["a  1", "b  2", "---", "c  3"])
def test_no_word_of_a_text_is_lost_or_moved_to_another_line(lines: list[str]) -> None:
    last = 0
    for found in aligned_tables(lines):
        assert last <= found.start < found.end <= len(lines)
        last = found.end
        assert words("\n".join(lines[found.start : found.end])) == words(
            "\n".join(" ".join(row) for row in found.table.rows)
        )
        for place, row in zip(found.rows, found.table.rows, strict=True):
            assert re.findall(r"\w+", " ".join(row)) == re.findall(r"\w+", lines[place])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.lists(st.sampled_from([*(table[0] for table in TABLES.values()), *NO_TABLES.values()]), max_size=4))
def test_no_word_of_a_file_or_a_body_is_lost(tmp_path: Path, read: Read, texts: list[str]) -> None:
    text = "Start\n\n" + "\n\n".join(texts)
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    content = "\n".join(block.content for block in read(tmp_path / "a.txt")[1])
    assert words(content) == words(text)
    elements = [text_of(element) for element in body_elements(text)]
    assert words("\n".join(elements)) == words(text)


def text_of(element: object) -> str:
    """Return the text of an element."""
    rows = getattr(element, "rows", ())
    caption = getattr(element, "caption", None) or ""
    return "\n".join([getattr(element, "text", caption), *(" ".join(row) for row in rows)])


@pytest.mark.parametrize("line", ["a  b", "a  1", "\t" * 400, "---", "a\tb", " ", "x" * 500 + "  1", "a | b"])
def test_a_hostile_text_is_read_quickly(line: str) -> None:
    assert len(list(aligned_tables([line] * 50_000))) <= 1
