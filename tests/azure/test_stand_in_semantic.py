"""The semantic ranker of the emulator, in its three modes."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents.models import VectorizedQuery

from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.sample import client, filled, found, hits

pytestmark = pytest.mark.anyio

DOCS = [
    {"content": "pump pump pump pump"},
    {"content": "Some words first. The pump leaks oil when it is cold. And some after it."},
    {"content": "The pump again and again and again, pump."},
    {"content": "Nothing."},
]
SEMANTIC: dict[str, Any] = {"query_type": "semantic", "semantic_configuration_name": "sem"}


async def test_the_ranker_decides_the_order_and_the_score_is_unchanged() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        plain = {hit["block_id"]: hit["@search.score"] for hit in await hits(service, "pump leaks oil")}
        got = await hits(service, "pump leaks oil", **SEMANTIC)
        assert got[0]["block_id"] == "2"
        ranks = [hit["@search.reranker_score"] for hit in got]
        assert ranks == sorted(ranks, reverse=True)
        assert 0 < ranks[-1] < ranks[0] == 4
        assert {hit["block_id"]: hit["@search.score"] for hit in got} == plain
        assert got[0]["@search.captions"] is None


async def test_a_caption_is_the_sentence_that_answers() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        caption = (await hits(service, "pump leaks oil", query_caption="extractive", **SEMANTIC))[0][
            "@search.captions"
        ][0]
        assert caption.text == "The pump leaks oil when it is cold."
        assert caption.highlights == "The <em>pump</em> <em>leaks</em> <em>oil</em> when it is cold."


async def test_answers_are_returned_if_they_are_good_enough() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        async with client(service) as own:
            options = SEMANTIC | {
                "query_answer": "extractive",
                "query_answer_count": 3,
                "query_answer_threshold": 0.9,
            }
            got = await (await own.search("pump leaks oil", **options)).get_answers()
            assert got is not None
            assert [(one.key, one.score) for one in got] == [("2", 1.0)]


async def test_the_ranker_uses_vectors_too() -> None:
    async with StandIn() as service:
        filled(
            service,
            {"content": "pump", "meaning": [0.0, 1.0, 0.0]},
            {"content": "pump", "meaning": [1.0, 0.0, 0.0]},
        )
        query = VectorizedQuery(vector=[1.0, 0.0, 0.0], k_nearest_neighbors=2, fields="meaning")
        got = await hits(service, "pump", vector_queries=[query], **SEMANTIC)
        assert [hit["block_id"] for hit in got] == ["2", "1"]


async def test_only_the_best_fifty_are_reranked() -> None:
    async with StandIn() as service:
        filled(service, *({"content": "pump"} for _ in range(60)))
        ranks = [hit["@search.reranker_score"] for hit in await hits(service, "pump", top=60, **SEMANTIC)]
        assert ranks == [4.0] * 50 + [None] * 10


async def test_an_overloaded_ranker_leaves_the_order_unchanged_or_returns_nothing() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        service.semantic = "partial"
        statuses: list[int] = []
        async with client(service) as own:
            answer = await own.search(
                "pump leaks oil",
                **SEMANTIC,
                raw_response_hook=lambda raw: statuses.append(raw.http_response.status_code),
            )
            got = [hit async for hit in answer]
        assert statuses == [206]
        assert [hit["@search.reranker_score"] for hit in got] == [None] * 3
        scores = [hit["@search.score"] for hit in got]
        assert scores == sorted(scores, reverse=True)
        with pytest.raises(HttpResponseError) as refused:
            await found(service, "pump", semantic_error_mode="fail", **SEMANTIC)
        assert refused.value.status_code == 503


async def test_without_the_ranker_only_semantic_queries_are_a_bad_request() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        service.semantic = "unavailable"
        with pytest.raises(HttpResponseError, match="not enabled") as refused:
            await found(service, "pump", **SEMANTIC)
        assert refused.value.status_code == 400
        assert len(await found(service, "pump")) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"query_type": "semantic"}, {"query_type": "semantic", "semantic_configuration_name": "nobody"},
        SEMANTIC | {"order_by": ["page"]}, SEMANTIC | {"query_caption": "QueryCaptionType.EXTRACTIVE"},
        SEMANTIC | {"semantic_max_wait_in_milliseconds": 700},
    ],
)  # fmt: skip
async def test_an_invalid_semantic_query_is_refused(options: dict[str, Any]) -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        with pytest.raises(HttpResponseError) as refused:
            await found(service, "pump", **options)
        assert refused.value.status_code == 400


async def test_a_wait_that_is_too_short_is_refused_with_the_recorded_text() -> None:
    name = "semanticMaxWaitInMilliseconds"
    async with StandIn() as service:
        filled(service, *DOCS)
        with pytest.raises(HttpResponseError) as refused:
            await found(service, "pump", semantic_max_wait_in_milliseconds=700, **SEMANTIC)
        message = f"The '{name}' parameter needs to be larger than 750."
        assert refused.value.response.json()["error"] == {
            "code": "InvalidRequestParameter",
            "message": f"{message}\r\nParameter name: {name}",
            "details": [{"code": "ParameterValueOutOfRange", "message": message}],
        }


async def test_without_anything_to_rank_by_the_order_is_unchanged() -> None:
    async with StandIn() as service:
        filled(service, *DOCS)
        assert [hit["@search.reranker_score"] for hit in await hits(service, "*", **SEMANTIC)] == [None] * 4
