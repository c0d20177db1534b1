"""A model service: its address, settings and key, errors for unusable responses, deadlines, and retries."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from itertools import count
from math import inf
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import anyio

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class BadAnswer(Exception):
    """A model or service gave an unusable response. The message completes `gave …`."""


class NotTheProtocol(BadAnswer):
    """The response does not follow the protocol at all."""


def require_package(package: str, *, extra: str) -> None:
    """Raise NotConfigured if the package is not installed, and name the extra to install. Imports nothing."""
    if find_spec(package) is None:
        raise NotConfigured(f"The package {package} is missing. Install it: pip install 'ibid-mcp[{extra}]'")


def usable_key(key: str | None, setting: str) -> str | None:
    """Return the key without surrounding spaces, or None if it is empty. Raises NotConfigured, without quoting the key,
    if it is not valid in an HTTP header."""
    key = (key or "").strip() or None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise NotConfigured(
            f"{setting} contains a character that is invalid in a key, such as a line break. Copy it again."
        )
    return key


@dataclass(frozen=True, slots=True)
class Service:
    """A service. `what` describes the model or deployment; `address_setting` and `model_setting` are the names of the
    settings for the address and the model. In messages, `not_admitted`, `not_allowed` and `not_there` complete `HOST …`
    after a 401, 403 or 404 response, and `refused` after any other refusal. `gives` describes what is requested, and
    `are_none` completes `What HOST answered …`."""

    address: str
    model: str
    open: Callable[[], AsyncOpenAI]
    what: str
    address_setting: str
    model_setting: str
    not_admitted: str
    not_allowed: str
    not_there: str
    refused: str
    gives: str
    are_none: str
    keyless: bool = False

    @property
    def host(self) -> str:
        """The host and port, without user name or password."""
        return urlsplit(self.address).netloc.rpartition("@")[2]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits of a call: seconds for the entire call (including retries and pauses) and for one request, the number of
    retries, and the first and the longest pause between requests."""

    whole: float
    request: float
    retries: int
    pause: float = 0.5
    """First pause in seconds. It doubles with each retry (exponential backoff)."""
    longest_pause: float = 60.0


QUERY_POLICY = RetryPolicy(whole=10, request=5, retries=2)
"""Policy for queries. The user is waiting for the search."""
PASSAGES_POLICY = RetryPolicy(whole=inf, request=60, retries=6)
"""Policy for ingestion, which runs in the background and can therefore wait for rate limits to pass, up to the number
of retries."""


class RetryLater(Exception):
    """The request may succeed a moment later. `cause` is the error to raise if it is not retried; `wait` is the number
    of seconds that the service asked to wait."""

    def __init__(self, cause: Exception, wait: float | None = None) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.wait = wait


async def with_retries(send: Callable[[], Awaitable[T]], patience: RetryPolicy) -> T:
    """Return the result of `send`. Call it again if it raises RetryLater or takes too long. Raises the cause of
    RetryLater, or TimeoutError.

    The caller sets the deadline for the entire call.
    """
    for retry in count():
        try:
            return await _in_time(send, patience.request)
        except RetryLater as again:
            pause = _pause(again.wait, retry, patience)
            left = anyio.current_effective_deadline() - anyio.current_time()
            # Waiting beyond the deadline would raise a timeout and hide the reason.
            if retry >= patience.retries or pause > min(patience.longest_pause, left):
                raise again.cause from again.cause.__cause__
            await anyio.sleep(pause)
    raise AssertionError("unreachable")


async def _in_time(send: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Await `send` for at most `seconds`. If it takes longer, raise RetryLater."""
    try:
        with anyio.fail_after(seconds):
            return await send()
    except TimeoutError as error:
        raise RetryLater(error) from error


def _pause(wait: float | None, retry: int, patience: RetryPolicy) -> float:
    if wait is not None:
        return wait
    # Jitter, because callers that were refused at the same time must not retry at the same time.
    doubled = float(min(patience.longest_pause, patience.pause * 2**retry))
    return doubled * random.uniform(0.75, 1.0)  # noqa: S311


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks to wait, from `Retry-After-Ms` or either form of `Retry-After` (RFC 9110,
    10.2.3), or None if it has neither header."""
    value = headers.get("retry-after")
    with suppress(ValueError, OverflowError):
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if value is not None and not value.isdecimal():
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        return None if value is None else float(value)
    return None
