"""Whether what was found answers: names that are missing, within a language and across."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpus.synthesis.answerability import signals
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
    judged = signals(read.question, read.readings, read.candidates, missing, 0.8)
    assert judged is not None
    assert judged.missing == counted
