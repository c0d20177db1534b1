"""The effect of headings, captions and document names on the text below them, in an answer without a model."""

from __future__ import annotations

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
