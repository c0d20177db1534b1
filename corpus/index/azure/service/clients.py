"""Azure SDK clients, created on first use. They share one connection pool and one credential."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp
import anyio
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import ServiceRequestError
from azure.core.pipeline.policies import AsyncRetryPolicy
from azure.core.pipeline.transport import AioHttpTransport
from azure.search.documents.aio import SearchClient
from azure.search.documents.indexes.aio import SearchIndexClient

from corpus.errors import NotConfigured
from corpus.index.azure.service.azure_errors import is_of_tls

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.search.documents.knowledgebases.aio import KnowledgeBaseRetrievalClient


MAX_RESPONSE_BYTES = 64 * 1024 * 1024
"""Maximum size of one response in bytes, both before and after decompression. A thousand rows with a page of text each
need a tenth of it."""

_PIECE = 64 * 1024


class TooLong(Exception):
    """A response exceeds MAX_RESPONSE_BYTES. It is not an SDK error, which the SDK would retry."""


class BoundedResponse(aiohttp.ClientResponse):
    """A response with a body of at most MAX_RESPONSE_BYTES."""

    async def read(self) -> bytes:
        """Return the body, still compressed. If it is too long, close the connection and raise TooLong."""
        parts: list[bytes] = []
        size = 0
        try:
            while part := await self.content.readany():
                parts.append(part)
                size += len(part)
                if size > MAX_RESPONSE_BYTES:
                    raise TooLong
            body = b"".join(parts)
            if any(
                unpacked > MAX_RESPONSE_BYTES for unpacked in _unpacked(body, self.headers.get("Content-Encoding", ""))
            ):
                raise TooLong
        except BaseException:
            self.close()
            raise
        return body


def _unpacked(body: bytes, encoding: str) -> Iterator[int]:
    """Yield the decompressed size so far in bytes. Stop at corrupt data, which the SDK reports."""
    encoding = encoding.lower()
    if encoding not in ("gzip", "deflate"):
        return
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS if encoding == "gzip" else -zlib.MAX_WBITS)
    size = 0
    try:
        while body and not unpacker.eof:
            size += len(unpacker.decompress(body, _PIECE))
            body = unpacker.unconsumed_tail
            yield size
    except zlib.error:
        return


AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""HTTP statuses after which the same request may succeed a moment later."""


