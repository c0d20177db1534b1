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
    """Seconds for the whole call (retries and pauses included) and for one request, the number of retries, and the
    first and the longest pause between two."""

    whole: float
    request: float
    retries: int
    pause: float = 0.5
    """Doubled with each retry, as usual for exponential backoff."""
    longest_pause: float = 60.0


QUERY_POLICY = RetryPolicy(whole=10, request=5, retries=2)
"""Somebody waits for the search that the query belongs to."""
PASSAGES_POLICY = RetryPolicy(whole=inf, request=60, retries=6)
"""Ingestion runs in the background: it waits out rate limits, and the number of retries bounds it."""


class RetryLater(Exception):
    """The request can work a moment later. `cause` is the error to raise if it is not retried; `wait` the seconds
    that the service asked for."""

    def __init__(self, cause: Exception, wait: float | None = None) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.wait = wait


async def with_retries(send: Callable[[], Awaitable[T]], patience: RetryPolicy) -> T:
    """Return the answer of `send`, retried if it raises RetryLater or takes too long. Raises the cause of
    RetryLater, or TimeoutError.

    The caller sets the deadline for the whole.
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
    """Await `send` within so many seconds; a timeout is worth a retry."""
    try:
        with anyio.fail_after(seconds):
            return await send()
    except TimeoutError as error:
        raise RetryLater(error) from error


def _pause(wait: float | None, retry: int, patience: RetryPolicy) -> float:
    if wait is not None:
        return wait
    # Jitter: callers refused at the same time must not retry at the same time.
    doubled = float(min(patience.longest_pause, patience.pause * 2**retry))
    return doubled * random.uniform(0.75, 1.0)  # noqa: S311


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks to wait, from `Retry-After-Ms` or either form of `Retry-After` (RFC
    9110, 10.2.3); None without one."""
    value = headers.get("retry-after")
    with suppress(ValueError, OverflowError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if value is not None and not value.isdecimal():
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        return None if value is None else float(value)
    return None
