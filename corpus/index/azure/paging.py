"""Rows beyond one answer, by number: the only way that the service pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from corpus.errors import AzureSearchError
from corpus.index.azure.connection import MOST_ROWS, Answer
from corpus.index.azure.failures import status_of
from corpus.index.azure.shape import Shape

PASSES = 3
"""How often rows without an order are gone through; each pass finds most of those that the ones before it missed."""

Ask = Callable[..., Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Each row once. `total` is how many the service counts, and `cut` whether some were not seen."""

    rows: tuple[dict[str, Any], ...]
    total: int
    cut: bool


async def every_row(ask: Ask, key: str, most: int, shape: Shape) -> Rows:
    """Every row that `ask` gives, of at most `most` places. Called with `top`, `skip`, `order_by` and
    `include_total_count`.

    Without an order rows can change their places between two answers, so that some come twice and others not. So it is
    ordered by the key wherever the service does that, and otherwise gone through again for those that were missed.
    """
    order = shape.order(key)
    if order is None:
        return await _unordered(ask, key, most)
    try:
        return await _Gathered(key).through(ask, most, order)
    except AzureSearchError as error:
        if shape.known or status_of(error) != 400:
            raise
    rows = await _unordered(ask, key, most)
    shape.unordered.add(key)  # only now is it known that the order was refused and nothing else
    return rows


async def _unordered(ask: Ask, key: str, most: int) -> Rows:
    gathered = _Gathered(key)
    for _ in range(PASSES):
        found = await gathered.through(ask, most, None)
        if gathered.answers == 1:
            return found
        if len(found.rows) >= found.total or found.total > most:
            break
    return Rows(found.rows, found.total, cut=len(found.rows) < found.total or gathered.uncounted)


class _Gathered:
    """Rows of one question over several answers. `answers` are those of the last pass, and `uncounted` tells that the
    service did not say how many rows there are."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._rows: dict[str, dict[str, Any]] = {}
        self.answers = 0
        self.uncounted = False

    async def through(self, ask: Ask, most: int, order: list[str] | None) -> Rows:
        """One pass from the first row on."""
        skip, total, given = 0, 0, MOST_ROWS
        self.answers = 0
        while given >= MOST_ROWS and skip < most:
            answer = await ask(top=MOST_ROWS, skip=skip, order_by=order, include_total_count=True)
            self.answers += 1
            self._rows |= {key: row for row in answer.rows if isinstance(key := row.get(self._key), str)}
            given = answer.given
            skip += given
            self.uncounted = answer.total is None
            total = skip if answer.total is None else answer.total
        more = total > skip or (self.uncounted and skip >= most)
        return Rows(tuple(self._rows.values()), max(total, len(self._rows)), more)
