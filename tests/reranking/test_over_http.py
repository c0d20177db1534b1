"""A service reranks the hits. If it fails, their order is unchanged and the answer says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.reranking import rerankers
from corpus.reranking.rerankers import HttpReranker
from corpus.reranking.reranking import MAX_TEXT, Reranking
from tests.doubles.reranking_service import Act, RerankingService, answering, hanging, lying, saying
from tests.shelf import ANN, a_document, texts

pytestmark = pytest.mark.anyio

QUERY = "pump bearing grease"


@pytest.fixture
async def service() -> AsyncIterator[RerankingService]:
    async with RerankingService() as started:
        yield started


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[LocalIndex]:
    index = LocalIndex.open(tmp_path, None)
    said = (
        "the pump is long and wide and bearing and in grease",
        "pump pump bearing bearing",
        "grease grease",
    )
    await index.replace(a_document("a"), texts("a", *said))
    await index.replace(a_document("b", access_control_list=("department:hr",)), texts("b", "pump of hr"))
    yield index
    await index.aclose()


def library(index: LocalIndex, service: RerankingService, candidates: int = 30) -> Library:
    reranker = HttpReranker(service.url, "a-model", service.key)
    return Library(index, None, reranking=Reranking(reranker, candidates))


async def test_the_hits_are_in_the_order_of_the_service(index: LocalIndex, service: RerankingService) -> None:
    plain = await Library(index, None).search(QUERY, ANONYMOUS)
    found = await library(index, service).search(QUERY, ANONYMOUS)
    assert plain.hits[0].block.block_id == "a-1"
    assert [hit.block.block_id for hit in found.hits] == ["a-0", "a-1", "a-2"]
    assert {hit.score_kind for hit in found.hits} == {"reranked"}
    assert [round(hit.score, 2) for hit in found.hits] == [1.0, 0.67, 0.33]
    assert (service.requests[0]["model"], service.requests[0]["query"]) == ("a-model", QUERY)


async def test_only_text_that_the_caller_may_read_is_sent(index: LocalIndex, service: RerankingService) -> None:
    await library(index, service).search(QUERY, ANONYMOUS)
    await library(index, service).search(QUERY, ANN)
    hidden, shown = (any("of hr" in text for text in one["documents"]) for one in service.requests)
    assert (hidden, shown) == (False, True)


async def test_more_candidates_than_requested_are_reranked(index: LocalIndex, service: RerankingService) -> None:
    found = await library(index, service).search(QUERY, ANONYMOUS, top_k=1)
    assert [hit.block.block_id for hit in found.hits] == ["a-0"]
    assert len(service.requests[0]["documents"]) == 3


async def test_unsent_hits_stay_behind_the_reranked_ones(index: LocalIndex, service: RerankingService) -> None:
    found = await library(index, service, candidates=2).search(QUERY, ANONYMOUS)
    assert len(service.requests[0]["documents"]) == 2
    assert [hit.score_kind for hit in found.hits] == ["reranked", "reranked", "text"]
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


async def test_a_long_text_is_cut_before_it_is_sent(index: LocalIndex, service: RerankingService) -> None:
    await index.replace(a_document("a"), texts("a", "pump bearing " * 2000, "pump"))
    await library(index, service).search(QUERY, ANONYMOUS)
    assert max(map(len, service.requests[0]["documents"])) <= MAX_TEXT


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (answering(500), "failed (status 500)"),
        (answering(429), "failed (status 429)"),
        (answering(302), "refuses the request (status 302)"),
        (answering(422), "refuses the request (status 422)"),
        (saying("<html>"), "is not a ranking"),
        (saying("x" * (rerankers.MAX_RESPONSE_BYTES + 1)), "is not a ranking"),
        (saying("[" * 100_000), "is not a ranking"),
        (lying(lambda rows: rows.pop()), "is not a ranking"),
        (lying(lambda rows: rows[0].update(index=99)), "is not a ranking"),
        (lying(lambda rows: rows[0].update(index=rows[1]["index"])), "is not a ranking"),
        (lying(lambda rows: rows[0].update(relevance_score=float("nan"))), "is not a ranking"),
        (lying(lambda rows: rows[0].update(relevance_score=None)), "is not a ranking"),
    ],
)
async def test_a_failing_service_leaves_the_order_and_is_reported(
    index: LocalIndex, service: RerankingService, act: Act, why: str
) -> None:
    service.next.append(act)
    found = await library(index, service).search(QUERY, ANONYMOUS)
    plain = await Library(index, None).search(QUERY, ANONYMOUS)
    assert found.hits == plain.hits
    (said,) = (one for one in found.warnings if "did not rerank" in one)
    assert why in said
    assert "own words" not in said


async def test_a_hanging_service_is_not_waited_for(
    index: LocalIndex, service: RerankingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rerankers, "TIMEOUT_SECONDS", 0.05)
    service.next.append(hanging)
    found = await library(index, service).search(QUERY, ANONYMOUS)
    assert len(found.hits) == 3
    assert any("did not answer within" in one for one in found.warnings)


async def test_the_key_is_sent_and_a_wrong_one_is_reported(index: LocalIndex, service: RerankingService) -> None:
    service.key = "right"
    assert (await library(index, service).search(QUERY, ANONYMOUS)).hits[0].score_kind == "reranked"
    other = Library(index, None, reranking=Reranking(HttpReranker(service.url, None, "wrong")))
    found = await other.search(QUERY, ANONYMOUS)
    assert any("RAG_RERANKER_API_KEY" in one and "wrong" not in one for one in found.warnings)


async def test_scores_above_one_are_treated_as_logits(index: LocalIndex, service: RerankingService) -> None:
    def logits(rows: list[dict[str, float]]) -> None:
        for row in rows:
            row["relevance_score"] = 20 * row["relevance_score"] - 12

    service.next.append(lying(logits))
    found = await library(index, service).search(QUERY, ANONYMOUS)
    assert [hit.block.block_id for hit in found.hits] == ["a-0", "a-1", "a-2"]
    assert all(0 <= hit.score <= 1 for hit in found.hits)
