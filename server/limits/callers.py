"""Limit the concurrent calls of one caller, so that nobody takes the server from the others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from server.http.concurrency import WORK, Concurrency
from server.limits.rate import caller_key, refused
from tools.protocol import CallerOf

SECONDS = 5
"""After which it is worth asking again."""


@dataclass(slots=True)
class _Place:
    turns: Concurrency
    inside: int = 0


class CallerTurns:
    """A middleware of MCP: so many calls of each caller, behind them a bounded queue. What is kept of a caller ends
    with the last call."""

    def __init__(self, caller_of: CallerOf, at_once: int, waiting: int) -> None:
        self._caller_of, self._at_once, self._waiting = caller_of, at_once, waiting
        self._places: dict[bytes, _Place] = {}

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        key = caller_key(self._caller_of, ctx) if ctx.method in WORK else None
        if key is None:
            return await call_next(ctx)
        async with self._place(key) as turns:
            if not await turns.taken():
                why = f"{self._at_once} of your calls are worked on, and too many wait."
                return refused(ctx, why, SECONDS)
            with turns.held():
                return await call_next(ctx)

    def __len__(self) -> int:
        """Of how many callers something is kept."""
        return len(self._places)

    @asynccontextmanager
    async def _place(self, key: bytes) -> AsyncIterator[Concurrency]:
        place = self._places.setdefault(key, _Place(Concurrency(self._at_once, self._waiting)))
        place.inside += 1
        try:
            yield place.turns
        finally:
            place.inside -= 1
            if not place.inside:
                del self._places[key]
