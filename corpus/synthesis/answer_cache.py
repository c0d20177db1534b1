"""Answers that a model wrote, kept for a while: the same question over the same sources is not paid for twice.

A key holds all that an answer depends on, the sources as they were retrieved just now under the caller's rights among
it; an answer over something that the caller may no longer read, or that changed, is never found.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Generic, TypeVar

import anyio

from corpus.access import Caller
from corpus.synthesis.answer import Source
from corpus.synthesis.request import SynthesisRequest

MOST = 128

Kept = TypeVar("Kept")


class Remembered(Generic[Kept]):
    """The latest things by key, each for `seconds`; none at all with 0."""

    def __init__(
        self, seconds: float, *, most: int = MOST, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._most, self._now = seconds, most, now
        self._kept: OrderedDict[str, tuple[float, Kept]] = OrderedDict()

    def get(self, key: str) -> Kept | None:
        since, kept = self._kept.get(key, (0.0, None))
        if kept is None or self._now() - since >= self._seconds:
            self._kept.pop(key, None)
            return None
        self._kept.move_to_end(key)
        return kept

    def put(self, key: str, kept: Kept) -> None:
        if self._seconds > 0:
            self._kept[key] = (self._now(), kept)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def key_of(request: SynthesisRequest, caller: Caller, *more: str) -> str:
    """A digest of what is asked, of who asks, and of whatever else the answer depends on."""
    who = asdict(caller) | {"groups": sorted(caller.groups)}
    return _digest(json.dumps([asdict(request), who, more], sort_keys=True, default=str))


def digest_of(sources: Iterable[Source]) -> str:
    """What the sources are and say, in their order."""
    return _digest(
        json.dumps([(one.citation, one.hit and one.hit.block.block_id, one.text) for one in sources])
    )


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# One piece of work for all who want the same at the same time.

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
