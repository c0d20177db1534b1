"""How long a call of a service may take, and when a request is sent again."""

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
class Patience:
    """Seconds, and how often a request is sent again. `whole` has the retries and the pauses in it."""

    whole: float
    request: float
    retries: int
    pause: float = 0.5
    longest_pause: float = 60.0


A_QUERY = Patience(whole=10, request=5, retries=2)
PASSAGES = Patience(whole=inf, request=60, retries=6)


class Again(Exception):
    """The request can work a moment later; `cause` is what to raise when there is no other try.

    `wait` is how many seconds the service asked for.
    """

    def __init__(self, cause: Exception, wait: float | None = None) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.wait = wait


async def patiently(send: Callable[[], Awaitable[T]], patience: Patience) -> T:
    """The answer, after retries where `send` raises Again or takes too long. Raises its cause, or TimeoutError.

    The caller sets the deadline of the whole.
    """
    for retry in count():
        try:
            return await _in_time(send, patience.request)
        except Again as again:
            pause = _pause(again.wait, retry, patience)
            left = anyio.current_effective_deadline() - anyio.current_time()
            # Waiting out a deadline would tell of a timeout and hide the reason.
            if retry >= patience.retries or pause > min(patience.longest_pause, left):
                raise again.cause from again.cause.__cause__
            await anyio.sleep(pause)
    raise AssertionError("unreachable")


async def _in_time(send: Callable[[], Awaitable[T]], seconds: float) -> T:
    try:
        with anyio.fail_after(seconds):
            return await send()
    except TimeoutError as error:
        raise Again(error) from error


def _pause(asked: float | None, retry: int, patience: Patience) -> float:
    if asked is not None:
        return asked
    # Callers that were refused together must not come back together.
    doubled = float(min(patience.longest_pause, patience.pause * 2**retry))
    return doubled * random.uniform(0.75, 1.0)  # noqa: S311


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that an answer asks to wait, in any of the three ways that services say it."""
    said = headers.get("retry-after")
    with suppress(ValueError, OverflowError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if said is not None and not said.isdecimal():
            return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
        return None if said is None else float(said)
    return None
