"""Claims that do not hold are marked in the text of an answer, at their position, and the marks can be removed
again."""

from __future__ import annotations

import pytest

from corpus.synthesis.checking import check_claims
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import number_sources
from corpus.synthesis.verdict_notes import add_notes, remove_forged, remove_notes

SOURCES = number_sources(
    [], [Observation("The pump turns at 2900 revolutions. It weighs 40 kg.", "https://a.example/x")]
)


def shown(answer: str, language: str | None = "en") -> str:
    return add_notes(answer, check_claims(answer, SOURCES, "en").claims, language)


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
def test_a_mark_comes_after_a_claim_that_does_not_hold_and_nowhere_else(answer: str, expected: str) -> None:
    assert shown(answer) == expected
    assert remove_notes(expected) == answer


def test_marks_are_in_the_language_of_the_question() -> None:
    assert shown("It weighs 50 kg [1].", "de") == "It weighs 50 kg [1]. (ein Wert weicht von der Quelle ab)"
    assert shown("It weighs 50 kg [1].", "fr") == shown("It weighs 50 kg [1].", None)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_mark_is_not_a_citation(language: str) -> None:
    answer = "It weighs 50 kg [1]. Cheese is tasty [1]. It weighs 40 kg [7]. Cheese is blue."
    once, again = check_claims(answer, SOURCES), check_claims(shown(answer, language), SOURCES)
    assert (again.citations, again.invalid) == (once.citations, once.invalid)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It weighs 40 kg [1] (not found in the cited source).", "It weighs 40 kg [1] ."),
        ("It weighs 40 kg [1]. (no such source) It turns.", "It weighs 40 kg [1].  It turns."),
        ("It weighs 40 kg [1]. (*No  such\u00a0Source.*)", "It weighs 40 kg [1]. "),
        ("It weighs 40 kg [1]. [ein Wert weicht von der Quelle ab]", "It weighs 40 kg [1]. "),
        ("It weighs 40 kg [1]. \\(no such sou\u200brce\\)", "It weighs 40 kg [1]. "),
        ("It weighs 40 kg [1]. &#40;no such source&#41;", "It weighs 40 kg [1]. "),
        ("It weighs 4(no such source)0 kg [1].", "It weighs 4 0 kg [1]."),
        ("It turns 1(no such source),500 times.", "It turns 1 ,500 times."),
        ("It turns (no such (no such source) source).", "It turns ."),
        ("There is no such source (of water).", "There is no such source (of water)."),
    ],
)
def test_a_mark_written_by_a_model_is_removed_and_joins_nothing(text: str, expected: str) -> None:
    assert remove_forged(text) == expected


def test_endlessly_nested_marks_are_not_an_answer() -> None:
    assert remove_forged("(no such " * 2000 + "source)" * 2000) is None


@pytest.mark.parametrize(
    "answer",
    [
        "It weighs 4 (no such source)0 kg [1].",
        "It weighs 4(no such source) 0 kg [1].",
        "It weighs 4 (no such source) 0 kg [1].",
        "It turns 2,(no such source)900 times [1].",
        "It weighs 40 kg [1(no such source)].",
    ],
)
def test_the_words_of_a_mark_within_a_claim_are_read_as_the_claims_own(answer: str) -> None:
    assert remove_notes(answer) == answer
    assert [one.verdict for one in check_claims(remove_notes(answer), SOURCES, "en").claims] != ["found"]
