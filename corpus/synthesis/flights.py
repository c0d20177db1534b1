"""One piece of work for all who want the same at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio

Result = TypeVar("Result")


@dataclass(slots=True)
class _Flight(Generic[Result]):
    """Without a result and without a failure, whoever led it was cancelled."""

    landed: anyio.Event = field(default_factory=anyio.Event)
    results: list[Result] = field(default_factory=list)
    failure: Exception | None = None


class Flights(Generic[Result]):
    """By key. Whoever comes first does the work, and the others wait for what it gives; where the first is cancelled,
    one of the others does it anew. What failed is told to all who waited, and kept for nobody who comes later."""

    def __init__(self) -> None:
        self._under_way: dict[str, _Flight[Result]] = {}

    async def shared(
        self, key: str, work: Callable[[float], Awaitable[Result]], seconds: float
    ) -> Result | None:
        """What the work gives, which is told how many seconds it has; None where nothing came in that time. Raises
        what the work raises."""
        until = anyio.current_time() + seconds
        while flight := self._under_way.get(key):
            with anyio.CancelScope(deadline=until) as limit:
                await flight.landed.wait()
            if flight.failure:
                raise flight.failure
            if flight.results:
                return flight.results[0]
            if limit.cancelled_caught:
                return None
        return await self._led(key, work, until - anyio.current_time())

    async def _led(self, key: str, work: Callable[[float], Awaitable[Result]], seconds: float) -> Result:
        flight = self._under_way[key] = _Flight()
        try:
            flight.results.append(await work(seconds))
        except Exception as error:
            flight.failure = error
            raise
        finally:
            del self._under_way[key]
            flight.landed.set()
        return flight.results[0]
