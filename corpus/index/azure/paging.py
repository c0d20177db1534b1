"""Read all rows of a query, beyond the 1,000 rows of one response. The service pages only by row number."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from corpus.errors import AzureSearchError
from corpus.index.azure.schema.index_schema import Shape
from corpus.index.azure.service.connection import MAX_ROWS, Answer
from corpus.index.azure.service.failures import status_of

PASSES = 3
"""Maximum number of passes over all rows. Each pass finds most rows that the previous ones missed."""

Ask = Callable[..., Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Distinct rows. `total` is the service's count; `cut` is true if rows are missing."""

    rows: tuple[dict[str, Any], ...]
    total: int
    cut: bool


async def every_row(ask: Ask, key: str, most: int, shape: Shape) -> Rows:
    """Return the rows of a query, at most `most`. `ask` takes `top`, `skip`, `order_by` and `include_total_count`.

    Without an order, rows can move between two responses, so that some appear twice and others never. Rows are
    therefore ordered by the key if the service can do so. Even then, two responses can come from different replicas,
    one of which lacks the latest rows. An incomplete result is therefore read again for the missing rows.
    """
    order = shape.order(key)
    if order is None:
        return await _passed(ask, key, most, None)
    try:
        return await _passed(ask, key, most, order)
    except AzureSearchError as error:
        if shape.known or status_of(error) != 400:
            raise
    rows = await _passed(ask, key, most, None)
    shape.unordered.add(key)  # the repetition shows that only the order was refused
    return rows


async def _passed(ask: Ask, key: str, most: int, order: list[str] | None) -> Rows:
    gathered = _Gathered(key)
    for _ in range(PASSES):
        await gathered.through(ask, most, order)
        if gathered.answers == 1 or gathered.complete or gathered.total > most:
            break
    return gathered.rows(ordered=order is not None)


class _Gathered:
    """Rows of one query, gathered over several responses. `answers`, `total` and `complete` refer to the last pass;
    `uncounted` is true if the service sent no count."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._rows: dict[str, dict[str, Any]] = {}
        self._places = self._without_key = 0
        self.answers = self.total = 0
        self.uncounted = self._ended = False

    @property
    def complete(self) -> bool:
        """Return whether there are as many rows as the service counts, including those omitted after the response."""
        return len(self._rows) + self._without_key >= self.total

    async def through(self, ask: Ask, most: int, order: list[str] | None) -> None:
        """Make one pass over all rows."""
        count = MAX_ROWS
        self.answers = self.total = self._places = self._without_key = 0
        while count >= MAX_ROWS and self._places < most:
            answer = await ask(top=MAX_ROWS, skip=self._places, order_by=order, include_total_count=True)
            keyed = {key: row for row in answer.rows if isinstance(key := row.get(self._key), str)}
            self._rows |= keyed
            count = answer.row_count
            self.answers += 1
            self._places += count
            self._without_key += count - len(keyed)
            self.uncounted = answer.total is None
            self.total = max(self.total, self._places if answer.total is None else answer.total)
        self._ended = count < MAX_ROWS

    def rows(self, *, ordered: bool) -> Rows:
        """Return the result after the last pass. Without order and count, completeness over several responses is
        unknown."""
        sure = self._ended if ordered or self.answers == 1 else False
        cut = not sure if self.uncounted else not self.complete
        return Rows(tuple(self._rows.values()), max(self.total, len(self._rows)), cut)
