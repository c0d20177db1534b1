"""The connection to an Azure AI Search service. Every request of this program goes through it.

Each request has a deadline that includes retries. Every failure is raised as one of our own errors.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import anyio
import structlog
from azure.core.exceptions import AzureError, HttpResponseError, ResourceNotFoundError

from corpus.index.azure.schema.fields import BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.service import clients
from corpus.index.azure.service.azure_errors import (
    Retrieval,
    failure,
    foreign_response,
    response_too_long,
    retrieval_of,
    row_of,
    timed_out,
    total_of,
)
from corpus.index.azure.service.clients import Clients, Service, Timing
from corpus.processes.tracing import measures

if TYPE_CHECKING:
    from azure.core.async_paging import AsyncItemPaged
    from azure.search.documents.indexes.models import SearchIndex
    from azure.search.documents.knowledgebases.models import KnowledgeBaseRetrievalRequest


log = structlog.stdlib.get_logger("ibid")

_FINE = ("ok", "none", "not allowed", "cancelled")
"""Outcomes that are logged at debug level. `not allowed` is normal, because a query key cannot read definitions."""

# Exceptions that the SDK raises for a response that is not from the service.
_UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)


class TooLarge(Exception):
    """The service refused a batch because of its size. It is not an SDK error, which the SDK would retry."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.response = response


class RequestRecord:
    """The record of one request. `facts` are written to its log line; `answer` and `whole` are response hooks for the
    SDK."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts

    @property
    def status(self) -> int | None:
        """The HTTP status of the response, or None until it arrives."""
        return self.facts.get("status")

    def answer(self, seen: Any) -> None:
        """Record the HTTP status and the request id."""
        response = seen.http_response
        self.facts["status"] = response.status_code
        if identifier := response.headers.get("request-id"):
            self.facts["request_id"] = identifier

    def whole(self, seen: Any) -> None:
        """Record the response, and raise TooLarge if the service refused a batch because of its size. Otherwise the SDK
        would halve the batch and lose the second half."""
        self.answer(seen)
        if self.status == 413:
            raise TooLarge(seen.http_response)


def reject_response() -> NoReturn:
    """Raise ValueError, for a response that the SDK accepts but that the service cannot have sent."""
    raise ValueError("the answer lacks what every answer of its kind has")


@asynccontextmanager
async def record_request(
    operation: str, index: str, host: str, seconds: float, *, filtered: bool | None = None
) -> AsyncIterator[RequestRecord]:
    """Run a request with a deadline in seconds, and log it. Raises AzureSearchError or Timeout for failures of the
    service."""
    facts: dict[str, Any] = {"azure_operation": operation, "index_name": index, "outcome": "ok"}
    if filtered is not None:
        facts["filter_applied"] = filtered
    request = RequestRecord(facts)
    started = perf_counter()
    try:
        with anyio.fail_after(seconds):
            yield request
    except TimeoutError as error:
        facts["outcome"] = "Timeout"
        raise timed_out(host) from error
    except clients.TooLong as error:
        facts["outcome"] = "AzureSearchError"
        raise response_too_long(host, clients.MAX_RESPONSE_BYTES) from error
    except AzureError as error:
        failed = failure(error, index, host, operation)
        facts |= {"outcome": failed.type, **_response_facts(error)}
        raise failed from error
    except (*_UNREADABLE, zlib.error) as error:
        if request.status is None and not isinstance(error, zlib.error):
            facts["outcome"] = "not sent"
            raise  # nothing was sent, so the request itself is invalid
        facts["outcome"] = "AzureSearchError"
        raise foreign_response(host) from error
    except anyio.get_cancelled_exc_class():
        facts["outcome"] = "cancelled"
        raise
    finally:
        took = round((perf_counter() - started) * 1000, 1)
        measures().add_request(took, facts.get("request_id"), filtered=filtered)
        # The debug level keeps successful requests out of a server's normal log.
        level = log.debug if facts["outcome"] in _FINE else log.info
        level("azure.request", search_latency_ms=took, **facts)


def _response_facts(error: AzureError) -> dict[str, Any]:
    """Return the HTTP status and the request id, which lets an operator find the request in the service's log. The
    error's text is omitted because it quotes filters."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    return {"status": getattr(error, "status_code", None), "request_id": headers.get("request-id")}


