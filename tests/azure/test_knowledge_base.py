"""A knowledge base instead of a search: the same hits, filters and rights. It is used only if these are guaranteed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from corpus.access import ANONYMOUS, Caller
from corpus.errors import InvalidRequest
from corpus.index.azure import AzureIndex, Place, Service, Wishes, knowledge_base
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.uploading import Uploader
from corpus.search import SearchResult
from tests.access_contract import AccessContract
from tests.azure.design_shelf import QUICK
from tests.azure.pushed_shelf import EMBEDDER, PushedShelf
from tests.azure.test_access_filter import INJECTIONS
from tests.azure.uploads import BLOCKS, DOCUMENTS
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import Fault, StandIn
from tests.shelf import ANN, OpenShelf, a_document, documents_of, figure, ids, search, texts

pytestmark = pytest.mark.anyio

BASE = "handbook"
SECRET = "zanzibar"


@asynccontextmanager
async def asking(
    service: StandIn, *, prefixed: bool = True, key: str | None = None, with_token: bool = False, web: bool = False,
    others: tuple[str, ...] = (), groups: bool = False,
) -> AsyncIterator[PushedShelf]:  # fmt: skip
    """Open empty indexes and a knowledge base for the index of blocks."""
    service.clear()
    mark = Mark(prefixed, EMBEDDER.id)
    blocks = content_index(BLOCKS, dimensions=EMBEDDER.dimensions, mark=mark, semantic=True).as_dict()
    if groups:
        field = {
            "name": "group_ids",
            "type": "Collection(Edm.String)",
            "filterable": True,
            "retrievable": True,
        }
        blocks["fields"] += [field]
    service.put_index(blocks)
    service.put_index(documents_index(DOCUMENTS, mark=mark).as_dict())
    service.knowledge.put(BASE, BLOCKS, *others, web=web)
    reading = Service(service.endpoint, key or service.admin_key)
    wishes = Wishes(None, None, None, BASE)
    place = Place(reading, BLOCKS, DOCUMENTS, wishes, prefixed if key else None, with_token=with_token)
    writing = Service(service.endpoint, service.admin_key)
    async with AzureIndex(place, EMBEDDER, QUICK) as index, Connection(writing, QUICK) as filling:
        yield PushedShelf(index, Uploader(filling, BLOCKS, DOCUMENTS, pause=0.0))


def retrievals(service: StandIn) -> list[dict[str, Any]]:
    return [one.body for one in service.requests if one.operation == "retrieve"]


def used(found: SearchResult) -> bool:
    return not any("was not used" in text for text in found.warnings)


async def fill(shelf: PushedShelf, service: StandIn) -> None:
    await shelf.put(a_document("open"), *texts("open", "The pump needs oil."), figure("open", "Oil pump", 2))
    hidden = a_document("hidden", filename=f"{SECRET}.pdf", access_control_list=("user:ann",), department="hr")
    await shelf.put(hidden, *texts("hidden", f"The {SECRET} pump needs oil."))
    service.requests.clear()


@pytest.fixture
def open_shelf(service: StandIn) -> OpenShelf:
    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[PushedShelf]:
        async with asking(service, prefixed=prefixed) as shelf:
            yield shelf

    return opened


class TestAccessThroughAKnowledgeBase(AccessContract):
    pass


async def test_its_references_become_hits_like_those_of_a_search(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        found = await search(shelf, "oil pump", ANN, top_k=2)
        (body,) = retrievals(service)
    assert used(found)
    assert (found.mode, {hit.score_kind for hit in found.hits}) == ("semantic", {"semantic"})
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len(found.hits) == 2
    assert {hit.document.filename for hit in found.hits} <= {"open.pdf", f"{SECRET}.pdf"}
    assert body["intents"] == [{"type": "semantic", "search": "oil pump"}]
    (source,) = body["knowledgeSourceParams"]
    assert source["filterAddOn"].startswith("(access_control_list/any(held: search.in(held, ")


async def test_filters_of_the_query_are_passed_on(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        assert ids(await search(shelf, "oil pump", ANN, block_type="image")) == ["open-f2"]
        assert documents_of(await search(shelf, "oil pump", ANN, department="hr")) == {"hidden"}
        assert documents_of(await search(shelf, "oil pump", ANONYMOUS, department="hr")) == set()
        assert assert_every_read_was_filtered(service)


@pytest.mark.parametrize("blind", [False, True])
async def test_no_name_or_query_reveals_a_hidden_row_even_if_filters_are_ignored(service: StandIn, blind: bool) -> None:
    async with asking(service, prefixed=False) as shelf:
        await shelf.put(a_document("open"), *texts("open", "The pump needs oil."))
        hidden = a_document("hidden", filename=f"{SECRET}.pdf", access_control_list=("hr",))
        await shelf.put(hidden, *texts("hidden", f"The {SECRET} pump needs oil."))
        service.requests.clear()
        service.knowledge.blind = blind
        for text in INJECTIONS[::4]:
            if text == "hr":
                continue
            for caller in (ANONYMOUS, Caller(user_id=text, groups=frozenset({text, "x"}))):
                for query in (text, f"{SECRET} pump {text}"):
                    assert SECRET not in str((await search(shelf, query, caller, top_k=50)).hits)
                for field in ("author", "department"):
                    assert SECRET not in str((await search(shelf, "pump", caller, **{field: text})).hits)
        assert_every_read_was_filtered(service)
        assert retrievals(service)


async def test_a_source_without_filters_disables_the_knowledge_base(service: StandIn) -> None:
    async with asking(service, web=True) as shelf:
        await fill(shelf, service)
        found = await search(shelf, "oil pump", ANN)
        assert not used(found)
        assert "a source in addition to index content-blocks" in str(found.warnings)
        assert found.hits
        assert retrievals(service) == []


async def test_a_source_over_another_index_disables_the_knowledge_base(service: StandIn) -> None:
    async with asking(service, others=(DOCUMENTS,)) as shelf:
        await fill(shelf, service)
        assert not used(await search(shelf, "oil pump", ANN))
        assert retrievals(service) == []


async def test_a_source_added_later_is_noticed(service: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge_base, "SOURCES_SECONDS", 0.0)
    async with asking(service) as shelf:
        await fill(shelf, service)
        assert used(await search(shelf, "oil pump", ANN))
        service.knowledge.put(BASE, BLOCKS, web=True)
        assert not used(await search(shelf, "oil pump", ANN))


async def test_a_caller_who_cannot_see_its_sources_searches_without_it(service: StandIn) -> None:
    async with asking(service, key=service.query_key) as shelf:
        await fill(shelf, service)
        found = await search(shelf, "oil pump", ANN)
        assert "may not see what its sources are" in str(found.warnings)
        assert found.hits
        assert retrievals(service) == []


async def test_without_an_access_filter_the_knowledge_base_is_not_used(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        found = await search(shelf, "oil pump", Caller(unfiltered=True))
        assert "no access filter applies" in str(found.warnings)
        assert retrievals(service) == []


async def test_the_connection_refuses_a_request_without_a_filter(service: StandIn) -> None:
    from azure.search.documents.knowledgebases.models import (
        KnowledgeBaseRetrievalRequest,
        SearchIndexKnowledgeSourceParams,
    )

    bare = SearchIndexKnowledgeSourceParams(knowledge_source_name="x")
    async with Connection(Service(service.endpoint, service.admin_key), QUICK) as connection:
        for params in ([], [bare]):
            with pytest.raises(ValueError, match="filter"):
                await connection.retrieve(
                    BASE, KnowledgeBaseRetrievalRequest(knowledge_source_params=params), seconds=1.0
                )
    assert service.requests == []


@pytest.mark.parametrize("fault", [Fault(500), Fault(404), Fault(403), Fault(body={"references": 7}, status=200)])
async def test_a_failing_knowledge_base_is_replaced_by_a_search(service: StandIn, fault: Fault) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        service.faults.add(fault, None, operation="retrieve")
        found = await search(shelf, "oil pump", ANN)
        assert "it gave no answer" in str(found.warnings)
        assert found.hits
        before = len(retrievals(service))
        assert "failed recently" in str((await search(shelf, "oil pump", ANN)).warnings)
        assert len(retrievals(service)) == before


async def test_a_failing_source_is_reported(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        service.knowledge.fails.add(f"{BASE}-{BLOCKS}")
        found = await search(shelf, "oil pump", ANN)
        assert "A part of the knowledge base failed" in str(found.warnings)
        assert "internal words" not in str(found)


async def test_activity_and_cost_are_logged_without_the_filter(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        with capture_logs() as lines:
            await search(shelf, "oil pump", ANN)
    (line,) = [one for one in lines if one["event"] == "azure.knowledge_base"]
    assert line["reasoning_tokens"] == 74
    assert line["activity"] == [f"searchIndex 12 ms, {line['references']} found", "agenticReasoning"]
    assert "user:ann" not in json.dumps(lines, default=str)


async def test_the_callers_token_is_sent_in_addition_to_the_filter(service: StandIn) -> None:
    async with asking(service, with_token=True, groups=True) as shelf:
        await fill(shelf, service)
        rows = {row["block_id"]: row for row in service.documents(BLOCKS)}
        service.put_documents(BLOCKS, [rows["open-0"] | {"group_ids": ["g1"]}])
        service.user_tokens["token-of-ann"] = ["g1"]
        holder = replace(ANN, token="token-of-ann")
        assert (await shelf.index.blocks(["open-0", "open-f2"], holder))[0].block_id == "open-0"
        assert len(await shelf.index.blocks(["open-0", "open-f2"], holder)) == 1
        assert used(await search(shelf, "oil pump", holder))
        assert_every_read_was_filtered(service)
        header = "x-ms-query-source-authorization"
        reads = [one for one in service.requests if one.operation in ("search", "retrieve")]
        assert {one.headers.get(header) for one in reads} == {"token-of-ann"}
        found = await search(shelf, "oil pump", ANN)
        assert "token is not available" in str(found.warnings)
        assert "token-of-ann" not in repr(holder)


async def test_a_token_reveals_nothing_that_the_filter_hides(service: StandIn) -> None:
    async with asking(service, with_token=True, groups=True) as shelf:
        await fill(shelf, service)
        rows = {row["block_id"]: row for row in service.documents(BLOCKS)}
        service.put_documents(BLOCKS, [rows["hidden-0"] | {"group_ids": ["g1"]}])
        service.user_tokens["t"] = ["g1"]
        assert await shelf.index.blocks(["hidden-0"], Caller(user_id="bob", token="t")) == ()


async def test_the_token_is_off_by_default(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        await search(shelf, "oil pump", replace(ANN, token="t"))
        assert not any("x-ms-query-source-authorization" in one.headers for one in service.requests)


async def test_a_filter_that_matches_nothing_is_refused_as_before(service: StandIn) -> None:
    async with asking(service) as shelf:
        await fill(shelf, service)
        with pytest.raises(InvalidRequest):
            await search(shelf, "oil pump", ANN, filename=[f" {n} |\x1f\x1e~^`;\t\n," for n in range(400)])
