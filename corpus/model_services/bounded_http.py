"""An HTTP client for the openai package that limits the size of responses and does not follow redirects.

Bytes beyond the limit are never stored in memory. Neither keys nor texts are sent to another address.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

import openai

from corpus.model_services.service import NotTheProtocol

_http: Any = import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])
"""The HTTP package that openai uses, which depends on the version of openai."""

COMPRESSION_DIVISOR = 16
"""Divisor of the size limit for compressed responses. Deflate can expand data about 1,000 times, but JSON text usually
expands 5 to 10 times."""


def bounded_http(max_bytes: int) -> openai.DefaultAsyncHttpxClient:
    """Return openai's HTTP client with two changes: a response of more than `max_bytes` raises NotTheProtocol, and
    redirects are not followed."""

    async def bound(response: Any) -> None:
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _Bounded(response.stream, max_bytes // COMPRESSION_DIVISOR if packed else max_bytes)

    return openai.DefaultAsyncHttpxClient(event_hooks={"response": [bound]}, follow_redirects=False)


class _Bounded(_http.AsyncByteStream):  # type: ignore[misc]
    def __init__(self, stream: Any, max_bytes: int) -> None:
        self._stream, self._max_bytes = stream, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._max_bytes
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise NotTheProtocol("more than an answer")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
