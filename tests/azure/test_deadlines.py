"""A call ends at its deadline or when its caller gives up, and its requests end with it."""

from __future__ import annotations

import time
from dataclasses import replace

import anyio
import pytest
from structlog.testing import capture_logs

from corpus.errors import Timeout
from corpus.index.azure import Service
from corpus.index.azure.service.connection import Connection
from tests.azure.fault_desk import (
    BRISK,
    CALLS,
    TOOLS,
    FaultDesk,
    fault_desk,
    searches,
    stocked,
)
from tests.azure.rude_service import Act, RudeService, dripping, saying, silent
from tests.doubles.azure_search import Fault

pytestmark = pytest.mark.anyio

SLOW = Fault(delay=30.0)


@pytest.mark.parametrize("act", [silent, dripping])
@pytest.mark.parametrize("tool", TOOLS)
async def test_an_endless_answer_is_ended_at_the_deadline(tool: str, act: Act) -> None:
    async with RudeService(act) as service, fault_desk(service.endpoint, seconds=0.4) as desk:
        failure = await desk.failure(tool)
        with anyio.fail_after(5):
            await service.left.wait()

    assert failure["type"] == "Timeout"


@pytest.mark.parametrize("act", [silent, dripping])
async def test_a_single_request_has_its_own_deadline(act: Act) -> None:
    timing = replace(BRISK, whole=0.3)
    async with (
        RudeService(act) as service,
        Connection(Service(service.endpoint, "key"), timing) as connection,
    ):
        with pytest.raises(Timeout) as raised:
            await connection.search("content-blocks", top=1, filter="x")

    assert raised.value.hints


async def test_a_call_with_several_requests_has_one_deadline_for_all_of_them() -> None:
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


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_cancelled_call_ends_its_request_and_the_next_one_works(tool: str) -> None:
    async with RudeService(silent) as service, fault_desk(service.endpoint) as desk:
        with capture_logs() as logs, anyio.fail_after(10):
            await _given_up(desk, tool, service)
            await service.left.wait()
        service.act = saying(b'{"error": {}}', status=403)
        failure = await desk.failure(tool)

    assert "does not allow" in failure["error"]
    assert {one["outcome"] for one in logs if one["event"] == "azure.request"} == {"cancelled"}


async def _given_up(desk: FaultDesk, tool: str, service: RudeService) -> None:
    async with desk.client() as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, tool, CALLS[tool])
        await service.asked.wait()
        tasks.cancel_scope.cancel()


async def test_a_call_cancelled_during_a_retry_pause_sends_nothing_more() -> None:
    async with stocked(replace(BRISK, pause=15.0, longest_pause=15.0)) as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(503), None, operation="search")
        with anyio.move_on_after(0.3):
            await desk.result("rag_get_document")
        assert searches(service) - before == 1
        service.faults.clear()
        await desk.works("rag_get_document")


async def test_a_hanging_call_does_not_block_another() -> None:
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
