"""Connections to a service that keep to its address and to a bound on its answers.

What a faulty or hostile one sends beyond the bound is never kept in memory. Where it sends a request on to another
address, neither the key nor the text goes there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

import openai

from corpus.services.answers import NotTheProtocol

_http: Any = import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])
"""The package that sends for openai: which one depends on its version."""

PACKED = 16
"""The bound of a compressed answer is so many times lower; unpacked, it can be a thousand times as long."""


def bounded_http(most: int) -> openai.DefaultAsyncHttpxClient:
    """As the package openai has them, but answers raise NotTheProtocol beyond `most` bytes, and no redirection is
    followed."""

    async def bounded(response: Any) -> None:
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _Bounded(response.stream, most // PACKED if packed else most)

    return openai.DefaultAsyncHttpxClient(event_hooks={"response": [bounded]}, follow_redirects=False)


class _Bounded(_http.AsyncByteStream):  # type: ignore[misc]
    def __init__(self, stream: Any, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise NotTheProtocol("more than an answer")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
