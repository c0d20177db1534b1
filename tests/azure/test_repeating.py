"""Temporary failures are retried at most three times, at the time that the service sets and within the deadline."""

from __future__ import annotations

import time
from dataclasses import replace

import anyio
import pytest

from corpus.index.azure import Timing
from tests.azure.fault_desk import (
    BRISK,
    TOOLS,
    searches,
    stocked,
)
from tests.doubles.azure_search import Fault

pytestmark = pytest.mark.anyio

AGAIN = (408, 429, 500, 502, 503, 504)
SLOW = Fault(delay=30.0)


@pytest.mark.parametrize("status", AGAIN)
async def test_a_temporary_failure_is_requested_four_times_in_all(status: int) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(status), None, operation="search")
        await desk.failure("rag_get_document")
        assert searches(service) - before == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_a_permanent_failure_is_requested_once(status: int) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(status, headers={"Retry-After": "1"}), None, operation="search")
        await desk.failure("rag_get_document")
        assert searches(service) - before == 1


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("fault", [Fault(429), Fault(503), Fault(drop=True)], ids=["429", "503", "dropped"])
async def test_a_fault_that_ends_within_three_retries_is_not_noticed(fault: Fault, times: int) -> None:
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


async def test_a_service_that_reads_but_does_not_answer_is_requested_four_times_in_all() -> None:
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


def test_four_unanswered_requests_fit_into_the_deadline() -> None:
    timing = Timing()
    pauses = sum(min(timing.longest_pause, timing.pause * 2**n) for n in range(timing.retries))

    assert timing.retries == 3
    assert (timing.retries + 1) * timing.read + pauses <= timing.whole == 30.0


async def test_a_requested_pause_precedes_each_of_three_retries() -> None:
    """This is the only test that waits: three retries, each after a pause of one second that the service requested."""
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(429, headers={"Retry-After": "1"}), None, operation="search")
        started = time.monotonic()
        await desk.failure("rag_get_document")
        took = time.monotonic() - started

    assert searches(service) - before == 4
    assert took >= 3.0


@pytest.mark.parametrize("wait", ["3600", "inf", "Wed, 21 Oct 2099 07:28:00 GMT", "Wed, 21 Oct 2099 07:28:00"])
async def test_a_pause_beyond_the_deadline_is_an_immediate_error(wait: str) -> None:
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


async def test_a_pause_is_measured_against_the_call_and_not_the_request() -> None:
    async with stocked(seconds=3.0) as (service, desk):
        await desk.works("rag_get_document")
        service.faults.add(Fault(429, headers={"Retry-After": "10"}), None, operation="search")
        with anyio.fail_after(2.5):
            failure = await desk.failure("rag_get_document")

    assert failure["type"] == "AzureSearchError"


@pytest.mark.parametrize("wait", ["soon", "nan", "-5", "1e999x", "Wed, 99 Foo 2026"])
@pytest.mark.parametrize("header", ["Retry-After", "x-ms-retry-after-ms"])
async def test_an_unreadable_pause_counts_as_none(header: str, wait: str) -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        before = searches(service)
        service.faults.add(Fault(429, headers={header: wait}), None, operation="search")
        await desk.failure("rag_get_document")
        assert searches(service) - before == 4
