"""The way to an Azure AI Search service: one connection pool for all its indexes, opened at the first request.

Every request has a deadline, retries included, and every failure leaves here as one of ours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import structlog
from azure.core.exceptions import AzureError, HttpResponseError, ResourceNotFoundError

from corpus.index.azure.clients import Clients, Service, Timing
from corpus.index.azure.failures import failure, timed_out

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchIndex

log = structlog.stdlib.get_logger("ibid")

MOST_ROWS = 1000
"""Rows of one answer; with more, the SDK would go on asking by itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows as the service gave them, best first; `total` where it was asked for. A `partial` answer is one whose
    semantic ranking was given up."""

    rows: tuple[dict[str, Any], ...]
    total: int | None = None
    facets: dict[str, list[dict[str, Any]]] | None = None
    partial: bool = False


class Connection:
    """An async context manager; `aclose` ends it too."""

    def __init__(self, service: Service, timing: Timing | None = None) -> None:
        self._service = service
        self._timing = timing or Timing()
        self._clients = Clients(service, self._timing)

    @property
    def host(self) -> str:
        return urlsplit(self._service.endpoint).hostname or self._service.endpoint

    async def search(
        self, index: str, text: str | None = None, *, top: int, filter: str | None, **wishes: Any
    ) -> Answer:
        """Rows of an index. Raises AzureSearchError or Timeout.

        `filter` has no default: whoever asks must have thought of who is asking. The wishes are those of
        `SearchClient.search`.
        """
        statuses: list[int] = []
        client = await self._clients.of(index)
        async with self._watched("search", index, filtered=filter is not None) as facts:
            pages = await client.search(
                text, top=min(top, MOST_ROWS), filter=filter,
                raw_response_hook=lambda seen: statuses.append(seen.http_response.status_code), **wishes,
            )  # fmt: skip
            rows = tuple([dict(row) async for row in pages])
            # Asked before the rows, it would send the request a second time.
            total = await pages.get_count() if wishes.get("include_total_count") else None
            facets = await pages.get_facets() if wishes.get("facets") else None
            facts["result_count"] = len(rows)
        return Answer(rows, total, facets, partial=206 in statuses)

    async def definition(self, index: str) -> SearchIndex | None:
        """How an index is made; None where the credential may not know. Raises AzureSearchError for none such."""
        client = await self._clients.definitions()
        async with self._watched("get_index", index) as facts:
            try:
                return await client.get_index(index)
            except HttpResponseError as error:
                if error.status_code not in (401, 403):
                    raise
                facts["outcome"] = "not allowed"
                return None

    async def create(self, definition: SearchIndex) -> None:
        """Raises AzureSearchError, also for an index of that name."""
        client = await self._clients.definitions()
        async with self._watched("create_index", definition.name):
            await client.create_index(definition)

    async def exists(self, index: str) -> bool:
        client = await self._clients.definitions()
        async with self._watched("get_index", index) as facts:
            try:
                await client.get_index(index)
            except ResourceNotFoundError:
                facts["outcome"] = "none"
                return False
            return True

    async def upload(
        self, index: str, rows: Sequence[dict[str, Any]], *, seconds: float = 120.0
    ) -> dict[str, str]:
        """Put whole rows in place of those of the same key; the keys that failed, each with the service's reason.

        The caller keeps a batch within 1,000 rows and 16 MB.
        """
        return await self._written("upload", index, rows, seconds)

    async def merge(
        self, index: str, rows: Sequence[dict[str, Any]], *, seconds: float = 120.0
    ) -> dict[str, str]:
        """Change these fields of rows that are there; the keys that failed or are not there, each with the reason."""
        return await self._written("merge", index, rows, seconds)

    async def delete(
        self, index: str, key: str, values: Sequence[str], *, seconds: float = 120.0
    ) -> dict[str, str]:
        """Remove the rows of these keys; those that failed, each with the reason. One that is not there is fine."""
        return await self._written("delete", index, [{key: value} for value in values], seconds)

    async def _written(
        self, operation: str, index: str, rows: Sequence[dict[str, Any]], seconds: float
    ) -> dict[str, str]:
        client = await self._clients.of(index)
        send = {
            "upload": client.upload_documents, "merge": client.merge_documents, "delete": client.delete_documents,
        }  # fmt: skip
        async with self._watched(operation, index, seconds=seconds) as facts:
            try:
                results = await send[operation](list(rows), raw_response_hook=_whole_or_not)
            except _TooLarge as refused:
                raise HttpResponseError(response=refused.response) from None
            facts["result_count"] = len(results)
        return {
            one.key: one.error_message or f"status {one.status_code}" for one in results if not one.succeeded
        }

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the pool and the credential; a later request would open them again."""
        await self._clients.aclose()

    @asynccontextmanager
    async def _watched(
        self, operation: str, index: str, *, filtered: bool | None = None, seconds: float | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """A deadline, our failures, and one line of the log about the request."""
        facts: dict[str, Any] = {"azure_operation": operation, "index_name": index, "outcome": "ok"}
        if filtered is not None:
            facts["filter_applied"] = filtered
        started = perf_counter()
        try:
            with anyio.fail_after(seconds or self._timing.whole):
                yield facts
        except TimeoutError as error:
            facts["outcome"] = "Timeout"
            raise timed_out(self.host) from error
        except AzureError as error:
            failed = failure(error, index, self.host)
            facts |= {"outcome": failed.type, **_told(error)}
            raise failed from error
        finally:
            took = round((perf_counter() - started) * 1000, 1)
            level = log.debug if facts["outcome"] in ("ok", "none") else log.warning
            level("azure.request", search_latency_ms=took, **facts)


def _whole_or_not(seen: Any) -> None:
    """A batch that is too large is refused as a whole: the SDK would halve it, and lose the second half."""
    if seen.http_response.status_code == 413:
        raise _TooLarge(seen.http_response)


class _TooLarge(Exception):
    """None of the SDK's errors, which it would take for a lost connection and send the batch again."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.response = response


def _told(error: AzureError) -> dict[str, Any]:
    """What an operator can look for in the service's own log. Its text stays out: it quotes filters."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    return {"status": getattr(error, "status_code", None), "request_id": headers.get("request-id")}
