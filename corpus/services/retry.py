"""Deadlines and retries for calls of a service."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from math import inf
from typing import TypeVar

import anyio

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits of a call: seconds for the whole call (including retries and pauses) and for one request, the number of
    retries, and the first and the longest pause between two requests."""

    whole: float
    request: float
    retries: int
    pause: float = 0.5
    """First pause in seconds; it doubles with each retry (exponential backoff)."""
    longest_pause: float = 60.0


QUERY_POLICY = RetryPolicy(whole=10, request=5, retries=2)
"""Policy for queries: the user waits for the search."""
PASSAGES_POLICY = RetryPolicy(whole=inf, request=60, retries=6)
"""Policy for ingestion, which runs in the background. It waits for rate limits to pass; the number of retries bounds
it."""


class RetryLater(Exception):
    """The request can succeed a moment later. `cause` is the error to raise if it is not retried; `wait` is the seconds
    that the service requested."""

    def __init__(self, cause: Exception, wait: float | None = None) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.wait = wait


async def with_retries(send: Callable[[], Awaitable[T]], patience: RetryPolicy) -> T:
    """Return the result of `send`, retried if it raises RetryLater or takes too long. Raises the cause of RetryLater,
    or TimeoutError.

    The caller sets the deadline for the whole call.
    """
    for retry in count():
        try:
            return await _in_time(send, patience.request)
        except RetryLater as again:
            pause = _pause(again.wait, retry, patience)
            left = anyio.current_effective_deadline() - anyio.current_time()
            # Waiting past the deadline would raise a timeout and hide the reason.
            if retry >= patience.retries or pause > min(patience.longest_pause, left):
                raise again.cause from again.cause.__cause__
            await anyio.sleep(pause)
    raise AssertionError("unreachable")


async def _in_time(send: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Await `send` for at most `seconds`; a timeout is retried."""
    try:
        with anyio.fail_after(seconds):
            return await send()
    except TimeoutError as error:
        raise RetryLater(error) from error


def _pause(wait: float | None, retry: int, patience: RetryPolicy) -> float:
    if wait is not None:
        return wait
    # Jitter, because callers refused at the same time must not retry at the same time.
    doubled = float(min(patience.longest_pause, patience.pause * 2**retry))
    return doubled * random.uniform(0.75, 1.0)  # noqa: S311


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks to wait, from `Retry-After-Ms` or either form of `Retry-After` (RFC 9110,
    10.2.3); None without either."""
    value = headers.get("retry-after")
    with suppress(ValueError, OverflowError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if value is not None and not value.isdecimal():
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        return None if value is None else float(value)
    return None
