"""Real answers of Azure AI Search are understood: by the SDK, by the connection, and as hits.

The recordings are not part of the project. Synthetic answers in the same formats are always tried.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient
from azure.search.documents.indexes.models import SearchIndex

from corpus.access import ANONYMOUS
from corpus.errors import AzureSearchError
from corpus.filters import Filters
from corpus.index.azure import AzureIndex, Place, Service, Timing, Wishes
from corpus.index.azure.schema.index_schema import shape_of
from corpus.index.azure.service.connection import Connection
from corpus.search import Search, SearchResult
from server.calls.deadlines import within
from tests.azure.replay import Recorded, Replay, of
from tests.azure.replay_answers import OWN
from tests.doubles.digest_embedder import DigestEmbedder

pytestmark = pytest.mark.anyio

QUICK = Timing(pause=0.001, longest_pause=0.002)
SEARCHES = ("search_", "spec_search_")
FILTER = "access_control_list/any(held: search.in(held, '*', '|'))"


@pytest.fixture(params=["own", "recorded"])
def answers(request: pytest.FixtureRequest) -> list[Recorded]:
    if request.param == "own":
        return list(OWN)
    folder = request.getfixturevalue("corpora").parent / "azure-wire"
    assert folder.is_dir(), "the recordings must be next to the corpora"
    return [Recorded.read(file) for file in sorted(folder.glob("*.json"))]


@pytest.fixture
async def replay() -> AsyncIterator[Replay]:
    async with Replay() as replay:
        yield replay


@pytest.fixture
async def connection(replay: Replay) -> AsyncIterator[Connection]:
    async with Connection(Service(replay.endpoint, "a-key"), QUICK) as connection:
        yield connection


@pytest.fixture
async def client(replay: Replay) -> AsyncIterator[SearchClient]:
    async with SearchClient(replay.endpoint, "i", AzureKeyCredential("a-key"), retry_total=0) as client:
        yield client


async def test_the_sdk_reads_every_search(replay: Replay, client: SearchClient, answers: list[Recorded]) -> None:
    for replay.answer in of(answers, *SEARCHES):
        pages = (await client.search("x")).by_page()
        rows = [dict(row) async for row in await anext(pages)]

        assert len(rows) == len(replay.answer.rows)
        for row, sent in zip(rows, replay.answer.rows, strict=True):
            assert {name: row[name] for name in sent if not name.startswith("@")} == {
                name: value for name, value in sent.items() if not name.startswith("@")
            }


async def test_the_sdk_reads_lookups_counts_and_created_indexes(
    replay: Replay, client: SearchClient, answers: list[Recorded]
) -> None:
    (replay.answer,) = of(answers, "lookup_200")
    assert dict(await client.get_document("1000")) == replay.answer.body
    (replay.answer,) = of(answers, "lookup_404")
    with pytest.raises(ResourceNotFoundError):
        await client.get_document("1000")
    (replay.answer,) = of(answers, "count_200")
    assert await client.get_document_count() == replay.answer.body
    (replay.answer,) = of(answers, "delete_index_204")
    async with SearchIndexClient(replay.endpoint, AzureKeyCredential("a-key")) as indexes:
        await indexes.delete_index("i")


async def test_the_sdk_raises_every_error(replay: Replay, client: SearchClient, answers: list[Recorded]) -> None:
    for replay.answer in of(answers, "error_"):
        with pytest.raises(HttpResponseError) as raised:
            await client.get_document("1000")
        assert raised.value.status_code == replay.answer.status


async def test_every_search_returns_rows_with_their_count_and_facets(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    for replay.answer in of(answers, *SEARCHES):
        body, rows = replay.answer.body, replay.answer.rows
        wishes: dict[str, Any] = {"include_total_count": "@odata.count" in body}
        wishes |= {"facets": ["x"]} if "@search.facets" in body else {}
        answer = await connection.search("i", "x", top=len(rows), filter=FILTER, **wishes)

        assert [row["@search.score"] for row in answer.rows] == [row["@search.score"] for row in rows]
        assert [row["@search.reranker_score"] for row in answer.rows] == [
            row.get("@search.rerankerScore") for row in rows
        ]
        assert answer.total == body.get("@odata.count")
        assert (answer.facets or {}).keys() == body.get("@search.facets", {}).keys()
        assert answer.partial == (replay.answer.status == 206)


async def test_no_second_page_is_requested_if_there_are_enough_rows(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    (replay.answer,) = of(answers, "search_next_page")
    rows = len(replay.answer.rows)
    assert len((await connection.search("i", top=rows, filter=FILTER)).rows) == rows
    assert len((await connection.search("i", top=rows - 1, filter=FILTER)).rows) == rows - 1

    assert len(replay.requests) == 2


async def test_a_second_page_is_requested_if_the_service_returned_too_few_rows(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    (replay.answer,) = of(answers, "search_next_page")
    more = len(replay.answer.rows) + 1
    answer = await connection.search("i", top=more, filter=FILTER)

    assert len(answer.rows) == more
    assert [body["filter"] for body in replay.requests if "skip" not in body] == [FILTER]


async def test_every_error_becomes_an_ibid_error_without_the_service_text(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    for replay.answer in of(answers, "error_"):
        replay.requests.clear()
        with pytest.raises(AzureSearchError) as raised:
            await connection.search("content-blocks", "x", top=1, filter=FILTER)
        said = " ".join((str(raised.value), *raised.value.hints))

        assert raised.value.hints
        assert replay.answer.body["error"]["message"][:20] not in said
        assert len(replay.requests) == (4 if replay.answer.status in (429, 503) else 1)


async def test_an_error_on_the_definition_becomes_an_ibid_error_or_leaves_it_unknown(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    for replay.answer in of(answers, "error_"):
        if replay.answer.status == 403:
            assert await connection.definition("i") is None
        else:
            with pytest.raises(AzureSearchError):
                await connection.definition("i")


async def test_every_batch_reports_the_failed_rows(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    for replay.answer in of(answers, "index_batch_"):
        keys = [row["key"] for row in replay.answer.rows]
        failed = {row["key"]: row["errorMessage"] for row in replay.answer.rows if not row["status"]}

        assert await connection.upload("i", [{"id": key} for key in keys]) == failed
        assert await connection.merge("i", [{"id": key} for key in keys]) == failed
        assert await connection.delete("i", "id", keys) == failed
        assert bool(failed) == (replay.answer.status == 207)


async def test_a_definition_is_read_with_the_capabilities_of_each_field(
    replay: Replay, connection: Connection, answers: list[Recorded]
) -> None:
    for made in of(answers, "create_index_"):
        replay.answer = made
        await connection.create(SearchIndex(name="i", fields=[]))
        replay.answer = replace(made, status=200)
        shape = shape_of("i", await connection.definition("i"))

        assert shape.known
        for one in replay.answer.body["fields"]:
            for ability in ("retrievable", "searchable", "filterable", "sortable", "facetable"):
                assert shape.can(one["name"], ability) == one[ability]


async def found(replay: Replay, kind: str) -> SearchResult:
    """Search with that kind of ranking, in an index whose definition may not be read."""
    embedder = DigestEmbedder()
    vectors = ("content_vector",) if kind in ("hybrid", "vector") else ()
    wishes = Wishes(vectors, "the-configuration" if kind == "semantic" else "none", embedder.id)
    place = Place(Service(replay.endpoint, "a-key"), wishes=wishes)
    async with AzureIndex(place, embedder, QUICK) as index:
        return await index.find(Search("!?" if kind == "vector" else "x", 10, Filters()), ANONYMOUS)


async def test_every_search_becomes_hits_with_correctly_interpreted_scores(
    replay: Replay, answers: list[Recorded]
) -> None:
    for recorded in of(answers, *SEARCHES):
        replay.answer = recorded.as_blocks()
        got = await found(replay, recorded.kind)

        assert [hit.block.block_id for hit in got.hits] == [f"b-{n}" for n in range(len(recorded.rows))][:10]
        assert {hit.score_kind for hit in got.hits} == {recorded.kind}, recorded.name
        assert all(0.0 <= hit.score <= 1.0 for hit in got.hits)
        assert max(hit.score for hit in got.hits) > 0.2, recorded.name
        assert got.mode == ("lexical" if recorded.kind == "text" else recorded.kind)
        assert any("cut short" in one for one in got.warnings) == (recorded.status == 206)
        if recorded.kind in ("semantic", "hybrid", "vector"):
            assert [hit.score for hit in got.hits] == sorted((hit.score for hit in got.hits), reverse=True)


async def test_the_passage_highlighted_by_the_service_is_on_the_hit(replay: Replay, answers: list[Recorded]) -> None:
    pointed_out = [one for one in of(answers, *SEARCHES) if any("@search.captions" in row for row in one.rows)]
    assert pointed_out
    for recorded in pointed_out:
        replay.answer = recorded.as_blocks()
        got = await found(replay, recorded.kind)

        assert [hit.highlight for hit in got.hits] == [row["@search.captions"][0]["text"] for row in recorded.rows]


async def test_a_failed_search_is_reported_and_the_next_one_works(replay: Replay, answers: list[Recorded]) -> None:
    for recorded in of(answers, "error_400", "error_403", "error_404", "error_429", "error_503"):
        replay.answer = recorded
        with pytest.raises(AzureSearchError), within(None):
            await found(replay, "text")
        replay.answer = of(answers, "search_scores_text")[0].as_blocks()
        assert (await found(replay, "text")).hits
