"""How far an answer may be trusted, and why."""

from __future__ import annotations

import pytest

from corpus.citing.protocol import Claim
from corpus.synthesis.confidence import confidence
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import numbered
from corpus.verification.protocol import CheckedClaim, Verdict
from tests.values import hit, text_block


def checked(verdict: Verdict, *citations: int) -> CheckedClaim:
    return CheckedClaim(Claim("It turns.", 0, 9, "sentence", citations), verdict, 1.0)


def on_pages(*pages: int):  # type: ignore[no-untyped-def]
    return numbered([hit(text_block(f"Fact {n}.", page=page)) for n, page in enumerate(pages)])


@pytest.mark.parametrize(("pages", "expected"), [(1, 0.6), (2, 0.8), (3, 0.95), (7, 0.95)])
def test_it_rises_with_the_independent_pages_that_support_the_answer(pages: int, expected: float) -> None:
    sources = on_pages(*range(1, pages + 1))
    claims = [checked("found", one.citation_number) for one in sources]
    trust, factors = confidence(sources, claims)
    assert trust == expected
    assert factors["independent_sources"] == pages


def test_two_blocks_of_one_page_are_one_source() -> None:
    assert confidence(on_pages(1, 1), [checked("found", 1, 2)])[0] == 0.6


def test_a_source_that_is_offered_but_supports_nothing_does_not_count() -> None:
    assert confidence(on_pages(1, 2, 3), [checked("found", 2)])[0] == 0.6


def test_an_answer_that_nothing_supports_has_none() -> None:
    assert confidence(on_pages(1, 2), [checked("not_found", 1), checked("uncited")])[0] == 0


@pytest.mark.parametrize(
    ("flaw", "factor"),
    [("not_found", 0.5), ("value_mismatch", 0.5), ("invalid_citation", 0.5), ("uncited", 0.75)],
)
def test_each_flawed_claim_lowers_it(flaw: Verdict, factor: float) -> None:
    trust, _ = confidence(
        on_pages(1), [checked("found", 1), checked(flaw, *([1] if flaw != "uncited" else []))]
    )
    assert trust == pytest.approx(0.6 * factor)


def test_contradictions_and_weak_retrieval_lower_it() -> None:
    trust, factors = confidence(on_pages(1), [checked("found", 1)], contradictions=2, weak=True)
    assert trust == pytest.approx(0.6 * 0.8 * 0.5)
    assert factors["contradictions"] == 0.8
    assert factors["retrieval"] == 0.5


def test_what_the_client_handed_in_alone_never_carries_it_above_three_fifths() -> None:
    seen = numbered([], [Observation(f"Fact {n}.", f"https://example.org/{n}") for n in range(4)])
    assert confidence(seen, [checked("found", 1, 2, 3, 4)])[0] == 0.6


def test_one_page_of_the_index_beside_them_lifts_that_bound() -> None:
    sources = numbered([hit(text_block("A fact."))], [Observation("A fact.", "https://example.org/1")])
    assert confidence(sources, [checked("found", 1, 2)])[0] == 0.8


def test_of_excerpts_those_count_that_speak_to_the_question() -> None:
    sources, claims = on_pages(1, 2, 3), [checked("found", n) for n in (1, 2, 3)]
    assert confidence(sources, claims, speaking={2})[0] == 0.6
    assert confidence(sources, claims, speaking={1, 3})[0] == 0.8


def test_of_excerpts_that_all_miss_the_question_little_is_left() -> None:
    trust, factors = confidence(on_pages(1, 2, 3), [checked("found", n) for n in (1, 2, 3)], speaking=set())
    assert trust == pytest.approx(0.3)
    assert factors["retrieval"] == 0.5


def test_excerpts_in_another_language_alone_never_carry_it_above_one_half() -> None:
    sources, claims = on_pages(1, 2, 3), [checked("found", n) for n in (1, 2, 3)]
    assert confidence(sources, claims, speaking=set(), foreign={1, 2, 3})[0] == 0.5
    assert confidence(sources, claims, speaking={1}, foreign={2, 3})[0] == 0.6
