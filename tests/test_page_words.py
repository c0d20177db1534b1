"""The word before a page number: as configured, or according to the language."""

from __future__ import annotations

import pytest

from corpus.citations import PageWords


@pytest.mark.parametrize("question", ["How does the pump work?", "Wie funktioniert die Pumpe?", ""])
def test_a_fixed_word_applies_to_every_question(question: str) -> None:
    assert PageWords("Seite").for_question(question) == "Seite"


@pytest.mark.parametrize(
    ("question", "word"),
    [("Wie funktioniert die Pumpe?", "S."), ("How does the pump work?", "p."), ("XR-900", "p."), ("", "p.")],
)
def test_auto_follows_the_language_of_the_question(question: str, word: str) -> None:
    assert PageWords("auto").for_question(question) == word


@pytest.mark.parametrize(("language", "word"), [("de", "S."), ("de-AT", "S."), ("en", "p."), (None, "p.")])
def test_without_a_question_the_word_follows_the_language_of_the_document(language: str | None, word: str) -> None:
    assert PageWords("auto").for_language(language) == word
