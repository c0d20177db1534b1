"""Whatever the service or the way to it does, a caller hears what happened and what to do, and the next call works."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from typing import Any

import anyio
import pytest
from mcp import Client
from structlog.testing import capture_logs

from corpus.errors import AzureSearchError, Timeout
from corpus.index.azure import Service, Timing
from corpus.index.azure.connection import Connection
from tests.azure.fault_desk import BRISK, CALLS, MARKER, FaultDesk, fault_desk, stocked
from tests.azure.rude_service import (
    Act,
    RudeService,
    breaking_off,
    dripping,
    no_http,
    saying,
    silent,
)
from tests.doubles.azure_search import Fault, StandIn

pytestmark = pytest.mark.anyio

TOOLS = tuple(CALLS)
BODY = {
    "error": {"code": "", "message": f"{MARKER}: access_control_list/any(held: search.in(held, 'the-board'))"}
}
STATUSES = {
    400: "malformed", 401: "did not accept the credential", 403: "does not allow", 404: "has no index",
    408: "failed to answer", 413: "too large", 429: "too many", 500: "failed to answer", 502: "failed to answer",
    503: "overloaded", 504: "failed to answer", 302: "is not Azure AI Search",
}  # fmt: skip
AGAIN = (408, 429, 500, 502, 503, 504)
HOUR = {"Retry-After": "3600"}
SLOW = Fault(delay=30.0)


def searches(service: StandIn) -> int:
    return len([one for one in service.requests if one.operation == "search"])


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("status", STATUSES)
async def test_a_refusal_is_told_with_its_cure_and_without_the_words_of_the_service(
    tool: str, status: int
) -> None:
    async with stocked() as (service, desk):
        service.faults.add(Fault(status, body=BODY), None)
        failure = await desk.failure(tool)
        service.faults.clear()
        await desk.works(tool)

    assert failure["type"] == "AzureSearchError"
    assert STATUSES[status] in failure["error"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_refusal_after_the_indexes_are_known_is_told_as_well(tool: str) -> None:
    async with stocked() as (service, desk):
        await desk.works(tool)
        service.faults.add(Fault(403, body=BODY), None, operation="search")
        failure = await desk.failure(tool)
        service.faults.clear()
        await desk.works(tool)

    assert "does not allow" in failure["error"]


async def test_a_wrong_key_is_named_as_the_cause() -> None:
    async with StandIn() as service, fault_desk(service.endpoint, "none-of-the-keys") as desk:
        failure = await desk.failure("rag_semantic_search")

    assert failure["type"] == "AzureSearchError"
    assert "AZURE_SEARCH_API_KEY" in failure["hints"][0]


async def test_an_index_that_is_missing_is_named_and_how_to_make_it() -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        service.clear()
        failure = await desk.failure("rag_get_document")

    assert failure["error"] == "Azure AI Search has no index documents-metadata."
    assert any("ibid azure create-indexes" in hint for hint in failure["hints"])


@pytest.mark.parametrize("status", AGAIN)
async def test_what_passes_by_itself_is_asked_four_times_in_all(status: int) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(status), None, operation="search")
        await desk.failure("rag_get_document")
        assert searches(service) - before == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_what_stays_as_it_is_is_asked_once(status: int) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(status, headers={"Retry-After": "1"}), None, operation="search")
        await desk.failure("rag_get_document")
        assert searches(service) - before == 1


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("fault", [Fault(429), Fault(503), Fault(drop=True)], ids=["429", "503", "dropped"])
async def test_a_fault_that_passes_within_three_repetitions_is_not_noticed(fault: Fault, times: int) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        service.faults.add(fault, times, operation="search")
        await desk.works("rag_get_document")


@pytest.mark.parametrize("tool", TOOLS)
async def test_connections_that_are_dropped_are_tried_four_times_in_all(tool: str) -> None:
    async with stocked() as (service, desk):
        await desk.works(tool)
        before = searches(service)
        service.faults.add(Fault(drop=True), None, operation="search")
        failure = await desk.failure(tool)
        asked = searches(service) - before
        service.faults.clear()
        await desk.works(tool)

    assert asked == 4
    assert failure["type"] == "AzureSearchError"
    assert "broke" in failure["error"]


async def test_a_service_that_reads_and_does_not_answer_is_asked_four_times_in_all() -> None:
    async with stocked(replace(BRISK, read=0.25)) as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(SLOW, None, operation="search")
        failure = await desk.failure("rag_get_document")
        asked = searches(service) - before
        service.faults.clear()
        await desk.works("rag_get_document")

    assert asked == 4
    assert failure["type"] == "Timeout"


def test_four_requests_that_are_not_answered_fit_into_the_deadline() -> None:
    timing = Timing()
    pauses = sum(min(timing.longest_pause, timing.pause * 2**n) for n in range(timing.retries))

    assert timing.retries == 3
    assert (timing.retries + 1) * timing.read + pauses <= timing.whole == 30.0


async def test_a_wait_of_a_second_is_kept_before_each_of_four_requests() -> None:
    """The one test that waits: three seconds are what the service asks for."""
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(429, headers={"Retry-After": "1"}), None, operation="search")
        started = time.monotonic()
        await desk.failure("rag_get_document")
        took = time.monotonic() - started

    assert searches(service) - before == 4
    assert took >= 3.0


@pytest.mark.parametrize(
    "wait", ["3600", "inf", "Wed, 21 Oct 2099 07:28:00 GMT", "Wed, 21 Oct 2099 07:28:00"]
)
async def test_a_wait_beyond_the_deadline_is_the_error_at_once(wait: str) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(503, headers={"Retry-After": wait}), None, operation="search")
        with anyio.fail_after(BRISK.whole / 2):
            failure = await desk.failure("rag_get_document")
        asked = searches(service) - before
        service.faults.clear()
        await desk.works("rag_get_document")

    assert asked == 1
    assert "overloaded" in failure["error"]


async def test_a_wait_is_measured_against_the_whole_call_and_not_the_request() -> None:
    async with stocked(seconds=3.0) as (service, desk):
        await desk.works("rag_get_document")
        service.faults.add(Fault(429, headers={"Retry-After": "10"}), None, operation="search")
        with anyio.fail_after(2.5):
            failure = await desk.failure("rag_get_document")

    assert failure["type"] == "AzureSearchError"


@pytest.mark.parametrize("wait", ["soon", "nan", "-5", "1e999x", "Wed, 99 Foo 2026"])
@pytest.mark.parametrize("header", ["Retry-After", "x-ms-retry-after-ms"])
async def test_a_wait_that_nobody_can_read_counts_as_none(header: str, wait: str) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(429, headers={header: wait}), None, operation="search")
        await desk.failure("rag_get_document")
        assert searches(service) - before == 4


@pytest.mark.parametrize("tool", TOOLS)
async def test_nobody_listening_is_told_as_not_reached(tool: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused, and given to nobody else
        async with fault_desk(f"http://127.0.0.1:{taken.getsockname()[1]}") as desk:
            failure = await desk.failure(tool)

    assert failure["type"] == "AzureSearchError"
    assert failure["error"] == "127.0.0.1 cannot be reached."
    assert "AZURE_SEARCH_ENDPOINT" in failure["hints"][0]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_host_without_an_address_is_told_as_such(tool: str) -> None:
    async with fault_desk("https://company-search.invalid") as desk:
        failure = await desk.failure(tool)

    assert failure["type"] == "AzureSearchError"
    assert failure["error"] == "No address is known for company-search.invalid."


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_certificate_that_is_not_trusted_is_told_at_once_and_nothing_is_sent(tool: str) -> None:
    async with stocked(replace(BRISK, pause=30.0, longest_pause=30.0), tls=True) as (service, desk):
        failure = await desk.failure(tool)

    assert failure["type"] == "AzureSearchError"
    assert "certificate" in failure["error"]
    assert "SSL_CERT_FILE" in failure["hints"][0]
    assert service.requests == []


@pytest.mark.parametrize("act", [silent, dripping])
@pytest.mark.parametrize("tool", TOOLS)
async def test_an_answer_that_never_comes_to_its_end_is_ended_at_the_deadline(tool: str, act: Act) -> None:
    async with RudeService(act) as service, fault_desk(service.endpoint, seconds=0.4) as desk:
        failure = await desk.failure(tool)
        with anyio.fail_after(5):
            await service.left.wait()

    assert failure["type"] == "Timeout"


@pytest.mark.parametrize("act", [silent, dripping])
async def test_one_request_has_a_deadline_of_its_own(act: Act) -> None:
    timing = replace(BRISK, whole=0.3)
    async with (
        RudeService(act) as service,
        Connection(Service(service.endpoint, "key"), timing) as connection,
    ):
        with pytest.raises(Timeout) as raised:
            await connection.search("content-blocks", top=1, filter="x")

    assert raised.value.hints


async def test_a_call_of_several_requests_has_one_deadline_for_all_of_them() -> None:
    async with stocked(seconds=0.9) as (service, desk):
        await desk.works("rag_list_documents")
        service.faults.add(Fault(delay=0.4), None)
        started = time.monotonic()
        failure = await desk.failure("rag_list_documents")
        took = time.monotonic() - started
        service.faults.clear()
        await desk.works("rag_list_documents")

    assert failure["type"] == "Timeout"
    assert "search service" in failure["error"]
    assert took < 2.0


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
async def test_an_answer_that_is_not_of_the_service_is_told_as_such(what: str) -> None:
    async with RudeService(UNLIKE[what]) as service, fault_desk(service.endpoint) as desk:
        failures = [await desk.failure(tool) for tool in TOOLS]

    assert {one["type"] for one in failures} == {"AzureSearchError"}
    assert {one["error"] for one in failures} == {"What 127.0.0.1 answered is not Azure AI Search."}
    assert "AZURE_SEARCH_ENDPOINT" in failures[0]["hints"][0]


@pytest.mark.parametrize("what", UNLIKE)
async def test_rows_are_not_taken_for_written_where_the_answer_does_not_say_so(what: str) -> None:
    async with (
        RudeService(UNLIKE[what]) as service,
        Connection(Service(service.endpoint, "key"), BRISK) as writing,
    ):
        for written in (writing.upload("i", [{"id": "1"}]), writing.delete("i", "id", ["1"])):
            with pytest.raises(AzureSearchError):
                await written


async def test_an_upload_of_which_the_answer_leaves_rows_out_has_failed() -> None:
    told = saying(b'{"value": [{"key": "1", "status": true, "errorMessage": null, "statusCode": 201}]}')
    async with RudeService(told) as service, Connection(Service(service.endpoint, "key"), BRISK) as writing:
        assert await writing.upload("i", [{"id": "1"}]) == {}
        with pytest.raises(AzureSearchError):
            await writing.upload("i", [{"id": "1"}, {"id": "2"}])


async def test_what_cannot_be_sent_is_not_blamed_on_the_service() -> None:
    async with RudeService(silent) as service, Connection(Service(service.endpoint, "key"), BRISK) as writing:
        with pytest.raises(TypeError):
            await writing.upload("i", [{"id": object()}])

    assert service.requests == 0


@pytest.mark.parametrize("act", [breaking_off, no_http])
async def test_a_connection_that_breaks_in_the_answer_is_tried_again_and_told_as_broken(act: Act) -> None:
    async with RudeService(act) as service, Connection(Service(service.endpoint, "key"), BRISK) as connection:
        with pytest.raises(AzureSearchError, match=r"The connection to 127\.0\.0\.1 broke") as raised:
            await connection.search("content-blocks", top=1, filter="x")

    assert service.requests == 4
    assert raised.value.hints


async def test_an_answer_cut_short_is_taken_and_said_to_be_so() -> None:
    body = b'{"value": [{"@search.score": 1.5, "@search.rerankerScore": 2.0, "block_id": "b"}]}'
    partial = saying(body, status=206)
    async with (
        RudeService(partial) as service,
        Connection(Service(service.endpoint, "key"), BRISK) as connection,
    ):
        answer = await connection.search("content-blocks", "x", top=1, filter="x")

    assert answer.partial
    assert [row["block_id"] for row in answer.rows] == ["b"]


async def test_rows_that_were_refused_are_named_with_the_reason() -> None:
    async with (
        stocked() as (service, _),
        Connection(Service(service.endpoint, service.admin_key), BRISK) as writing,
    ):
        failed = await writing.merge(
            "documents-metadata", [{"doc_id": "pump", "title": "T"}, {"doc_id": "gone"}]
        )

    assert list(failed) == ["gone"]


async def test_a_batch_that_is_too_large_is_refused_as_a_whole_and_sent_once() -> None:
    async with (
        stocked() as (service, _),
        Connection(Service(service.endpoint, service.admin_key), BRISK) as writing,
    ):
        service.faults.add(Fault(413, body=BODY), None)
        with pytest.raises(AzureSearchError, match="too large"):
            await writing.upload("documents-metadata", [{"doc_id": "a"}, {"doc_id": "b"}])
        batches = [one for one in service.requests if one.operation == "batch"]

    assert len(batches) == 1


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_call_that_is_given_up_ends_its_request_and_the_next_one_works(tool: str) -> None:
    async with RudeService(silent) as service, fault_desk(service.endpoint) as desk:
        with capture_logs() as logs, anyio.fail_after(10):
            await _given_up(desk, tool, service)
            await service.left.wait()
        service.act = saying(b'{"error": {}}', status=403)
        failure = await desk.failure(tool)

    assert "does not allow" in failure["error"]
    assert {one["outcome"] for one in logs if one["event"] == "azure.request"} == {"cancelled"}


async def _given_up(desk: FaultDesk, tool: str, service: RudeService) -> None:
    async with Client(desk.server) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, tool, CALLS[tool])
        await service.asked.wait()
        tasks.cancel_scope.cancel()


async def test_a_call_that_is_given_up_while_it_waits_to_try_again_sends_nothing_more() -> None:
    async with stocked(replace(BRISK, pause=15.0, longest_pause=15.0)) as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(503), None, operation="search")
        with anyio.move_on_after(0.3):
            await desk.result("rag_get_document")
        assert searches(service) - before == 1
        service.faults.clear()
        await desk.works("rag_get_document")


async def test_one_call_that_hangs_does_not_hold_up_another() -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(SLOW, 1, operation="search")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.result, "rag_get_document")
            with anyio.fail_after(5):
                while searches(service) == before:
                    await anyio.sleep(0.005)
                await desk.works("rag_get_document")
            tasks.cancel_scope.cancel()


async def test_the_log_names_the_request_and_not_what_was_asked() -> None:
    async with stocked() as (service, desk):
        service.faults.add(
            Fault(503, headers={"request-id": "r-1"} | HOUR, body=BODY), None, operation="search"
        )
        with capture_logs() as logs:
            await desk.failure("rag_get_document")
    (line,) = [one for one in logs if one["event"] == "azure.request" and one["outcome"] != "ok"]

    assert line["log_level"] == "info"
    assert (line["azure_operation"], line["index_name"]) == ("search", "documents-metadata")
    assert (line["outcome"], line["status"], line["request_id"]) == ("AzureSearchError", 503, "r-1")
    assert not [word for word in (MARKER, "the-board", "pump") if word in str(_plain(line))]


def _plain(line: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in line.items()}
