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


def test_a_table_without_dates_is_not_cut_to_a_period() -> None:
    table = re.sub(r"^\| [^|]+", "", ISO, flags=re.MULTILINE)
    assert computed(table, "How much did we spend on Lufthansa in 2024?") == ("1200", False)
