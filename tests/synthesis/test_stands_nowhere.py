"""Unsupported output is distinguished from an answer, even if a source is in another language."""

from __future__ import annotations

import pytest

from corpus.citing.protocol import Claim
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import has_no_support
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import number_sources
from corpus.verification.protocol import SourceText
from corpus.verification.verify import verify
from tests.verification.test_across_languages import CATS, SOURCE, TANK, ByTopic

pytestmark = pytest.mark.anyio


def source() -> Source:
    return number_sources([], [Observation(SOURCE.text)])[0]


@pytest.mark.parametrize(("text", "rubbish"), [(TANK, False), (CATS, True)])
async def test_a_claim_close_in_meaning_counts_across_languages(text: str, rubbish: bool) -> None:
    checked = verify([Claim(text, 0, len(text), "sentence", ())], [SourceText(1, SOURCE.text, "en")], "de")
    assert await has_no_support(checked, [source()], ByTopic(), "de") is rubbish
    assert not await has_no_support(checked, [source()], None, "de")


async def test_an_incomplete_comparison_leaves_it_open() -> None:
    long = number_sources([], [Observation(SOURCE.text * 40)])[0]
    checked = verify([Claim(CATS, 0, len(CATS), "sentence", ())], [SourceText(1, long.text, "en")], "de")
    assert not await has_no_support(checked, [long], ByTopic(), "de")
    assert not await has_no_support(checked * 9, [source()], ByTopic(), "de")
