"""Aggregates that an answer computes from a table, over the rows of the period that the question names."""

from __future__ import annotations

import re

import pytest

from corpus.synthesis.extractive.aggregates import compute, lacks_period
from corpus.synthesis.extractive.candidates import candidates
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.extractive.reading import read_source
from corpus.synthesis.sources import number_sources
from tests.values import hit, text_block

GERMAN = """| Datum | Posten | Betrag |
| --- | --- | --- |
| 15.01.2024 | Strom | 100,10 |
| 15.02.2024 | Strom | 200,20 |
| 15.03.2024 | Strom | 300,30 |
| 20.03.2024 | Wasser | 50,00 |
| 15.04.2024 | Strom | 400,40 |
| 02.10.2024 | Wasser | 60,00 |
| 09.10.2024 | Strom | 500,50 |
| 15.11.2024 | Strom | 900,90 |"""
ISO = """| Date | Airline | Route | Amount |
| --- | --- | --- | --- |
| 2023-11-03 | Condor | Rome | 100 |
| 2023-12-08 | Condor | Oslo | 150 |
| 2024-02-11 | Lufthansa | Oslo | 300 |
| 2024-05-20 | Lufthansa | Rome | 400 |
| 2024-08-01 | Lufthansa | Kiel | 500 |"""
SLASHES = """| Day | Item | Cost |
| --- | --- | --- |
| 01/05/2024 | Paper | 10 |
| 01/25/2024 | Paper | 20 |
| 05/01/2024 | Paper | 40 |
| 05/30/2024 | Paper | 80 |"""
MONTHS = "| Month | Cost |\n| --- | --- |\n| Jan | 1 |\n| Feb | 2 |\n| Mar | 4 |\n| Jun | 8 |\n| Sep | 16 |"
WORDS = (
    "| Month | Cost |\n| --- | --- |\n"
    "| Nov 2023 | 1 |\n| Dec 2023 | 2 |\n| Jan 2024 | 4 |\n| Feb 2024 | 8 |\n| Mar 2024 | 16 |"
)


def computed(table: str, query: str) -> tuple[str | None, bool]:
    readings = [read_source(source) for source in number_sources([hit(text_block(table), 1.0)])]
    question = parse_question(query)
    ranked = candidates(readings, question)
    made = compute(readings, ranked, question)
    return made.written if made else None, lacks_period(readings, ranked, question)


@pytest.mark.parametrize(
    ("table", "query", "value"),
    [
        (GERMAN, "Wie viel haben wir von Januar bis März 2024 insgesamt für Strom ausgegeben?", "600,60"),
        (GERMAN, "Wie viel haben wir zwischen Februar und April 2024 für Strom bezahlt?", "900,90"),
        (GERMAN, "Wie viel haben wir bis März für Strom bezahlt?", "600,60"),
        (GERMAN, "Wie viel haben wir seit Oktober 2024 für Strom bezahlt?", "1401,40"),
        (GERMAN, "Wie viel haben wir im Januar und April 2024 für Strom bezahlt?", "500,50"),
        (GERMAN, "Was war im Oktober 2024 unsere größte einzelne Ausgabe?", "500,50"),
        (GERMAN, "Was haben wir im ersten Quartal 2024 insgesamt für Strom ausgegeben?", "600,60"),
        (GERMAN, "Wie viel haben wir im 1. Quartal für Strom ausgegeben?", "600,60"),
        (GERMAN, "Wie viel haben wir im zweiten Halbjahr 2024 für Strom bezahlt?", "1401,40"),
        (GERMAN, "Wie viel haben wir vom 15.01.2024 bis 15.02.2024 für Strom bezahlt?", "300,30"),
        (ISO, "How much did we spend on Lufthansa in 2024?", "1200"),
        (ISO, "How much did we spend in total in 2023?", "250"),
        (ISO, "How much did we spend on Lufthansa until May 2024?", "700"),
        (ISO, "How much did we spend on Lufthansa since May 2024?", "900"),
        (ISO, "How much did we spend in the first half of 2024?", "700"),
        (ISO, "What was our largest amount in 2023?", "150"),
        (SLASHES, "How much did we spend on paper in January 2024?", "30"),
        (SLASHES, "How much did we spend on paper in May?", "120"),
        (MONTHS, "What is the total cost from January to March?", "7"),
        (MONTHS, "What is the total cost since March?", "28"),
        (MONTHS, "What is the total cost in Q1?", "7"),
        (MONTHS, "What is the total cost in Jan, Feb and Sep?", "19"),
        (MONTHS, "What is the total cost before March?", "3"),
        (MONTHS, "What is the total cost after February?", "28"),
        (GERMAN, "Wie viel haben wir von anfang januar bis ende märz 2024 für Strom bezahlt?", "600,60"),
        (GERMAN, "Wie viel haben wir vor März 2024 für Strom bezahlt?", "300,30"),
        (MONTHS, "What is the total cost between June and September?", "24"),
        (WORDS, "What is the total cost from November 2023 to February 2024?", "15"),
        (WORDS, "What is the average cost in 2024?", "9.33"),
        (WORDS, "What is the total cost?", "31"),
    ],
)
def test_only_rows_of_the_period_count(table: str, query: str, value: str) -> None:
    assert computed(table, query) == (value, False)


