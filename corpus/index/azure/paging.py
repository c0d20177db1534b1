"""Rows beyond one answer, by number: the only way that the service pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from corpus.index.azure.connection import MOST_ROWS, Answer


async def paged(ask: Callable[..., Awaitable[Answer]], most: int) -> AsyncIterator[Answer]:
    """Answers until one is not full, or until `most` rows. `ask` is called with `top` and `skip`, and orders its rows:
    without an order they can change their places between two answers, so that some come twice and others not."""
    for skip in range(0, most, MOST_ROWS):
        answer = await ask(top=MOST_ROWS, skip=skip)
        yield answer
        if len(answer.rows) < MOST_ROWS:
            return
