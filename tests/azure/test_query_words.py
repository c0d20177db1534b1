"""The service treats a user's query as words: no operator in it narrows, negates or breaks the search."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.access import ANONYMOUS
from corpus.index.azure import Wishes
from corpus.index.azure.query import CUT, MAX_QUERY_WORDS, plain_words
from tests.azure.design_shelf import design_shelf
from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.simple_query import parse_simple
from tests.doubles.azure_search.text_query import Combined, Query, Words
from tests.shelf import a_document, ids, search, texts

pytestmark = pytest.mark.anyio

OPERATORS = "+|-\"'()\\*~&!"
piece = st.one_of(st.sampled_from(OPERATORS), st.sampled_from("- aß1_.\u00a0\t"), st.characters())
written = st.lists(piece, max_size=40).map("".join)


@given(written)
def test_the_service_reads_every_query_as_optional_words(text: str) -> None:
    words, _ = plain_words(text)
    for every in (False, True):
        query = parse_simple(words, every=every)
        assert all(isinstance(one, Words) for one in leaves(query, every=every))


@given(written)
def test_no_term_begins_with_an_operator_and_every_word_stays(text: str) -> None:
    words, many = plain_words(text)
    assert not many
    assert not [piece for piece in words.split() if piece[0] in OPERATORS]
    assert spelled(words) == spelled(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    "query", ["(-40 C)", "'-pump", '"-pump"', "+-pump", "--pump", "oil (-pump", "*-pump", "~ -!-pump"]
)
async def test_a_dash_after_another_character_does_not_negate_the_search(query: str) -> None:
    async with StandIn() as service, design_shelf(service, wishes=Wishes(())) as shelf:
        await shelf.put(a_document(), *texts("manual", "The pump stands -40 C.", "Bananas are yellow."))
        assert ids(await search(shelf, query, ANONYMOUS)) == ["manual-0"]


async def test_an_apostrophe_inside_a_word_is_part_of_it() -> None:
    async with StandIn() as service, design_shelf(service, wishes=Wishes(())) as shelf:
        await shelf.put(a_document(), *texts("manual", "It is O'Brien's pump.", "Bananas are yellow."))
        for query in ("o'brien's", "'O'Brien's'"):
            assert ids(await search(shelf, query, ANONYMOUS)) == ["manual-0"], query


async def test_a_query_of_too_many_words_is_cut_with_a_warning() -> None:
    async with StandIn() as service, design_shelf(service, wishes=Wishes(())) as shelf:
        await shelf.put(a_document(), *texts("manual", "pump"))
        whole = await search(shelf, "pump " * MAX_QUERY_WORDS + "...", ANONYMOUS)
        cut = await search(shelf, "pump " * (MAX_QUERY_WORDS + 1), ANONYMOUS)
    assert (CUT in whole.warnings, CUT in cut.warnings) == (False, True)


def leaves(query: Query | None, *, every: bool) -> list[Query]:
    """Return the terms of a query that only combines terms."""
    if query is None:
        return []
    if not isinstance(query, Combined):
        return [query]
    joined, other = (query.must, query.should) if every else (query.should, query.must)
    assert not other
    assert not query.must_not
    return [leaf for one in joined for leaf in leaves(one, every=every)]


def spelled(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)
