"""Detection of hits that do not answer the question: missing names, within a language and across languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.synthesis.answerability import ANSWERS, missing_names, signals
from corpus.synthesis.compose import material
from corpus.synthesis.sources import number_sources
from tests.values import hit, text_block

GERMAN = "Grönland unterzeichnete 1985 den Vertrag, der dem Land einen besonderen Status gibt."
ENGLISH = "The island signed the treaty in 1985, which gives the country a special status."


@pytest.mark.parametrize(
    ("text", "language", "missing", "counted"),
    [
        (GERMAN, "de", ("Greenland",), ()),
        (GERMAN, "de", ("Greenland", "XR-900"), ("XR-900",)),
        (ENGLISH, "en", ("Greenland",), ("Greenland",)),
    ],
)
def test_across_languages_only_a_name_with_digits_counts_as_missing(
    text: str, language: str, missing: tuple[str, ...], counted: tuple[str, ...]
) -> None:
    question = "When did Greenland sign the treaty with the XR-900?"
    read = material(question, number_sources([hit(replace(text_block(text), language=language))]))
    judged = signals(read, missing, 0.8)
    assert judged is not None
    assert judged.missing == counted


def test_a_year_must_be_in_the_document_that_answers() -> None:
    expenses = text_block("Expenses 2024: flights 320 euros.", doc_id="expenses")
    report = text_block("In 2023 the company grew.", doc_id="report")
    hits = [hit(expenses), hit(report)]
    assert missing_names("What did flights cost in 2023?", "en", hits) == ()
    assert missing_names("What did flights cost in 2023?", "en", hits, "expenses") == ("2023",)


@pytest.mark.parametrize(
    ("question", "text", "has"),
    [
        ("What is the price of the 2024 model?", "The 2024 model does 28 miles a gallon.", False),
        ("What is the price of the 2024 model?", "The 2024 model starts at $28,500.", True),
        ("Was kostet der Filter für den Trockner 40?", "Den Filter des Trockners 40 bei 30 °C waschen.", False),
        ("Was kostet der Filter?", "Preis brutto: 120", True),
        ("How much did it sell in 2023?", "On 25 April 2023 it reported results.", False),
        ("How much did it sell in 2023?", "Net revenue; 1,777; 1,474", True),
        ("How many hours does the battery last?", "The 45W adapter charges the battery.", False),
        ("How many hours does the battery last?", "It lasts up to five hours.", True),
    ],
)
def test_a_text_without_a_number_does_not_answer_a_question_for_one(question: str, text: str, has: bool) -> None:
    read = material(question, number_sources([hit(text_block(text))]))
    judged = signals(read, (), 0.8)
    assert judged is not None
    assert judged.lacks_kind is not has


def test_a_sum_over_a_month_without_a_row_is_not_answered() -> None:
    table = "| Datum | Posten | Betrag |\n| --- | --- | --- |\n| 15.01.2024 | Strom | 80,20 |\n"
    table += "| 12.02.2024 | Strom | 90,10 |"
    source = number_sources([hit(replace(text_block(table), language="de"))])
    for month, lacks in (("Februar", False), ("Juli", True)):
        read = material(f"Wie viel haben wir im {month} 2024 für Strom bezahlt?", source)
        judged = signals(read, (), 0.8)
        assert judged is not None
        assert judged.lacks_period is lacks


MACHINES = """| Asset | Item | Purchase price | Last calibration | Status | Next calibration due |
| --- | --- | --- | --- | --- | --- |
| A-1 | CNC lathe | 84500 | | in use | 2025-05-01 |
| A-2 | Band saw | | 2024-03-02 | | 2026-03-02 |"""
DEVICES = """| Gerät | Preis | Letzte Wartung | Standort |
| --- | --- | --- | --- |
| Kühltruhe | 900 | | Keller |
| Bandsäge | | 2024-03-02 | Halle |"""


@pytest.mark.parametrize(
    ("question", "table", "blank"),
    [
        ("When was the CNC lathe last calibrated?", MACHINES, True),
        ("When was the band saw last calibrated?", MACHINES, False),
        ("When is the next calibration of the CNC lathe due?", MACHINES, False),
        ("What was the purchase price of the band saw?", MACHINES, True),
        ("What was the purchase price of the CNC lathe?", MACHINES, False),
        ("What is the status of the band saw?", MACHINES, True),
        ("What is the status of the CNC lathe?", MACHINES, False),
        ("Which item was not calibrated, the CNC lathe or the band saw?", MACHINES, False),
        ("Wann war die letzte Wartung der Kühltruhe?", DEVICES, True),
        ("Wann war die letzte Wartung der Bandsäge?", DEVICES, False),
        ("Was war der Preis der Bandsäge?", DEVICES, True),
        ("An welchem Standort steht die Kühltruhe?", DEVICES, False),
    ],
)
def test_a_row_does_not_answer_if_the_cell_asked_for_is_empty(question: str, table: str, blank: bool) -> None:
    read = material(question, number_sources([hit(text_block(table))]))
    judged = signals(read, (), 0.8)
    assert judged is not None
    assert judged.is_blank is blank
    assert (judged.chance < ANSWERS) >= blank
