"""A reader's cached index definitions: when they are read, when they are read again, and which indexes are refused."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from corpus.access import ANONYMOUS
from corpus.errors import NotConfigured
from corpus.index.azure import AzureIndex, Place, Service, Wishes
from corpus.index.azure.schema import index_schema
from corpus.index.azure.schema.index_schema import Mark
from corpus.search import Listing, Search
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.doubles.azure_search import Fault, StandIn
from tests.shelf import ANN, a_document, texts

pytestmark = pytest.mark.anyio

PREFIXED, PLAIN = {"description": str(Mark(True))}, {"description": str(Mark(False))}
PUMP = Search("pump")


def fill(service: StandIn, content: dict[str, Any], documents: dict[str, Any], access: str = "*") -> None:
    service.put_index(content)
    service.put_index(documents)
    service.put_documents(DOCUMENTS, [dict(document_row(a_document(access_control_list=(access,))))])
    service.put_documents(CONTENT, [block_row(texts("manual", "A pump.")[0].block, [access], None)])


def opened(service: StandIn, key: str | None = None, prefixes: bool | None = None) -> AzureIndex:
    reading = Service(service.endpoint, key or service.admin_key)
    return AzureIndex(Place(reading, CONTENT, DOCUMENTS, Wishes((), "none"), prefixes), None)


def definitions(service: StandIn) -> int:
    return len([one for one in service.requests if one.operation == "get_index"])


def normalized(definition: dict[str, Any]) -> dict[str, Any]:
    fields = [
        one | {"normalizer": "lowercase"} if one["name"] == "access_control_list" else one
        for one in definition["fields"]
    ]
    return definition | {"fields": fields}


async def test_rights_that_take_effect_late_are_noticed_after_a_while(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(service, content_index() | PREFIXED, documents_index() | PREFIXED, "user:ann")
    service.faults.add(Fault(403), 2, operation="get_index")
    async with opened(service) as index:
        first = await index.find(PUMP, ANN)
        monkeypatch.setattr(index._shapes, "_again", 0.0)
        second = await index.find(PUMP, ANN)
        third = await index.find(PUMP, ANN)
    assert (first.hits, len(first.warnings)) == ((), 1)
    assert [(len(one.hits), one.warnings) for one in (second, third)] == [(1, ()), (1, ())]
    assert definitions(service) == 4


async def test_unreadable_definitions_are_not_logged_as_errors(
    service: StandIn,
) -> None:
    fill(service, content_index(), documents_index())
    with capture_logs() as logs:
        async with opened(service, service.query_key) as index:
            await index.find(PUMP, ANONYMOUS)
    told = [(one["outcome"], one["log_level"]) for one in logs if one.get("azure_operation") == "get_index"]
    assert told == [("not allowed", "debug")] * 2


async def test_unreadable_definitions_are_requested_at_most_once_a_minute(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(index_schema.time, "monotonic", lambda: now)
    fill(service, content_index(), documents_index())
    asked = []
    async with opened(service, service.query_key) as index:
        for then in (1000.0, 1030.0, 1059.0, 1061.0, 1062.0, 1120.0, 1122.0):
            now = then
            await index.find(PUMP, ANONYMOUS)
            asked.append(definitions(service))
    assert asked == [2, 2, 2, 4, 4, 4, 6]


async def test_only_definitions_that_could_not_be_read_are_requested_again(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(service, content_index(), documents_index())
    service.faults.add(Fault(403), operation="get_index", index=DOCUMENTS)
    async with opened(service) as index:
        await index.find(PUMP, ANONYMOUS)
        for _ in range(2):
            monkeypatch.setattr(index._shapes, "_again", 0.0)
            await index.find(PUMP, ANONYMOUS)
    assert [one.index for one in service.requests if one.operation == "get_index"][2:] == [DOCUMENTS]


@pytest.mark.parametrize("status", [403, 404, 503])
async def test_a_definition_that_cannot_be_read_again_keeps_its_last_state(
    service: StandIn, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    fill(service, content_index(), documents_index())
    async with opened(service, service.query_key) as index:
        await index.find(PUMP, ANONYMOUS)
        assert index._shapes
        learned = index._shapes.content
        service.faults.add(Fault(status), None, operation="get_index")
        monkeypatch.setattr(index._shapes, "_again", 0.0)
        assert len((await index.find(PUMP, ANONYMOUS)).hits) == 1
        assert index._shapes.content is learned
        assert learned.fields


async def test_an_index_that_turns_out_to_lack_a_field_is_refused_from_then_on(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(service, normalized(content_index()), documents_index())
    service.faults.add(Fault(403), 2, operation="get_index")
    async with opened(service) as index:
        assert (await index.find(PUMP, ANONYMOUS)).hits
        monkeypatch.setattr(index._shapes, "_again", 0.0)
        for _ in range(2):
            with pytest.raises(NotConfigured, match="normalizer"):
                await index.find(PUMP, ANONYMOUS)


@pytest.mark.parametrize("which", [CONTENT, DOCUMENTS])
async def test_an_index_with_case_insensitive_access_lists_is_refused(service: StandIn, which: str) -> None:
    made = {CONTENT: content_index(), DOCUMENTS: documents_index()}
    made[which] = normalized(made[which])
    fill(service, made[CONTENT], made[DOCUMENTS])
    async with opened(service) as index:
        with pytest.raises(NotConfigured, match=rf"access_control_list of index {which} has a normalizer"):
            await index.list_documents(Listing(), ANONYMOUS)


@pytest.mark.parametrize(("content", "documents"), [(PREFIXED, PLAIN), (PLAIN, PREFIXED)])
@pytest.mark.parametrize("prefixes", [None, True, False])
async def test_two_indexes_with_contradictory_marks_are_refused_by_name(
    service: StandIn, content: dict[str, str], documents: dict[str, str], prefixes: bool | None
) -> None:
    fill(service, content_index() | content, documents_index() | documents)
    async with opened(service, prefixes=prefixes) as index:
        with pytest.raises(NotConfigured, match="do not belong together") as raised:
            await index.find(PUMP, ANN)
    assert all(name in str(raised.value) for name in (CONTENT, DOCUMENTS))


@pytest.mark.parametrize(("content", "documents"), [(PREFIXED, {}), ({}, PREFIXED), (PREFIXED, PREFIXED)])
async def test_the_mark_of_either_index_defines_how_names_are_written(
    service: StandIn, content: dict[str, str], documents: dict[str, str]
) -> None:
    fill(service, content_index() | content, documents_index() | documents, "user:ann")
    async with opened(service) as index:
        assert len((await index.find(PUMP, ANN)).hits) == 1
    async with opened(service, prefixes=False) as index:
        with pytest.raises(NotConfigured, match="was made with true"):
            await index.find(PUMP, ANN)
