"""Answers that do not come from the service, or are incomplete, are reported as such."""

from __future__ import annotations

import pytest

from corpus.errors import AzureSearchError
from corpus.index.azure import Service
from corpus.index.azure.service.connection import Connection
from tests.azure.fault_desk import (
    BRISK,
    MARKER,
    TOOLS,
    WORDS,
    fault_desk,
    stocked,
)
from tests.azure.rude_service import Act, RudeService, breaking_off, no_http, saying, silent
from tests.doubles.azure_search import Fault

pytestmark = pytest.mark.anyio

UNLIKE: dict[str, Act] = {
    "a page": saying(b"<html><title>Sign in</title>" + MARKER.encode(), b"text/html"),
    "a page called JSON": saying(b"<html>" + MARKER.encode()),
    "JSON that breaks off": saying(b'{"value": [{"doc_id": "' + MARKER.encode()),
    "nothing": saying(b""),
    "null": saying(b"null"),
    "a list": saying(b"[]"),
    "a number": saying(b"5"),
    "an object without what matters": saying(b"{}"),
    "null for the rows": saying(b'{"value": null, "fields": null}'),
    "texts for the rows": saying(b'{"value": ["a", 3], "fields": ["a", 3]}'),
    "a tower of lists": saying(b"[" * 50_000),
    "bytes that are no text": saying(b'{"value": \xff\xfe'),
    "what is not packed as it says": saying(b"no gzip", more=b"Content-Encoding: gzip"),
    "the way to somewhere else": saying(b"", status=302, more=b"Location: http://127.0.0.1:1/elsewhere"),
}


@pytest.mark.parametrize("what", UNLIKE)
async def test_an_answer_that_is_not_from_the_service_is_reported_as_such(what: str) -> None:
    async with RudeService(UNLIKE[what]) as service, fault_desk(service.endpoint) as desk:
        failures = [await desk.failure(tool) for tool in TOOLS]

    assert {one["type"] for one in failures} == {"AzureSearchError"}
    assert {one["error"] for one in failures} == {"The response from 127.0.0.1 is not from Azure AI Search."}
    assert "AZURE_SEARCH_ENDPOINT" in failures[0]["hints"][0]


@pytest.mark.parametrize("what", UNLIKE)
async def test_rows_do_not_count_as_written_unless_the_answer_says_so(what: str) -> None:
    async with (
        RudeService(UNLIKE[what]) as service,
        Connection(Service(service.endpoint, "key"), BRISK) as writing,
    ):
        for written in (writing.upload("i", [{"id": "1"}]), writing.delete("i", "id", ["1"])):
            with pytest.raises(AzureSearchError):
                await written


async def test_an_upload_whose_answer_omits_rows_has_failed() -> None:
    told = saying(b'{"value": [{"key": "1", "status": true, "errorMessage": null, "statusCode": 201}]}')
    async with RudeService(told) as service, Connection(Service(service.endpoint, "key"), BRISK) as writing:
        assert await writing.upload("i", [{"id": "1"}]) == {}
        with pytest.raises(AzureSearchError):
            await writing.upload("i", [{"id": "1"}, {"id": "2"}])


async def test_rows_omitted_from_an_answer_with_a_failure_have_failed_too() -> None:
    told = saying(b'{"value": [{"key": "1", "status": false, "errorMessage": "busy", "statusCode": 503}]}', status=207)
    rows = [{"block_id": one, "doc_id": "d"} for one in ("1", "2")]
    async with RudeService(told) as service, Connection(Service(service.endpoint, "key"), BRISK) as writing:
        failed = await writing.upload("i", rows)
        removed = await writing.delete("i", "doc_id", ["1", "2"])
    assert (failed["1"], sorted(failed), sorted(removed)) == ("busy", ["1", "2"], ["1", "2"])


async def test_a_request_that_cannot_be_sent_is_not_blamed_on_the_service() -> None:
    async with RudeService(silent) as service, Connection(Service(service.endpoint, "key"), BRISK) as writing:
        with pytest.raises(TypeError):
            await writing.upload("i", [{"id": object()}])

    assert service.requests == 0


@pytest.mark.parametrize("act", [breaking_off, no_http])
async def test_a_connection_that_breaks_during_the_answer_is_retried_and_reported(act: Act) -> None:
    async with RudeService(act) as service, Connection(Service(service.endpoint, "key"), BRISK) as connection:
        with pytest.raises(AzureSearchError, match=r"The connection to 127\.0\.0\.1 broke") as raised:
            await connection.search("content-blocks", top=1, filter="x")

    assert service.requests == 4
    assert raised.value.hints


async def test_a_truncated_answer_is_accepted_and_reported_as_such() -> None:
    body = b'{"value": [{"@search.score": 1.5, "@search.rerankerScore": 2.0, "block_id": "b"}]}'
    partial = saying(body, status=206)
    async with (
        RudeService(partial) as service,
        Connection(Service(service.endpoint, "key"), BRISK) as connection,
    ):
        answer = await connection.search("content-blocks", "x", top=1, filter="x")

    assert answer.partial
    assert [row["block_id"] for row in answer.rows] == ["b"]


async def test_refused_rows_are_reported_with_the_reason() -> None:
    async with (
        stocked() as (service, _),
        Connection(Service(service.endpoint, service.admin_key), BRISK) as writing,
    ):
        failed = await writing.merge("documents-metadata", [{"doc_id": "pump", "title": "T"}, {"doc_id": "gone"}])

    assert list(failed) == ["gone"]


async def test_a_batch_that_is_too_large_is_refused_entirely_and_sent_once() -> None:
    async with (
        stocked() as (service, _),
        Connection(Service(service.endpoint, service.admin_key), BRISK) as writing,
    ):
        service.faults.add(Fault(413, body=WORDS), None)
        with pytest.raises(AzureSearchError, match="too large"):
            await writing.upload("documents-metadata", [{"doc_id": "a"}, {"doc_id": "b"}])
        batches = [one for one in service.requests if one.operation == "batch"]

    assert len(batches) == 1
