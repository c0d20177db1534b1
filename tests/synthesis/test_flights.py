"""Single-flight: concurrent requests for the same result share one execution, even if the first requester is
cancelled."""

from __future__ import annotations

import anyio
import pytest

from corpus.synthesis.synthesizer import SingleFlight

pytestmark = pytest.mark.anyio

LONG = 60.0


class Work:
    """A job that ends when it is told to. `begun` counts its executions."""

    def __init__(self, gives: str | Exception = "done") -> None:
        self.begun = 0
        self.end = anyio.Event()
        self._gives = gives

    async def __call__(self, seconds: float) -> str:
        self.begun += 1
        await self.end.wait()
        if isinstance(self._gives, Exception):
            raise self._gives
        return self._gives


async def waits(flights: SingleFlight[str], work: Work, got: list[object], seconds: float = LONG) -> None:
    try:
        got.append(await flights.run("key", work, seconds))
    except LookupError as failure:
        got.append(failure)


async def test_ten_concurrent_requests_share_the_result_of_one_execution() -> None:
    flights, work, got = SingleFlight[str](), Work(), list[object]()
    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(waits, flights, work, got)
        await anyio.wait_all_tasks_blocked()
        work.end.set()
    assert (work.begun, got) == (1, ["done"] * 10)


async def test_if_the_first_is_cancelled_another_takes_over() -> None:
    flights, work, got = SingleFlight[str](), Work(), list[object]()
    async with anyio.create_task_group() as others:
        async with anyio.create_task_group() as first:
            first.start_soon(waits, flights, work, got)
            await anyio.wait_all_tasks_blocked()
            for _ in range(3):
                others.start_soon(waits, flights, work, got)
            await anyio.wait_all_tasks_blocked()
            first.cancel_scope.cancel()
        await anyio.wait_all_tasks_blocked()
        work.end.set()
    assert (work.begun, got) == (2, ["done"] * 3)


async def test_a_failure_is_raised_for_all_waiters_and_for_nobody_later() -> None:
    flights, failing, got = SingleFlight[str](), Work(LookupError("x")), list[object]()
    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(waits, flights, failing, got)
        await anyio.wait_all_tasks_blocked()
        failing.end.set()
    assert [str(one) for one in got] == ["x"] * 3
    good = Work()
    good.end.set()
    assert await flights.run("key", good, LONG) == "done"


async def test_another_key_is_another_execution() -> None:
    flights, work = SingleFlight[str](), Work()
    work.end.set()
    await flights.run("one", work, LONG)
    await flights.run("two", work, LONG)
    assert work.begun == 2


async def test_a_waiter_with_less_time_does_not_wait_longer() -> None:
    flights, work, got = SingleFlight[str](), Work(), list[object]()
    async with anyio.create_task_group() as group:
        group.start_soon(waits, flights, work, got)
        await anyio.wait_all_tasks_blocked()
        assert await flights.run("key", work, 0.0) is None
        work.end.set()
    assert got == ["done"]
