"""Several things asked at once, whose failure looks like that of one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

T = TypeVar("T")


async def together(calls: Sequence[Callable[[], Awaitable[T]]], *, at_once: int = 4) -> list[T]:
    """What the calls give, in their order. The first failure ends the others and is raised as it is, without the
    group that a task group would make of it."""
    results: dict[int, T] = {}
    failed: list[Exception] = []
    limit = anyio.CapacityLimiter(at_once)

    async def ask(place: int, tasks: anyio.abc.TaskGroup) -> None:
        async with limit:
            try:
                results[place] = await calls[place]()
            except Exception as error:
                failed.append(error)
                tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        for place in range(len(calls)):
            tasks.start_soon(ask, place, tasks)
    if failed:
        raise failed[0]
    return [results[place] for place in range(len(calls))]
