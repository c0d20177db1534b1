"""Send rows in batches within the service's limits: 1,000 actions and 16 MB of JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import anyio

from corpus.errors import AzureSearchError, NotConfigured
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import Connection

Row = Mapping[str, Any]

MAX_BATCH_ROWS = 900
MAX_BATCH_BYTES = 8_000_000
"""Maximum size of a batch in bytes: half of the service's limit, so that a slow connection can send a batch in time."""
MAX_ROW_BYTES = 15_500_000
ENVELOPE = 64
"""Maximum number of bytes that the name of the action and the commas add to a row."""


def batches(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows in batches, in order. A row larger than MAX_BATCH_BYTES gets a batch of its own; see
    `is_too_large`."""
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        more = encoded_size(row)
        if batch and (len(batch) == MAX_BATCH_ROWS or size + more > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(dict(row))
        size += more
    if batch:
        yield batch


def encoded_size(row: Row) -> int:
    """Return the size of the transmitted row in bytes. The SDK writes JSON with Python's defaults, which need six bytes
    for most non-ASCII characters."""
    return len(json.dumps(row)) + ENVELOPE


def is_too_large(row: Row) -> bool:
    """Return whether the service would refuse the row even if it is sent alone."""
    return encoded_size(row) > MAX_ROW_BYTES


Send = Callable[[str, list[dict[str, Any]]], Awaitable[dict[str, str]]]

TIMES = 3
"""Maximum number of attempts for rows that fail individually, because the service may just be busy."""


class Refused(AzureSearchError):
    """The service refused a row. The message states which row and why."""


class Sender:
    """Sends rows to any index of a service. `pause` is the number of seconds before another attempt."""

    def __init__(self, connection: Connection, pause: float) -> None:
        self._connection = connection
        self._pause = pause

    def check(self, key: str, rows: Iterable[Row]) -> None:
        """Raise Refused for a row that is too large even if it is sent alone."""
        for row in rows:
            if is_too_large(row):
                raise Refused(
                    f"{row[key]} has {encoded_size(row) / 1e6:.0f} MB, and the service takes 16 in a request."
                )

    async def upload(self, index: str, key: str, rows: Sequence[Row]) -> None:
        """Insert or replace rows. Raises Refused. If a row is too large, no row is sent."""
        self.check(key, rows)
        await self._all(self._connection.upload, index, key, rows)

    async def merge(self, index: str, key: str, rows: Sequence[Row]) -> None:
        """Change fields of rows. Raises Refused, also for a missing row."""
        await self._all(self._connection.merge, index, key, rows)

    async def try_merge(self, index: str, key: str, rows: Sequence[Row]) -> list[str]:
        """Change fields of rows. Return the keys of rows that are missing, or still refused after all attempts."""
        return [one for batch in batches(rows) for one in await self._try_merge(index, key, batch)]

    async def _try_merge(self, index: str, key: str, batch: list[dict[str, Any]]) -> list[str]:
        for sent in range(TIMES):
            await anyio.sleep(self._pause * sent)
            try:
                failed = await self._connection.merge(index, batch)
            except AzureSearchError as error:
                if status_of(error) in (401, 403):
                    raise _not_allowed(index) from error
                raise
            batch = [row for row in batch if row[key] in failed]
            if not batch:
                break
        return [row[key] for row in batch]

    async def delete(self, index: str, key: str, values: Iterable[str]) -> None:
        """Delete rows by key; missing rows are ignored. Raises Refused."""

        async def send(index: str, rows: list[dict[str, Any]]) -> dict[str, str]:
            return await self._connection.delete(index, key, [row[key] for row in rows])

        await self._all(send, index, key, [{key: value} for value in values])

    async def _all(self, send: Send, index: str, key: str, rows: Iterable[Row]) -> None:
        for batch in batches(rows):
            await self._batch(send, index, key, batch)

    async def _batch(self, send: Send, index: str, key: str, batch: list[dict[str, Any]]) -> None:
        refused: Mapping[str, str] = {}
        for sent in range(TIMES):
            await anyio.sleep(self._pause * sent)
            try:
                refused = await send(index, batch)
            except AzureSearchError as error:
                await self._halves(send, index, key, batch, error)
                return
            batch = [row for row in batch if row[key] in refused]
            if not batch:
                return
        name, reason = next(iter(refused.items()))
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise Refused(f"{name}{more} was refused: {reason}")

    async def _halves(
        self, send: Send, index: str, key: str, batch: list[dict[str, Any]], error: AzureSearchError
    ) -> None:
        """Resend a batch that was refused because of its size or because of one row. Halve it until that row is
        alone."""
        if status_of(error) in (401, 403):
            raise _not_allowed(index) from error
        if status_of(error) not in (400, 413):
            raise error
        if len(batch) == 1:
            raise Refused(f"{batch[0][key]} was refused: {error}", hints=error.hints) from error
        middle = len(batch) // 2
        await self._batch(send, index, key, batch[:middle])
        await self._batch(send, index, key, batch[middle:])


def _not_allowed(index: str) -> NotConfigured:
    return NotConfigured(
        f"This credential may not write into index {index}.",
        hints=(
            "Set AZURE_SEARCH_API_KEY to an admin key, or give the identity the role Search Index Data Contributor.",
        ),
    )
