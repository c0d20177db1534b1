"""Limits per caller: calls per minute, and concurrent calls, so that no caller starves the others."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from corpus.access import Caller
from corpus.errors import IbidError, Timeout
from server.caller import caller_digest
from server.calls.failures import refused_before
from server.http.concurrency import WORK, Concurrency
from server.settings.model import Settings
from tools.protocol import CallerOf

MAX_CALLERS = 10_000


class Buckets:
    """Token buckets that allow `rate` calls per minute for each key, even in a single burst. If there are more than
    `max_keys` keys, the least recently used key is dropped; it later starts with a full bucket."""

    def __init__(self, rate: int, *, max_keys: int = MAX_CALLERS, now: Callable[[], float] = monotonic) -> None:
        self._rate, self._max_keys, self._now = rate, max_keys, now
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()

    def wait(self, key: bytes) -> float:
        """Take one call from the key's bucket and return 0.0. If the bucket is empty, return the number of seconds
        until the next call is allowed."""
        now = self._now()
        left, since = self._buckets.pop(key, (float(self._rate), now))
        left = min(float(self._rate), left + (now - since) * self._rate / 60)
        taken = left >= 1
        self._buckets[key] = (left - 1 if taken else left, now)
        if len(self._buckets) > self._max_keys:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - left) * 60 / self._rate

    def __len__(self) -> int:
        return len(self._buckets)


Request = ServerRequestContext[Any, Any]


class RateLimit:
    """MCP middleware that allows each caller `rate` requests per minute, regardless of the method."""

    def __init__(self, caller_of: CallerOf, rate: int, buckets: Buckets | None = None) -> None:
        self._caller_of, self._rate = caller_of, rate
        self._buckets = buckets or Buckets(rate)

    async def __call__(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        # Notifications are not limited: they have no response that could carry a retry time.
        key = caller_key(self._caller_of, ctx) if ctx.request_id is not None else None
        if key is None:
            return await call_next(ctx)
        if seconds := self._buckets.wait(key):
            why = f"You made more than {self._rate} calls in a minute."
            return refused(ctx, why, ceil(seconds))
        return await call_next(ctx)


def rate_limit(settings: Settings, caller_of: CallerOf, unset: int = 0) -> list[ServerMiddleware[Any]]:
    """Return the middleware for the rate limit in the settings, or an empty list if there is no limit. `unset` is the
    default rate; 0 means no limit."""
    rate = unset if settings.rate_limit is None else settings.rate_limit
    return [RateLimit(caller_of, rate)] if rate else []


def caller_key(caller_of: CallerOf, ctx: Request) -> bytes | None:
    """Return the key that distinguishes a caller from others. Return None for a caller who is not admitted; such calls
    do not count towards any limit.

    Unidentified callers at one address share the limit of that address. Behind a proxy, all of them together count as
    one caller, because they all have the proxy's address.
    """
    try:
        caller: Caller = caller_of()
    except IbidError:
        return None
    client = getattr(ctx.request, "client", None)
    return bucket_key(caller, str(getattr(client, "host", "")))


def bucket_key(caller: Caller | None, host: str) -> bytes:
    """Return the key for a caller, or the key for the address `host` if the caller is not identified."""
    if caller is not None and not caller.anonymous:
        return caller_digest(caller)
    return b"address " + host.encode()


def refused(ctx: Request, why: str, seconds: int) -> HandlerResult:
    """Return a refusal that says how many seconds to wait before the next request."""
    again = f"Ask again in {seconds} second{'' if seconds == 1 else 's'}."
    return refused_before(ctx, Timeout(why, hints=(again,)))


SECONDS = 5
"""Seconds after which a refused caller may retry, as stated in the refusal."""


@dataclass(slots=True)
class _Place:
    turns: Concurrency
    inside: int = 0


class CallerTurns:
    """MCP middleware that limits each caller to `at_once` running and `waiting` queued calls. A caller's state is
    dropped after its last call."""

    def __init__(self, caller_of: CallerOf, at_once: int, waiting: int) -> None:
        self._caller_of, self._at_once, self._waiting = caller_of, at_once, waiting
        self._places: dict[bytes, _Place] = {}

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        key = caller_key(self._caller_of, ctx) if ctx.method in WORK else None
        if key is None:
            return await call_next(ctx)
        async with self._place(key) as turns:
            if not await turns.taken():
                why = f"{self._at_once} of your calls are running, and too many are waiting."
                return refused(ctx, why, SECONDS)
            with turns.occupied():
                return await call_next(ctx)

    def __len__(self) -> int:
        """Return the number of callers with running calls."""
        return len(self._places)

    @asynccontextmanager
    async def _place(self, key: bytes) -> AsyncIterator[Concurrency]:
        place = self._places.setdefault(key, _Place(Concurrency(self._at_once, self._waiting)))
        place.inside += 1
        try:
            yield place.turns
        finally:
            place.inside -= 1
            if not place.inside:
                del self._places[key]