@pytest.mark.parametrize(
    ("table", "query"),
    [
        (GERMAN, "Wie viel haben wir im Juli 2024 für Strom bezahlt?"),
        (GERMAN, "Wie viel haben wir 2023 insgesamt für Strom ausgegeben?"),
        (ISO, "How much did we spend on Lufthansa in 2023?"),
        (ISO, "How much did we spend on Condor in the second half of 2024?"),
        (SLASHES, "How much did we spend on paper in March 2024?"),
        (MONTHS, "What is the total cost in Q4?"),
    ],
)
def test_a_period_without_rows_has_no_aggregate(table: str, query: str) -> None:
    assert computed(table, query) == (None, True)


def test_a_table_without_dates_is_not_limited_to_a_period() -> None:
    table = re.sub(r"^\| [^|]+", "", ISO, flags=re.MULTILINE)
    assert computed(table, "How much did we spend on Lufthansa in 2024?") == ("1200", False)


BIKES = """| Date | Bike | Workshop | Km | Cost EUR |
| --- | --- | --- | --- | --- |
| 2024-01-10 | Gravel | Kuhn | 100 | 40.10 |
| 2024-02-10 | Cargo | Kuhn | 200 | 90 |
| 2024-03-10 | Gravel | Nagel | 300 | 60 |
| 2024-04-10 | Cargo | Nagel | 400 | 5 |
| 2025-05-10 | Tandem | Nagel | 500 | 70.50 |"""
FIRST = "| Bike | Cost |\n| --- | --- |\n| Gravel | 40.10 |\n| Cargo | 90 |\n| Gravel | 60 |"
KASSE = """| Datum | Firma | Bezahlt von | Betrag |
| --- | --- | --- | --- |
| 01.02.2025 | Gärtnerei Blum | Jutta | 1.100,50 |
| 02.02.2025 | Optik Kern | Jutta | 200,00 |
| 03.02.2025 | Gärtnerei Blum | Emil | 50,00 |
| 04.03.2025 | Tischlerei Ruge | Emil | 1.300,00 |"""


def groups(table: str, query: str) -> list[tuple[str, str, int]]:
    readings = [read_source(source) for source in number_sources([hit(text_block(table), 1.0)])]
    question = parse_question(query)
    made = compute(readings, candidates(readings, question), question)
    return list(made.written_groups) if made else []


@pytest.mark.parametrize(
    ("table", "query", "first"),
    [
        (BIKES, "Which of our bikes has cost the most so far?", ("Gravel", "100.10", 2)),
        (BIKES, "Which bike cost the least in 2024?", ("Cargo", "95", 2)),
        (BIKES, "Which workshop did we pay the most?", ("Nagel", "135.50", 3)),
        (BIKES, "Did we spend more on the Gravel or on the Cargo bike?", ("Gravel", "100.10", 2)),
        (BIKES, "Did we pay less at Kuhn or at Nagel?", ("Kuhn", "130.10", 2)),
        (BIKES, "Did we pay more at Kuhn or at Nagel in 2024?", ("Kuhn", "130.10", 2)),
        (KASSE, "Wer hat am meisten bezahlt?", ("Emil", "1350,00", 2)),
        (FIRST, "Which bike has cost the most?", ("Gravel", "100.10", 2)),
        (KASSE, "Welche Firma hat uns am meisten gekostet?", ("Tischlerei Ruge", "1300,00", 1)),
        (KASSE, "Haben wir mehr bei Blum oder bei Kern ausgegeben?", ("Gärtnerei Blum", "1150,50", 2)),
        (KASSE, "Haben wir im Februar weniger bei Blum oder bei Kern ausgegeben?", ("Optik Kern", "200,00", 1)),
    ],
)
def test_compared_sums_come_with_the_requested_one_first(table: str, query: str, first: tuple[str, str, int]) -> None:
    assert groups(table, query)[:1] == [first]


