"""Run several calls concurrently, with failures that look like those of a single call, and find the causes of a
failure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

import anyio

T = TypeVar("T")


async def gather(calls: Sequence[Callable[[], Awaitable[T]]], *, at_once: int = 4) -> list[T]:
    """Run the calls, up to `at_once` concurrently, and return their results in order. The first failure cancels the
    other calls and is raised directly, not in an exception group."""
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


_KEPT_AS = ("inner_exception", "os_error")
"""Attributes, other than Python's own, in which libraries store the cause of an exception."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and all of its causes, each once."""
    visited: set[int] = set()
    queue: list[object] = [error]
    while queue:
        candidate = queue.pop()
        if isinstance(candidate, BaseException) and id(candidate) not in visited:
            visited.add(id(candidate))
            yield candidate
            queue += [candidate.__cause__, candidate.__context__, *getattr(candidate, "exceptions", ())]
            queue += [getattr(candidate, name, None) for name in _KEPT_AS]
