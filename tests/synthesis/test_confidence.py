"""How far an answer may be trusted, and why."""

from __future__ import annotations

import pytest

from corpus.citing.protocol import Claim
from corpus.synthesis.confidence import confidence
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import number_sources
from corpus.verification.protocol import CheckedClaim, Verdict
from tests.values import hit, text_block


def checked(verdict: Verdict, *citations: int) -> CheckedClaim:
    return CheckedClaim(Claim("It turns.", 0, 9, "sentence", citations), verdict, 1.0)


def on_pages(*pages: int):  # type: ignore[no-untyped-def]
    return number_sources([hit(text_block(f"Fact {n}.", page=page)) for n, page in enumerate(pages)])


@pytest.mark.parametrize(("chance", "expected"), [(0.4, 0.4), (0.7, 0.7), (0.99, 0.95), (None, 0.6)])
def test_it_is_the_chance_that_the_evidence_answers(chance: float | None, expected: float) -> None:
    sources = on_pages(1, 2)
    trust, factors = confidence(sources, [checked("found", 1), checked("found", 2)], chance)
    assert trust == expected
    assert factors["independent_sources"] == 2


@pytest.mark.parametrize(("pages", "most"), [((1,), 0.8), ((1, 1), 0.8), ((1, 2), 0.95)])
def test_one_page_carries_it_less_far_than_two(pages: tuple[int, ...], most: float) -> None:
    sources = on_pages(*pages)
    claims = [checked("found", one.citation_number) for one in sources]
    assert confidence(sources, claims, 0.99)[0] == most


def test_a_source_that_is_offered_but_supports_nothing_does_not_count() -> None:
    assert confidence(on_pages(1, 2, 3), [checked("found", 2)], 0.99)[0] == 0.8


def test_what_is_quoted_is_supported_also_without_claims() -> None:
    assert confidence(on_pages(1), [], 0.7, quoted=True)[0] == 0.7


def test_an_answer_that_nothing_supports_has_none() -> None:
    assert confidence(on_pages(1, 2), [checked("not_found", 1), checked("uncited")], 0.9)[0] == 0


@pytest.mark.parametrize(
    ("flaw", "factor"),
    [("not_found", 0.5), ("value_mismatch", 0.5), ("invalid_citation", 0.5), ("uncited", 0.75)],
)
def test_each_flawed_claim_lowers_it(flaw: Verdict, factor: float) -> None:
    claims = [checked("found", 1), checked(flaw, *([1] if flaw != "uncited" else []))]
    assert confidence(on_pages(1), claims, 0.6)[0] == pytest.approx(0.6 * factor)


def test_contradictions_lower_it() -> None:
    trust, factors = confidence(on_pages(1), [checked("found", 1)], 0.6, contradictions=2)
    assert trust == pytest.approx(0.6 * 0.8)
    assert factors["contradictions"] == 0.8


def test_what_the_client_handed_in_alone_never_carries_it_above_three_fifths() -> None:
    seen = number_sources([], [Observation(f"Fact {n}.", f"https://example.org/{n}") for n in range(4)])
    assert confidence(seen, [checked("found", 1, 2, 3, 4)], 0.99)[0] == 0.6


def test_one_page_of_the_index_beside_them_lifts_that_bound() -> None:
    sources = number_sources([hit(text_block("A fact."))], [Observation("A fact.", "https://example.org/1")])
    assert confidence(sources, [checked("found", 1, 2)], 0.99)[0] == 0.95