@pytest.mark.parametrize(
    ("table", "query", "value"),
    [
        (BIKES, "What was the single most expensive job on the Gravel bike?", "60"),
        (BIKES, "How much have we left at Nagel altogether?", "135.50"),
        (BIKES, "How often did we take the Cargo to a workshop?", "2"),
        (KASSE, "Wie viel haben wir insgesamt bei Blum gelassen?", "1150,50"),
        (KASSE, "Welche Rechnung war die teuerste?", "1300,00"),
        (KASSE, "Wie oft haben wir bei der Gärtnerei bezahlt?", "2"),
        (KASSE, "How much did Jutta pay in all?", "1300,50"),
    ],
)
def test_a_single_value_is_computed_over_the_rows_that_the_question_means(table: str, query: str, value: str) -> None:
    assert computed(table, query)[0] == value


@pytest.mark.parametrize(
    ("table", "query"),
    [
        (KASSE, "How much did we pay the carpenter in total?"),
        (KASSE, "How much did the optician cost us in 2025 altogether?"),
        (BIKES, "Wie viel haben wir insgesamt für Versicherungen bezahlt?"),
        (BIKES, "Wie viel hat der Anhänger 2024 insgesamt gekostet?"),
    ],
)
def test_no_sum_of_all_rows_is_given_for_a_thing_without_a_row(table: str, query: str) -> None:
    assert computed(table, query)[0] is None


LOANS = (
    "| Loan No | Member | Tool | Deposit EUR | Fee EUR |\n| --- | --- | --- | --- | --- |\n"
    "| 1001 | Ann | Drill | 50 | 12.00 |\n| 1002 | Bo | Ladder | 150 | 9.50 |\n| 1003 | Ann | Saw | 30 | 15.00 |"
)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("What is the total of the fees of all tool loans?", "36.50"),
        ("What is the sum of Fee EUR?", "36.50"),
        ("Which loan had the highest deposit?", "150"),
        ("How many loans did Ann make?", "2"),
    ],
)
def test_identifiers_are_neither_added_up_nor_compared(query: str, value: str) -> None:
    assert computed(LOANS, query)[0] == value


def test_a_note_among_the_rows_is_not_a_value() -> None:
    prices = "| Work | Weeks |\n| --- | --- |\n| Door | 4 |\n| Front door | 10 |\n| Prices of Ketterer |  |"
    assert computed(prices, "Which work of Ketterer takes the longest, in weeks?")[0] == "10"


def test_cells_with_the_meaning_of_a_question_word_select_its_rows() -> None:
    readings = [read_source(source) for source in number_sources([hit(text_block(KASSE), 1.0)])]
    question = parse_question("How much did we pay the carpenter in total?")
    meanings = {"carpenter": frozenset({"Tischlerei Ruge"})}
    made = compute(readings, candidates(readings, question), question, meanings)
    assert made is None  # a single row is the answer itself
    meanings = {"carpenter": frozenset({"Gärtnerei Blum"})}
    made = compute(readings, candidates(readings, question), question, meanings)
    assert made is not None
    assert made.written == "1150,50"


def test_a_sum_covers_one_sheet_of_a_workbook() -> None:
    table = "| Team | Cups |\n| --- | --- |\n| Leafs | {} |\n| Bruins | 6 |"
    blocks = [
        text_block(table.format(13), heading="'All time'!A2:B4"),
        text_block(table.format(0), heading="'Since 1967'!A2:B4", chunk_number=1),
    ]
    readings = [read_source(source) for source in number_sources([hit(block, 1.0) for block in blocks])]
    question = parse_question("How many cups have been won in all?")
    made = compute(readings, candidates(readings, question), question)
    assert made is not None
    assert set(made.rows) in ({(0, 0)}, {(1, 0)})