class Retries(AsyncRetryPolicy[Any, Any]):
    """Retries every request up to `times` times, with pauses that double. There is no retry if the pause would extend
    beyond the caller's deadline.

    All requests can be repeated: searches change nothing, and an upload writes the same rows again.
    """

    def __init__(self, times: int, pause: float, longest_pause: float) -> None:
        super().__init__(
            retry_total=times, retry_connect=times, retry_read=times, retry_status=times,
            retry_backoff_factor=pause, retry_backoff_max=longest_pause,
        )  # fmt: skip

    def is_retry(self, settings: dict[str, Any], response: Any) -> bool:
        """Return whether a response can be retried within the caller's deadline."""
        if response.http_response.status_code not in AGAIN:
            return False
        wait = self.get_retry_after(response) or 0.0
        return wait <= anyio.current_effective_deadline() - anyio.current_time()

    def get_retry_after(self, response: Any) -> float | None:
        """Return the seconds to wait, or None if the service sends no valid value."""
        try:
            wait = super().get_retry_after(response)
        except (ValueError, TypeError, OverflowError):
            return None
        return None if wait is None or math.isnan(wait) else wait

    def increment(self, settings: dict[str, Any], response: Any = None, error: Any = None) -> bool:
        """Return whether to try again. TLS failures are not retried, because the certificate would be the same."""
        if isinstance(error, ServiceRequestError) and is_of_tls(error):
            return False
        return super().increment(settings, response, error)

    def get_backoff_time(self, settings: dict[str, Any]) -> float:
        """Return the seconds to wait before the next attempt, with jitter."""
        doubled = settings["backoff"] * 2 ** (len(settings["history"]) - 1)
        # Callers that were refused at the same time must not retry at the same time.
        return float(min(settings["max_backoff"], doubled)) * random.uniform(0.75, 1.0)  # noqa: S311

    def _is_method_retryable(self, settings: dict[str, Any], request: Any, response: Any = None) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Service:
    """A service. If there is no key, an Azure identity signs in; `audience` is for sovereign clouds."""

    endpoint: str
    key: str | None = None
    audience: str | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Timeouts in seconds, and the number of retries. `whole` is long enough for four read timeouts and the pauses
    between them."""

    whole: float = 30.0
    connect: float = 5.0
    read: float = 6.5
    retries: int = 3
    pause: float = 0.5
    longest_pause: float = 8.0


class Clients:
    """A client for each index and each knowledge base, and one for definitions. `aclose` closes them all."""

    def __init__(self, service: Service, timing: Timing) -> None:
        self._service = service
        self._timing = timing
        self._opening = anyio.Lock()
        self._credential: AzureKeyCredential | AsyncTokenCredential | None = None
        self._transport: AioHttpTransport | None = None
        self._searching: dict[str, SearchClient] = {}
        self._retrieving: dict[str, KnowledgeBaseRetrievalClient] = {}
        self._defining: SearchIndexClient | None = None

    async def of(self, index: str) -> SearchClient:
        """Return the client for an index."""
        async with self._opening:
            if index not in self._searching:
                options = self._options()
                self._searching[index] = SearchClient(self._service.endpoint, index, **options)
            return self._searching[index]

    async def retrieval(self, knowledge_base: str) -> KnowledgeBaseRetrievalClient:
        """Return the client for a knowledge base."""
        from azure.search.documents.knowledgebases.aio import KnowledgeBaseRetrievalClient

        async with self._opening:
            if knowledge_base not in self._retrieving:
                self._retrieving[knowledge_base] = KnowledgeBaseRetrievalClient(
                    self._service.endpoint, knowledge_base_name=knowledge_base, **self._options()
                )
            return self._retrieving[knowledge_base]

    async def definitions(self) -> SearchIndexClient:
        """Return the client for the definitions of indexes, knowledge bases and their sources."""
        async with self._opening:
            if self._defining is None:
                self._defining = SearchIndexClient(self._service.endpoint, **self._options())
            return self._defining

    def _options(self) -> dict[str, Any]:
        """Return the options that all clients have in common: credential, connection pool and retry policy."""
        timing = self._timing
        audience = {"audience": self._service.audience} if self._service.audience else {}
        return {
            "credential": self._signed_in(),
            "transport": self._pool(),
            "retry_policy": Retries(timing.retries, timing.pause, timing.longest_pause),
            "permit_redirects": False,  # a redirect would send the key to another address
            **audience,
        }

    def _signed_in(self) -> AzureKeyCredential | AsyncTokenCredential:
        """Return the credential. Raises NotConfigured for an identity over plain http, because anybody on the network
        could read its token."""
        if self._credential is None:
            if not self._service.key and not self._service.endpoint.startswith("https:"):
                raise NotConfigured(
                    "AZURE_SEARCH_API_KEY is not set, and an Azure identity signs in only over https, while "
                    "AZURE_SEARCH_ENDPOINT begins otherwise.",
                    hints=("Set the key, or write the address as https://HOST.",),
                )
            self._credential = AzureKeyCredential(self._service.key) if self._service.key else identity()
        return self._credential

    def _pool(self) -> AioHttpTransport:
        if self._transport is None:
            session = aiohttp.ClientSession(
                trust_env=True, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False,
                response_class=BoundedResponse,
            )  # fmt: skip
            # No client owns the session, because closing one client must not close the session for the others. The
            # timeouts are set here because a client with a shared pool ignores its own.
            self._transport = AioHttpTransport(
                session=session,
                session_owner=False,
                connection_timeout=self._timing.connect,
                read_timeout=self._timing.read,
            )
        return self._transport

    async def aclose(self) -> None:
        """Close the pool and the credential. A later request reopens them."""
        clients: list[SearchClient | SearchIndexClient | KnowledgeBaseRetrievalClient]
        clients = [*self._searching.values(), *self._retrieving.values()]
        clients += [self._defining] if self._defining else []
        self._searching, self._retrieving, self._defining = {}, {}, None
        for client in clients:
            await client.close()
        if self._transport:
            if self._transport.session:
                await self._transport.session.close()
            self._transport = None
        if self._credential and not isinstance(self._credential, AzureKeyCredential):
            await self._credential.close()
        self._credential = None


def identity() -> AsyncTokenCredential:
    """Return this process's Azure identity. Its package is imported here, because a server with a key does not need
    it."""
    from azure.identity.aio import DefaultAzureCredential

    return DefaultAzureCredential()
