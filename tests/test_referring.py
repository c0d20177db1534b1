"""Questions for an entire document are recognised precisely, and ordinary questions are not delayed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corpus.lookup.document_resolution import description

CORPORA = os.environ.get("IBID_TEST_CORPORA")


@pytest.mark.parametrize(
    ("question", "noun", "words"),
    [
        ("Summarise the report", "report", ()),
        ("Could you please summarize the Q3 report in 3 sentences?", "report", ("q3",)),
        ("Give me a short summary of the finance report from 2024.", "report", ("finance", "2024")),
        ("What is the manual about?", "manual", ()),
        ("What's in the document?", "document", ()),
        ("Fasse den Bericht zusammen", "bericht", ()),
        ("Kannst du mir bitte das Handbuch kurz zusammenfassen?", "handbuch", ()),
        ("Eine Zusammenfassung des Berichts von 2024", "bericht", ("2024",)),
        ("Worum geht es im Vertrag?", "vertrag", None),
        ("Summarise the pump handling rules", None, ("pump", "handling", "rules")),
    ],
)
def test_a_description_is_recognised(question: str, noun: str | None, words: tuple[str, ...] | None) -> None:
    found = description(question)

    assert found is not None
    assert words is None or (found.noun, found.words) == (noun, words)


@pytest.mark.parametrize(
    "question",
    [
        "", "the report", "report", "Summarise a report", "Summarise the reports",
        "Summarise the report and the manual",
        "What does the report say about pumps?", "Who wrote the report?", "How does the pump work?",
        "Summarise all reports", "Wie lang ist der Bericht?", "Fasse alle Berichte zusammen", "Explain the pump seal",
        "Summarise " + "the report " * 50,
    ],
)  # fmt: skip
def test_any_other_question_is_ordinary(question: str) -> None:
    assert description(question) is None


@pytest.mark.skipif(not CORPORA, reason="IBID_TEST_CORPORA names no folder")
def test_no_question_of_the_corpora_is_taken_for_one() -> None:
    files = [*Path(str(CORPORA)).glob("*/*questions.jsonl"), *Path(str(CORPORA)).glob("ir/*/queries.jsonl")]
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    questions = [row.get("question") or row["text"] for row in rows]

    assert len(questions) > 100
    assert [one for one in questions if description(one)] == []
