"""Cache of written answers, and single-flight execution of equal concurrent requests.

A key is a digest of everything an answer depends on, including the sources as just retrieved under the caller's rights.
An answer over sources that the caller may no longer read, or that changed, is therefore never returned.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Generic, TypeVar

import anyio

from corpus.access import Caller
from corpus.processes.lru_cache import LRUCache
from corpus.synthesis.answer import Source
from corpus.synthesis.request import SynthesisRequest

MAX_ENTRIES = 128
"""Answers in memory, some kilobytes each with their sources."""

Value = TypeVar("Value")
Result = TypeVar("Result")


class TimedCache(Generic[Value]):
    """The `size` values used last, each for `seconds` after it was put. With 0 seconds it stores nothing."""

    def __init__(self, seconds: float, *, size: int = MAX_ENTRIES, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._now = seconds, now
        self._entries: LRUCache[tuple[float, Value]] = LRUCache(size)

    def get(self, key: str) -> Value | None:
        """The value, or None where it is absent or expired."""
        entry = self._entries.get(key)
        return entry[1] if entry and self._now() - entry[0] < self._seconds else None

    def put(self, key: str, value: Value) -> None:
        """Store a value and restart its time."""
        if self._seconds > 0:
            self._entries.put(key, (self._now(), value))


def request_key(request: SynthesisRequest, caller: Caller, *more: str) -> str:
    """A 32-digit hex digest of the request, the caller, and `more` that the answer depends on."""
    identity = asdict(caller) | {"groups": sorted(caller.groups)}
    return _digest(json.dumps([asdict(request), identity, more], sort_keys=True, default=str))


def sources_digest(sources: Iterable[Source]) -> str:
    """A 32-digit hex digest of the citations, block ids and texts of the sources, in their order."""
    return _digest(
        json.dumps([(source.citation, source.hit and source.hit.block.block_id, source.text) for source in sources])
    )


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(slots=True)
class _Flight(Generic[Result]):
    """An execution that others wait for. It lands without result and failure where its leader was cancelled."""

    landed: anyio.Event = field(default_factory=anyio.Event)
    results: list[Result] = field(default_factory=list)
    failure: Exception | None = None


class SingleFlight(Generic[Result]):
    """Concurrent requests with the same key share one execution.

    The first one works and the others wait. If the first is cancelled, one of the others starts anew. A failure reaches
    everyone who waited, and no later request.
    """

    def __init__(self) -> None:
        self._running: dict[str, _Flight[Result]] = {}

    async def run(self, key: str, work: Callable[[float], Awaitable[Result]], seconds: float) -> Result | None:
        """The result of `work`, which receives the seconds that are left; None where a wait took longer than `seconds`.
        Raises what `work` raises."""
        until = anyio.current_time() + seconds
        while flight := self._running.get(key):
            with anyio.CancelScope(deadline=until) as limit:
                await flight.landed.wait()
            if flight.failure:
                raise flight.failure
            if flight.results:
                return flight.results[0]
            if limit.cancelled_caught:
                return None
        flight = self._running[key] = _Flight()
        try:
            flight.results.append(await work(until - anyio.current_time()))
        except Exception as error:
            flight.failure = error
            raise
        finally:
            del self._running[key]
            flight.landed.set()
        return flight.results[0]
