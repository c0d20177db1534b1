"""Vector searches, alone and with words, in the emulator."""

from __future__ import annotations

import math
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.search.documents.models import VectorizableTextQuery, VectorizedQuery

from tests.doubles.azure_search import StandIn
from tests.doubles.azure_search.sample import DEFINITION, NAME, filled, found, hits

pytestmark = pytest.mark.anyio


def near(vector: list[float], k: int = 50, fields: str = "meaning", **options: Any) -> VectorizedQuery:
    return VectorizedQuery(vector=vector, k_nearest_neighbors=k, fields=fields, **options)


def at(degrees: float) -> list[float]:
    """Return a vector of any length, at this angle to `at(0)`."""
    return [2 * math.cos(math.radians(degrees)), 2 * math.sin(math.radians(degrees)), 0.0]


async def test_the_recorded_fusion_scores_are_reproduced() -> None:
    """The scores are those of a real answer to words and a vector, whose hits had these ranks in the two lists."""
    by_words = {"3": 0, "1": 1, "2": 2, "10": 3, "4": 4, "5": 5, "9": 6}
    by_vector = {"3": 0, "5": 1, "1": 2}
    recorded = {
        "3": 0.03333333507180214, "1": 0.032522473484277725, "5": 0.03177805617451668, "2": 0.016129031777381897,
        "10": 0.01587301678955555, "4": 0.015625, "9": 0.01515151560306549,
    }  # fmt: skip
    async with StandIn() as service:
        filled(
            service,
            *(
                {
                    "block_id": key,
                    "content": "hotel " * (9 - place),
                    "meaning": at(10 * by_vector.get(key, 8)),
                }
                for key, place in by_words.items()
            ),
        )
        got = await hits(service, "hotel", vector_queries=[near(at(0), k=3)])
        assert {hit["block_id"]: hit["@search.score"] for hit in got} == pytest.approx(recorded, abs=1e-9)
        assert [hit["block_id"] for hit in got] == list(recorded)


async def test_a_vector_score_depends_on_the_angle_and_not_on_the_length() -> None:
    async with StandIn() as service:
        filled(service, *({"meaning": at(degrees)} for degrees in (0, 60, 90, 180)), {"content": "no vector"})
        got = await hits(service, vector_queries=[near([5.0, 0.0, 0.0])])
        assert [hit["block_id"] for hit in got] == ["1", "2", "3", "4"]
        assert [hit["@search.score"] for hit in got] == pytest.approx([1, 1 / 1.5, 1 / 2, 1 / 3], abs=1e-6)


async def test_a_filter_before_the_vector_search_gives_k_hits_and_after_it_fewer() -> None:
    async with StandIn() as service:
        filled(
            service,
            *({"meaning": at(place * 10), "kind": "text" if place < 3 else "table"} for place in range(6)),
        )
        asked: dict[str, Any] = {"vector_queries": [near(at(0), k=2)], "filter": "kind eq 'table'"}
        assert await found(service, **asked) == ["4", "5"]
        assert await found(service, **asked, vector_filter_mode="preFilter") == ["4", "5"]
        assert await found(service, **asked, vector_filter_mode="postFilter") == []
        wider = asked | {"vector_queries": [near(at(0), k=4)]}
        assert await found(service, **wider, vector_filter_mode="strictPostFilter") == ["4"]


async def test_each_field_of_a_vector_query_has_its_own_list() -> None:
    async with StandIn() as service:
        filled(service, {"meaning": at(0), "figure": at(90)}, {"meaning": at(80), "figure": at(10)})
        got = await hits(service, vector_queries=[near(at(0), fields="meaning,figure")])
        assert [hit["@search.score"] for hit in got] == pytest.approx([1 / 60 + 1 / 61] * 2, abs=1e-8)


async def test_a_weight_decides_between_two_lists() -> None:
    async with StandIn() as service:
        filled(service, {"meaning": at(0), "figure": at(90)}, {"meaning": at(80), "figure": at(10)})
        queries = [near(at(0)), near(at(0), fields="figure", weight=3.0)]
        got = await hits(service, vector_queries=queries)
        assert [hit["block_id"] for hit in got] == ["2", "1"]
        assert got[0]["@search.score"] == pytest.approx(3 / 60 + 1 / 61, abs=1e-8)


async def test_a_star_next_to_a_vector_is_a_list_of_everything() -> None:
    async with StandIn() as service:
        filled(service, {"meaning": at(0)}, {"content": "no vector"})
        assert await found(service, None, vector_queries=[near(at(0))]) == ["1"]
        assert sorted(await found(service, "*", vector_queries=[near(at(0))])) == ["1", "2"]


@pytest.mark.parametrize(
    "query",
    [
        near([1.0, 0.0]), near(at(0), fields="content"), near(at(0), fields="nobody"), near(at(0), k=0),
        near(at(0), weight=0.0), VectorizableTextQuery(text="hotel", fields="meaning"),
        VectorizableTextQuery(text="hotel", fields="figure"),
    ],
)  # fmt: skip
async def test_a_vector_query_that_does_not_fit_the_index_is_refused(query: Any) -> None:
    async with StandIn() as service:
        filled(service, {"meaning": at(0)})
        with pytest.raises(HttpResponseError) as refused:
            await found(service, vector_queries=[query])
        assert refused.value.status_code == 400


async def test_an_index_with_a_vectorizer_embeds_the_query_text() -> None:
    async with StandIn(vectorize=lambda text: at(0 if text == "east" else 90)) as service:
        filled(service, {"figure": at(0)}, {"figure": at(90)})
        assert await found(service, vector_queries=[VectorizableTextQuery(text="east", fields="figure")]) == [
            "1",
            "2",
        ]
        assert await found(service, vector_queries=[VectorizableTextQuery(text="north", fields="figure")]) == ["2", "1"]
        with pytest.raises(HttpResponseError, match="no vectorizer"):
            await found(service, vector_queries=[VectorizableTextQuery(text="east", fields="meaning")])


@pytest.mark.parametrize(("metric", "expected"), [("euclidean", ["1", "2"]), ("dotProduct", ["2", "1"])])
async def test_the_metric_of_the_index_decides_which_vectors_are_near(metric: str, expected: list[str]) -> None:
    algorithm = {"name": "graph", "kind": "hnsw", "hnswParameters": {"metric": metric}}
    definition = DEFINITION | {"vectorSearch": DEFINITION["vectorSearch"] | {"algorithms": [algorithm]}}
    async with StandIn() as service:
        service.put_index(definition)
        vectors = ([1.0, 0.0, 0.0], [4.0, 0.0, 0.0])
        service.put_documents(NAME, [{"block_id": str(n), "meaning": one} for n, one in enumerate(vectors, 1)])
        assert await found(service, vector_queries=[near([1.5, 0.0, 0.0])]) == expected
