"""Text queries of the emulator."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.sample import filled, found, hits
from tests.doubles.azure_search.words import terms_of

pytestmark = pytest.mark.anyio

DOCS: list[dict[str, Any]] = [
    {"title": "Hotels", "content": "A quiet hotel in the mountains with wifi.", "tags": ["alpine"]},
    {"title": "Pumps", "content": "The pump, type X-200, was replaced. Pumps leak; pump, pump."},
    {"title": "Invoices", "content": "Invoice 4711.23 of the hotel: O'Brien's pump_station wifi pool."},
    {"title": "Other", "content": "Nothing to be found here."},
]


SIMPLE = [
    ("hotel", "13"), ("HOTEL", "13"), ("hotel pool", "13"), ("hotel + pool", "3"), ("hotel|leak", "123"),
    ("hotels", "1"),
    ('"quiet hotel"', "1"), ('"hotel quiet"', ""), ("mount*", "1"), ("mount", ""), ("moun* + wifi", "1"),
    ("wifi + -pool", "1"), ("wifi -pool", "1234"), ("(pool | quiet) + hotel", "13"), ("x-200", "2"),
    ("4711.23", "3"),
    ("4711", ""), ("o'brien's", "3"), ("pump_station", "3"), ("station", ""), ("wifi - pool", "13"),
    ("alpine", "1"),
    ("hotel\\*", "13"), ('hotel "', "13"), ("((hotel", "13"), ("hotel )", "13"), ("/.*otel.*/", ""), ("zebra", ""),
    ("AND", ""), ("...", ""),
]  # fmt: skip


async def test_simple_queries_find_the_matching_rows() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        for text, expected in SIMPLE:
            assert sorted(await found(service, text)) == list(expected), (text, expected)


FULL = [
    ("hotel", "13"), ("+hotel +pool", "3"), ("hotel AND pool", "3"), ("hotel OR leak", "123"), ("wifi -pool", "1"),
    ("wifi NOT pool", "1"), ("wifi !pool", "1"), ("hotel && (pool || quiet)", "13"),
    ("content:hotel", "13"), ("title:hotels", "1"),
    ("title:hotel", ""), ("title:(pumps invoices)", "23"), ("moun*", "1"), ("h?tel", "13"), ("/.*otel.*/", "13"),
    ("/otel/", ""), ("/.*OTEL/", "13"), ("/xx|pool/", "3"), ("content:/.*eak/", "2"), ('"quiet hotel"', "1"),
    ('"quiet mountains"~2', ""), ('"quiet mountains"~3', "1"), ("hotle~", "13"), ("hotel^2 pool", "13"),
    ("x\\-200", "2"), ("title\\:hotels", "1"), ("tags:alpine", "1"), ("-wifi", ""), ("/pump(s)?/ AND leak", "2"),
]  # fmt: skip


async def test_full_queries_find_the_matching_rows() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        for text, expected in FULL:
            assert sorted(await found(service, text, query_type="full")) == list(expected), (text, expected)


async def test_an_invalid_full_query_is_refused() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        for text in [
            "/.*/.*/",
            "(hotel",
            "hotel)",
            '"hotel',
            "*otel",
            "AND hotel",
            "hotel AND",
            "a:b",
            "page:7",
            "/(/",
            "hotel +",
            "[a TO b]",
        ]:
            with pytest.raises(HttpResponseError) as refused:
                await found(service, text, query_type="full")
            assert refused.value.status_code == 400, text


async def test_an_unclosed_expression_is_reported_at_the_end_of_the_text() -> None:
    async with StandIn() as service:
        filled(service)
        with pytest.raises(HttpResponseError, match="Failed to parse query string at line 1, column 8") as refused:
            await found(service, "/.*/.*/", query_type="full")
        assert refused.value.error.details[0].code == "InvalidSearchSyntax"


async def test_mode_all_requires_all_words_but_not_in_one_field() -> None:
    async with StandIn() as service:
        filled(service, {"title": "Pumps", "content": "leak"}, {"content": "leak"})
        assert sorted(await found(service, "pumps leak")) == ["1", "2"]
        assert await found(service, "pumps leak", search_mode="all") == ["1"]
        assert await found(service, "leak -pumps", search_mode="all") == ["2"]
        assert await found(service, "pumps leak", search_mode="all", query_type="full") == ["1"]


async def test_only_the_chosen_fields_are_searched() -> None:
    async with StandIn() as service:
        filled(service, {"title": "wifi"}, {"content": "wifi"})
        assert await found(service, "wifi", search_fields=["content"]) == ["2"]
        with pytest.raises(HttpResponseError, match="not searchable"):
            await found(service, "wifi", search_fields=["kind"])


async def test_more_and_rarer_words_and_shorter_texts_score_higher() -> None:
    filler = "one two three four five six seven eight"
    async with StandIn() as service:
        filled(
            service,
            {"content": f"pump {filler}"},
            {"content": "pump"},
            {"content": f"pump pump {filler}"},
            {"content": "rare"},
        )
        assert await found(service, "pump") == ["2", "3", "1"]
        assert (await found(service, "rare pump"))[0] == "4"


async def test_a_filter_does_not_change_scores() -> None:
    async with StandIn() as service:
        filled(service, *({"content": "pump " * at, "page": at} for at in range(1, 8)))
        whole = {hit["block_id"]: hit["@search.score"] for hit in await hits(service, "pump")}
        part = {hit["block_id"]: hit["@search.score"] for hit in await hits(service, "pump", filter="page le 3")}
        assert part == {key: whole[key] for key in "123"}


async def test_an_empty_query_finds_everything_with_score_one() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        for text in [None, "", "*", " "]:
            assert [hit["@search.score"] for hit in await hits(service, text)] == [1.0] * 4, text


async def test_hits_with_equal_scores_come_in_another_order_each_time() -> None:
    async with StandIn() as service:
        filled(service, *({"content": "same"} for _ in range(20)))
        orders = {tuple(await found(service, "same", top=20)) for _ in range(4)}
        assert len(orders) == 4


async def test_a_text_beyond_the_limits_is_refused() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        for text in ["word " * 1200, "x" * 100_001, "(" * 5000]:
            with pytest.raises(HttpResponseError) as refused:
                await found(service, text)
            assert refused.value.status_code == 400, text


async def test_a_query_of_too_many_words_is_refused_with_the_limit() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        with pytest.raises(HttpResponseError) as refused:
            await found(service, "word " * 1200)
        assert refused.value.error.details[0].code == "ClauseLimitExceeded"


def test_terms_are_those_of_the_standard_analyzer() -> None:
    text = "Über U.S.A. 3,14 und O'Brien's a_b C3PO foo-bar x. 東京 _ ..."
    expected = ["über", "u.s.a", "3,14", "und", "o'brien's", "a_b", "c3po", "foo", "bar", "x", "東", "京"]
    assert terms_of(text, "standard.lucene") == expected


def test_language_analyzers_stem_words_and_others_do_not() -> None:
    assert terms_of("the hotels", "en.microsoft") == terms_of("hotel", "en.microsoft")
    assert terms_of("Rechnungen", "de.lucene") == terms_of("Rechnung", "de.lucene")
    assert terms_of("A b", "keyword") == ["A b"]
