"""However hostile an answer and its sources are, the computation to compare them is proportional to their length.

It is counted in calls of Python and C functions, so that the speed of the machine does not matter.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.synthesis.checking import MAX_CLAIMS, ClaimCheck, check_claims
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import number_sources
from corpus.verification.alignment import align
from corpus.verification.lexical_overlap import MAX_PLACES, Wording
from corpus.verification.protocol import SourceText

LONG = 3_000
MOST_CALLS = 2_000_000
PLAIN = "The pump turns at 2900 revolutions. It was built on 4 July 1999 by Anna Smith at 2:30 pm [1]. " * 10
PARTS = [
    "1) ", "(1) ", "- 1\n", "* 1 [1].\n", "| a | b |\n", "A. ", "A.B.", "z. B. ", "Der 1. ", "U.S. The ", "漢字。",
    "Water is wet. ", "Pump # is wet. ", "* Item # [1].\n", "|# bar|\n", "Valve A is #. ", "[1-99999]", "[1][2]",
    "1.1.", "1 000 ", "1:2:3 ", "1/2/3/", "4-5-6-7 July ", "2 pm ", "5 million million ", "×10^", "5 m m ", "½", "5°",
    "Of The ", "A and B ", "\u0301", "👨‍👩‍👧", "İ", "“", "(a.pdf, S. 1", "http://", "<", "0", " ",
]  # fmt: skip


def long(part: str, length: int = LONG) -> str:
    text = "".join(part.replace("#", str(n)) for n in range(length // len(part) + 1))
    return text[:length]


def calls_of(what: Callable[[], object]) -> int:
    count = 0

    def event(frame: FrameType, kind: str, arg: object) -> None:
        nonlocal count
        count += kind in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(event)
    try:
        what()
    finally:
        sys.setprofile(before)
    return count


def against(answer: str, *texts: str) -> ClaimCheck:
    return check_claims(
        answer,
        number_sources([], [Observation(text, f"https://a.example/{n}") for n, text in enumerate(texts)]),
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_long_run_of_anything_is_compared_in_bounded_time(part: str) -> None:
    text = long(part)
    assert calls_of(lambda: against(text, text)) < MOST_CALLS
    assert calls_of(lambda: against(PLAIN, text)) < MOST_CALLS


@settings(max_examples=5)
@given(st.lists(st.sampled_from(PARTS) | st.text(min_size=1, max_size=3), min_size=2, max_size=4).map("".join))
def test_a_long_run_of_several_things_is_compared_in_bounded_time(part: str) -> None:
    text = long(part)
    assert calls_of(lambda: against(text, text)) < MOST_CALLS


def test_a_repeated_claim_is_compared_once() -> None:
    once = calls_of(lambda: against("The pump is wet [1].", PLAIN))
    often = calls_of(lambda: against("The pump is wet [1].\n\n" * 200, PLAIN))
    assert often < 2 * once + 200 * 400


def test_of_thousands_of_claims_the_first_are_checked_and_the_rest_are_counted() -> None:
    check = against(" ".join(f"Pump {n} is wet [1]." for n in range(MAX_CLAIMS + 70)), PLAIN)
    assert (len(check.claims), check.unchecked) == (MAX_CLAIMS, 70)


def test_a_word_on_every_line_is_not_checked_everywhere_but_rare_words_are_found() -> None:
    source = SourceText(1, "The pump is wet. " * MAX_PLACES * 3 + "The impeller of the pump is dry.")
    covered = Wording(source, "en").covered("The impeller of the pump is dry")
    assert covered.words == {"impeller", "dry"}
    assert covered.evidence[0].text == "The impeller of the pump is dry."


def work_of(texts: Sequence[str]) -> int:
    return sum(calls_of(lambda text=text: against(text, text)) for text in texts)  # type: ignore[misc]


def test_doubling_the_text_about_doubles_the_computation() -> None:
    parts = ["Pump # is wet. ", "1) ", "Valve A is #. "]
    assert work_of([long(part, 2_000) for part in parts]) < 3 * work_of([long(part, 1_000) for part in parts])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (" ".join(f"a x{n}" for n in range(80)), "a " * 5_000),
        ("a b c d " * 40, "a b d c " * 1_500),
        ("the not " * 80, "not the with " * 1_500),
        ("漢字" * 80, "字漢" * 3_000),
        ("a b " * 80, "b a c " * 2_000),
    ],
)
def test_a_claim_of_words_that_a_source_repeats_is_aligned_in_bounded_time(claim: str, source: str) -> None:
    assert calls_of(lambda: align(claim, [source, source], "en")) < MOST_CALLS
