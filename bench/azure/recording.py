"""Record the requests of a `find` while it runs, and send them again without the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import aiohttp

from corpus.index.azure import Service
from corpus.index.azure.service.connection import Answer, Connection


@dataclass
class Recorded:
    """One request: the call to our connection, and the bytes that were sent."""

    index: str
    text: str | None
    wishes: dict[str, Any]
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def sent(self, seen: Any) -> None:
        request = seen.http_request
        body = request.content
        self.url, self.headers = request.url, dict(request.headers)
        self.body = body if isinstance(body, bytes) else str(body).encode()


class Recording(Connection):
    """A connection that records its searches."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._kept: list[Recorded] = []

    async def during(self, work: Awaitable[object]) -> list[Recorded]:
        """Run `work`, and return the requests for searches that it sent."""
        self._kept = []
        await work
        return self._kept

    async def search(
        self, index: str, text: str | None = None, *, top: int, filter: str | None, **wishes: Any
    ) -> Answer:
        recorded = Recorded(index, text, {"top": top, "filter": filter, **wishes})
        self._kept.append(recorded)
        return await super().search(index, text, top=top, filter=filter, raw_request_hook=recorded.sent, **wishes)

    async def __aenter__(self) -> Recording:
        return self


class RawHttp:
    """An aiohttp connection pool, with no layer above it."""

    def __init__(self, service: Service) -> None:
        self._key = {"api-key": service.key or ""}

    async def post(self, requests: Sequence[Recorded]) -> bytes:
        """Send the requests, and return the last response."""
        answer = b""
        for one in requests:
            async with self._session.post(one.url, data=one.body, headers=one.headers | self._key) as response:
                answer = await response.read()
                assert response.status == 200
        return answer

    async def __aenter__(self) -> RawHttp:
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()
