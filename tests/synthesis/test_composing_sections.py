"""The effect of headings, captions and document names on the text below them, in an answer without a model."""

from __future__ import annotations

import pytest

from corpus.documents.block import Block
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.sources import number_sources
from tests.synthesis.composed import compose
from tests.values import hit, text_block

BUDGET = "Table 2: Money\n\n| Work | Budget |\n| --- | --- |\n| Pumps | {} |"


def answer(query: str, *blocks: Block) -> str:
    """Compose an answer from the blocks, in descending order of score."""
    return compose(query, number_sources([hit(one, 1 - n / 100) for n, one in enumerate(blocks)])).answer


def test_a_table_misplaced_in_a_section_does_not_answer_for_its_heading() -> None:
    heading = "9.2 Removing the rotating unit"
    steps = text_block("1. Drain the unit.\n2. Pull the unit.", page=18, heading=heading)
    rows = "| Work | Interval |\n| --- | --- |\n| Check for leakage | daily |"
    table = text_block(f"Table 6: Intervals\n\n{rows}", page=18, heading=heading)
    assert "leakage" not in answer("How do I remove the rotating unit?", steps, table)


def test_fields_at_the_start_of_a_record_are_quoted_with_its_text() -> None:
    fields = "- Date: 2025-08-28\n- Decided by: Ada\n- Status: in force"
    text = f"{fields}\n\nIt goes down from 12.5 to 12.0 bar. The change enters revision 7.\n\nMore of other things."
    said = answer("Which valve pressure was decided?", text_block(text, heading="Lower pressure of the valve"))
    assert "Decided by: Ada" in said
    assert "It goes down from 12.5 to 12.0 bar. The change enters revision 7." in said
    assert "other things" not in said


def test_an_unrelated_list_is_quoted_without_a_paragraph() -> None:
    text = "- Valves were decided.\n- Pumps were not.\n\nVendors may read the codes from afar."
    assert "Vendors" not in answer("Which valves were decided?", text_block(text, heading="Orders"))


def test_text_that_shares_only_its_headings_with_the_question_is_left_out() -> None:
    tools = text_block("Needed tools are a wrench and a gauge.", page=1, heading="Tools")
    other = text_block("The motor starts without a warning.", page=2, heading="Safety of maintenance")
    assert "motor" not in answer("Which tools are needed for maintenance?", tools, other)


def test_a_comparison_shows_the_text_below_the_relevant_heading_of_each_document() -> None:
    names = {"q3": "Q3 Report", "q1": "Q1 Report", "q2": "Q2 Report"}
    texts = [
        text_block(f"The {name} of Titan went well.", doc_id=doc, heading="Summary") for doc, name in names.items()
    ]
    tables = [text_block(BUDGET.format(f"{n}.10"), doc_id=doc, heading="Budget", page=2) for n, doc in enumerate(names)]
    hits = [hit(one, 1 - n / 20, title=names[one.doc_id]) for n, one in enumerate([*texts, *tables])]
    said = compose("Compare the Q1, Q2 and Q3 reports on the budget", number_sources(hits)).answer
    assert said.count("| Pumps |") == 3
    order = [said.index(f"## {name}") for name in sorted(names.values())]
    assert order == sorted(order)


def test_german_question_words_are_not_the_subject_of_a_question() -> None:
    assert parse_question("Wann muss die Dichtung gewechselt werden?").words == ("dichtung", "gewechselt")
    assert parse_question("Wie oft wird das Ventil geprüft?").words == ("ventil", "geprüft")
    assert parse_question("Wer hat das entschieden, und warum?").words == ("entschieden",)
    assert parse_question("Welche Werkzeuge brauche ich für die Wartung?").words == ("werkzeuge", "wartung")


LIMITS = """| Country | Hotel per night | Meals |
| --- | --- | --- |
| Norway | 185 | 75 |
| Sweden | 165 | 66 |"""
GRENZEN = """| Land | Hotel je Nacht | Verpflegung |
| --- | --- | --- |
| Norwegen | 185 | 75 |
| Schweden | 165 | 66 |"""


@pytest.mark.parametrize(
    ("query", "table", "pointer", "value"),
    [
        ("hotel norway", LIMITS, "Hotel limits per night are given in table 1.", "185"),
        ("hotel night sweden", LIMITS, "Hotel limits per night can be found in Annex B.", "165"),
        ("meals norway", LIMITS, "The limits for meals are in the appendix.", "75"),
        ("hotel norwegen", GRENZEN, "Die Grenzen für Hotels sind in Tabelle 1 angegeben.", "185"),
        ("verpflegung schweden", GRENZEN, "Die Verpflegung findet sich im Anhang 2.", "66"),
    ],
)
def test_keywords_that_name_a_row_are_answered_by_it_rather_than_by_a_pointer(
    query: str, table: str, pointer: str, value: str
) -> None:
    hits = [hit(text_block(pointer, page=1), 0.9), hit(text_block(table, page=2), 0.9)]
    answer = compose(query, number_sources(hits)).answer.partition("\n")[2]
    assert value in answer.partition("(Source")[0]


@pytest.mark.parametrize(
    ("query", "statement"),
    [
        ("Which boiler option was chosen, and why?", "The governors chose option B, the two smaller boilers."),
        ("Where was the boiler installed?", "The boiler was installed in the junior block."),
        ("Welche Heizung wurde gewählt?", "Gewählt wurde die Heizung B, die kleinere."),
        ("What does the boiler cost?", "The boiler costs 8,900 pounds."),
    ],
)
def test_header_lines_of_an_email_do_not_answer(query: str, statement: str) -> None:
    header = "- From: Ann Lee\n- To: Bo Ray\n- Date: Thu, 18 Jan 2024\n- Subject: Boiler, Heizung: which option? 2"
    answer = compose(query, number_sources([hit(text_block(f"{header}\n\n{statement}"), 0.9)])).answer
    assert statement in answer
    assert "From:" not in answer


def test_header_lines_of_an_email_answer_a_question_for_a_person() -> None:
    header = "- From: Ann Lee\n- To: Bo Ray\n- Subject: Boiler"
    answer = compose("Who wrote the mail about the boiler?", number_sources([hit(text_block(header), 0.9)])).answer
    assert "From: Ann Lee" in answer
