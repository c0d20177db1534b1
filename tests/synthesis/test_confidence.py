"""The confidence of an answer, and its reasons."""

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
def test_confidence_is_the_probability_that_the_evidence_answers(chance: float | None, expected: float) -> None:
    sources = on_pages(1, 2)
    trust, factors = confidence(sources, [checked("found", 1), checked("found", 2)], chance)
    assert trust == expected
    assert factors["independent_sources"] == 2


@pytest.mark.parametrize(("pages", "most"), [((1,), 0.8), ((1, 1), 0.8), ((1, 2), 0.95)])
def test_one_page_gives_less_confidence_than_two(pages: tuple[int, ...], most: float) -> None:
    sources = on_pages(*pages)
    claims = [checked("found", one.citation_number) for one in sources]
    assert confidence(sources, claims, 0.99)[0] == most


def test_a_source_that_supports_nothing_does_not_count() -> None:
    assert confidence(on_pages(1, 2, 3), [checked("found", 2)], 0.99)[0] == 0.8


def test_a_quotation_is_supported_even_without_claims() -> None:
    assert confidence(on_pages(1), [], 0.7, quoted=True)[0] == 0.7


def test_an_unsupported_answer_has_no_confidence() -> None:
    assert confidence(on_pages(1, 2), [checked("not_found", 1), checked("uncited")], 0.9)[0] == 0


@pytest.mark.parametrize(
    ("flaw", "factor"),
    [("not_found", 0.5), ("value_mismatch", 0.5), ("invalid_citation", 0.5), ("uncited", 0.75)],
)
def test_each_flawed_claim_lowers_confidence(flaw: Verdict, factor: float) -> None:
    claims = [checked("found", 1), checked(flaw, *([1] if flaw != "uncited" else []))]
    assert confidence(on_pages(1), claims, 0.6)[0] == pytest.approx(0.6 * factor)


def test_contradictions_lower_confidence() -> None:
    trust, factors = confidence(on_pages(1), [checked("found", 1)], 0.6, contradictions=2)
    assert trust == pytest.approx(0.6 * 0.8)
    assert factors["contradictions"] == 0.8


def test_observations_alone_never_raise_confidence_above_three_fifths() -> None:
    seen = number_sources([], [Observation(f"Fact {n}.", f"https://example.org/{n}") for n in range(4)])
    assert confidence(seen, [checked("found", 1, 2, 3, 4)], 0.99)[0] == 0.6


def test_one_index_page_in_addition_to_observations_lifts_that_limit() -> None:
    sources = number_sources([hit(text_block("A fact."))], [Observation("A fact.", "https://example.org/1")])
    assert confidence(sources, [checked("found", 1, 2)], 0.99)[0] == 0.95