MAX_ROWS = 1000
"""Maximum number of rows in one response."""
MAX_SKIPPED = 100_000
"""Maximum `skip` that the service accepts."""
UNCONFIRMED = "the answer does not say whether it was written"


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows as the service sent them, best first. `total` is the number of matching rows, if it was requested. `partial`
    is true if the service gave up on semantic ranking. `row_count` is the number of rows that the service sent,
    including those omitted here."""

    rows: tuple[dict[str, Any], ...]
    total: int | None = None
    facets: dict[str, list[dict[str, Any]]] | None = None
    partial: bool = False
    row_count: int = 0


class Connection:
    """A connection to all indexes of a service, opened at the first request. It is an async context manager."""

    def __init__(self, service: Service, timing: Timing | None = None) -> None:
        self._service = service
        self._timing = timing or Timing()
        self._clients = Clients(service, self._timing)

    @property
    def host(self) -> str:
        """The host name of the endpoint, for messages."""
        return urlsplit(self._service.endpoint).hostname or self._service.endpoint

    async def search(
        self,
        index: str,
        text: str | None = None,
        *,
        top: int,
        filter: str | None,
        seconds: float | None = None,
        **wishes: Any,
    ) -> Answer:
        """Return rows of an index. Raises AzureSearchError, and Timeout after `seconds` (default: see `Timing`).

        `filter` has no default, so that no call can forget the access rule. `wishes` are further parameters of
        `SearchClient.search`.
        """
        client = await self._clients.of(index)
        async with self._watched("search", index, filtered=filter is not None, seconds=seconds) as seen:
            pages = await client.search(
                text, top=min(top, MAX_ROWS), filter=filter, raw_response_hook=seen.answer, **wishes
            )
            rows = await _first(pages, top)
            # Accessing the count before the rows would send the request a second time.
            total = total_of(await pages.get_count()) if wishes.get("include_total_count") else None
            facets = await pages.get_facets() if wishes.get("facets") else None
            seen.facts["result_count"] = len(rows)
        return Answer(tuple(rows), total, facets, partial=seen.status == 206, row_count=len(rows))

    async def definition(self, index: str) -> SearchIndex | None:
        """Return the definition of an index, or None if the credential may not read it. Raises AzureSearchError if the
        index does not exist."""
        client = await self._clients.definitions()
        async with self._watched("get_index", index) as seen:
            try:
                definition = await client.get_index(index, raw_response_hook=seen.answer)
                # The SDK also accepts responses that are not definitions.
                if not definition.fields or not all(field.name for field in definition.fields):
                    reject_response()
                return definition
            except HttpResponseError as error:
                if error.status_code not in (401, 403):
                    raise
                seen.facts["outcome"] = "not allowed"
                return None

    async def retrieve(
        self, knowledge_base: str, request: KnowledgeBaseRetrievalRequest, *, seconds: float, **options: Any
    ) -> Retrieval:
        """Query a knowledge base, and return its references. Raises ValueError unless the request has a filter for each
        source."""
        params = request.knowledge_source_params or []
        if not params or not all(getattr(source, "filter_add_on", None) for source in params):
            raise ValueError("a knowledge base is asked with a filter for each source")
        client = await self._clients.retrieval(knowledge_base)
        async with self._watched("retrieve", knowledge_base, filtered=True, seconds=seconds) as seen:
            answer = await client.retrieve(request, raw_response_hook=seen.answer, retry_read=0, **options)
            retrieval = retrieval_of(answer, partial=seen.status == 206)
            seen.facts["result_count"] = len(retrieval.references)
        return retrieval

    async def knowledge_base_sources(self, name: str) -> list[str] | None:
        """Return the names of a knowledge base's sources, or None if the credential may not read them."""
        client = await self._clients.definitions()
        async with self._watched("get_knowledge_base", name) as seen:
            try:
                definition = await client.get_knowledge_base(name, raw_response_hook=seen.answer)
                return [source.name for source in definition.knowledge_sources or ()]
            except HttpResponseError as error:
                if error.status_code not in (401, 403):
                    raise
                seen.facts["outcome"] = "not allowed"
                return None

    async def knowledge_source_index(self, name: str) -> str | None:
        """Return the index that a knowledge source reads, or None for a source of another kind."""
        client = await self._clients.definitions()
        async with self._watched("get_knowledge_source", name) as seen:
            source = await client.get_knowledge_source(name, raw_response_hook=seen.answer)
            if source.kind != "searchIndex":
                return None
            return str(source.search_index_parameters.search_index_name)  # type: ignore[attr-defined]

    async def create(self, definition: SearchIndex) -> None:
        """Create an index. Raises AzureSearchError, also if an index with that name exists."""
        client = await self._clients.definitions()
        async with self._watched("create_index", definition.name) as seen:
            await client.create_index(definition, raw_response_hook=seen.answer)

    async def exists(self, index: str) -> bool:
        """Return whether the index exists. Raises AzureSearchError."""
        client = await self._clients.definitions()
        async with self._watched("get_index", index) as seen:
            try:
                await client.get_index(index, raw_response_hook=seen.answer)
            except ResourceNotFoundError:
                seen.facts["outcome"] = "none"
                return False
            return True

    async def upload(self, index: str, rows: Sequence[dict[str, Any]], *, seconds: float = 120.0) -> dict[str, str]:
        """Insert rows, or replace rows with the same key. Return the keys that failed, each with the reason.

        The caller must limit a batch to 1,000 rows and 16 MB. The request times out after `seconds`.
        """
        return await self._written("upload", index, rows, seconds)

    async def merge(self, index: str, rows: Sequence[dict[str, Any]], *, seconds: float = 120.0) -> dict[str, str]:
        """Change fields of existing rows. Return the keys that failed or do not exist, each with the reason."""
        return await self._written("merge", index, rows, seconds)

    async def delete(self, index: str, key: str, values: Sequence[str], *, seconds: float = 120.0) -> dict[str, str]:
        """Delete rows by key. Return the keys that failed, each with the reason. A missing row is not a failure."""
        return await self._written("delete", index, [{key: value} for value in values], seconds)

    async def _written(
        self, operation: str, index: str, rows: Sequence[dict[str, Any]], seconds: float
    ) -> dict[str, str]:
        client = await self._clients.of(index)
        send = {
            "upload": client.upload_documents, "merge": client.merge_documents, "delete": client.delete_documents,
        }  # fmt: skip
        async with self._watched(operation, index, seconds=seconds) as seen:
            try:
                results = await send[operation](list(rows), raw_response_hook=seen.whole)
            except TooLarge as refused:
                raise HttpResponseError(response=refused.response) from None
            seen.facts["result_count"] = len(results)
            failed = {one.key: one.error_message or f"status {one.status_code}" for one in results if not one.succeeded}
            if not all(isinstance(one.key, str) for one in results):
                reject_response()
            if len(results) < len(rows) and not failed:
                reject_response()  # the rows without a result were not written
        return failed | dict.fromkeys(_unconfirmed(rows, {one.key for one in results}), UNCONFIRMED)

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the pool and the credential. A later request reopens them."""
        await self._clients.aclose()

    def _watched(
        self, operation: str, index: str, *, filtered: bool | None = None, seconds: float | None = None
    ) -> AbstractAsyncContextManager[RequestRecord]:
        return record_request(operation, index, self.host, seconds or self._timing.whole, filtered=filtered)


def _unconfirmed(rows: Sequence[dict[str, Any]], answered_keys: set[str]) -> list[str]:
    """Return the keys of rows without a result. The row of a block also contains the key of its document."""
    keys = [row.get(BLOCK_KEY) or row.get(DOCUMENT_KEY) for row in rows]
    return [key for key in keys if isinstance(key, str) and key not in answered_keys]


async def _first(pages: AsyncItemPaged[dict[str, Any]], top: int) -> list[dict[str, Any]]:
    """Return up to `top` rows. If the iteration continued, the SDK would request more rows."""
    rows: list[dict[str, Any]] = []
    async for row in pages:
        rows.append(row_of(row))
        if len(rows) >= top:
            break
    return rows
