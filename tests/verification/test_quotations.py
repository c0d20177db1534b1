"""A literal quotation from a source in another language is read in that source's language."""

from __future__ import annotations

import pytest

from corpus.citing.protocol import Claim
from corpus.verification.protocol import SourceText
from corpus.verification.verify import verify

TABLE = "The states and their cases:\n\n| State | Cases | Deaths |\n| Michigan | 16,786 | 1,025 |  |  |\n"


def missing(claim: str, source: str) -> tuple[str, ...]:
    """Return the missing values of a claim in a German answer to an English source."""
    made = [Claim(claim, 0, len(claim), "sentence", (1,), ())]
    return verify(made, [SourceText(1, source, language="en")], "de")[0].missing


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("| Michigan | 16,786 | 1,025 | | |", TABLE),
        ("Michigan | 16,786 | 1,025", TABLE),
        ("The pump turns at 1.500 rad/s.", "It is small. The pump turns at 1.500 rad/s."),
    ],
)
def test_a_quotation_of_another_language_keeps_its_numbers(claim: str, source: str) -> None:
    assert missing(claim, source) == ()


@pytest.mark.parametrize(
    ("claim", "source", "wrong"),
    [
        ("| Michigan | 16,787 | 1,025 | | |", TABLE, ("16,787", "1,025")),
        ("In Michigan waren es 16,786 Fälle.", TABLE, ("16,786",)),
        ("Es sind 1.500 Pumpen.", "A share of 1.500 is kept, in 3 parts.", ("1.500",)),
        ("1.500", "A share of 1.500 is kept.", ("1.500",)),
        ("| 1.500 | 2.500 | 3 |", "| 1.500 | 2.500 | 3 |", ("1.500", "2.500")),
    ],
)
def test_text_that_is_not_a_quotation_is_read_in_the_language_of_the_answer(
    claim: str, source: str, wrong: tuple[str, ...]
) -> None:
    assert missing(claim, source) == wrong


@pytest.mark.parametrize(
    ("claim", "source", "language", "wrong"),
    [
        ("The reactor delivers 1,500 kW.", "The reactor delivers 1,500 kW to the grid.", "en", ()),
        ("The reactor delivers 1,500 MW.", "The reactor delivers 1,500 kW to the grid.", "en", ("1,500 MW",)),
        ("It holds 2,250 m³ of oil.", "The tank: it holds 2,250 litres of oil.", "en", ("2,250 m³",)),
        ("Der Reaktor liefert 1.500 MW.", "Der Reaktor liefert 1.500 kW ins Netz.", "de", ("1.500 MW",)),
        (
            "Das Budget: 4.125 Millionen Euro.",
            "Das Budget beträgt 4.125 Euro.",
            "de",
            ("4.125 Millionen Euro",),
        ),
    ],
)
def test_an_answer_too_short_for_detection_is_read_in_the_language_of_the_matching_source(
    claim: str, source: str, language: str, wrong: tuple[str, ...]
) -> None:
    made = [Claim(claim, 0, len(claim), "sentence", (1,), ())]
    assert verify(made, [SourceText(1, source, language)])[0].missing == wrong


def test_a_short_answer_without_source_words_is_read_in_either_language() -> None:
    """The answer may be in another language than its source."""
    claim = "Es sind 1.500."
    made = [Claim(claim, 0, len(claim), "sentence", (1,), ())]
    assert verify(made, [SourceText(1, "There are 1,500 pumps in all.", "en")])[0].missing == ()
