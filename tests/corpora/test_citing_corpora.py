"""Citations are read correctly, at least up to a floor, from answers and texts that were written to be hard to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.citations import cases, wrongly_read, wrongly_split

pytestmark = pytest.mark.slow


def test_citations_in_answers_are_read_correctly(corpora: Path) -> None:
    answers = cases(corpora, "citation_cases")
    wrong = [(case["id"], case["tag"], fields) for case, fields in wrongly_read(answers)]
    assert len(answers) - len(wrong) >= 64, wrong


def test_sentences_are_found_in_english_and_german(corpora: Path) -> None:
    texts = cases(corpora, "sentence_cases")
    for language, floor in (("en", 13), ("de", 12)):
        held = [case for case in texts if case["lang"] == language]
        wrong = [case["id"] for case in wrongly_split(held)]
        assert len(held) - len(wrong) >= floor, wrong
