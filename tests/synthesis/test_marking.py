"""What did not hold is said in the text of an answer, where it stands, and can be taken out again."""

from __future__ import annotations

import pytest

from corpus.synthesis.checking import checked
from corpus.synthesis.marking import marked, unmarked
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import numbered

SOURCES = numbered(
    [], [Observation("The pump turns at 2900 revolutions. It weighs 40 kg.", "https://a.example/x")]
)


def shown(answer: str, language: str | None = "en") -> str:
    return marked(answer, checked(answer, SOURCES, "en").claims, language)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It weighs 40 kg [1].", "It weighs 40 kg [1]."),
        ("It weighs 50 kg [1].", "It weighs 50 kg [1]. (a value differs from the source)"),
        ("Cheese is tasty [1]. It weighs 40 kg [1].",
         "Cheese is tasty [1]. (not found in the cited source) It weighs 40 kg [1]."),
        ("It weighs 40 kg [7].", "It weighs 40 kg [7]. (no such source)"),
        ("It weighs 40 kg [1][7].", "It weighs 40 kg [1][7]. (no such source)"),
        ("It weighs 40 kg.", "It weighs 40 kg."),
        ("Cheese is tasty.", "Cheese is tasty. (not found in the sources)"),
        ("It weighs 50 kg.", "It weighs 50 kg. (a value differs from the source)"),
        ("- It weighs 50 kg [1]\n- It turns", "- It weighs 50 kg [1] (a value differs from the source)\n- It turns"),
        ("**It weighs 50 kg [1].**", "**It weighs 50 kg [1].** (a value differs from the source)"),
        ("| pump | weighs |\n|---|---|\n| It | 50 kg [1] |\n",
         "| pump | weighs |\n|---|---|\n| It | 50 kg [1] (a value differs from the source) |\n"),
    ],
)  # fmt: skip
def test_a_mark_stands_behind_what_did_not_hold_and_nowhere_else(answer: str, expected: str) -> None:
    assert shown(answer) == expected
    assert unmarked(expected) == answer


def test_marks_are_in_the_language_of_the_question() -> None:
    assert shown("It weighs 50 kg [1].", "de") == "It weighs 50 kg [1]. (ein Wert weicht von der Quelle ab)"
    assert shown("It weighs 50 kg [1].", "fr") == shown("It weighs 50 kg [1].", None)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_mark_is_no_citation(language: str) -> None:
    answer = "It weighs 50 kg [1]. Cheese is tasty [1]. It weighs 40 kg [7]. Cheese is blue."
    once, again = checked(answer, SOURCES), checked(shown(answer, language), SOURCES)
    assert (again.citations, again.invalid) == (once.citations, once.invalid)
