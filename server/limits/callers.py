"""Limit the concurrent calls of each caller, so that none starves the others."""

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
"""Sent as the time after which to retry."""


@dataclass(slots=True)
class _Place:
    turns: Concurrency
    inside: int = 0


class CallerTurns:
    """An MCP middleware: each caller has `at_once` running calls and a queue of `waiting`. A caller's state is dropped
    after its last call."""

    def __init__(self, caller_of: CallerOf, at_once: int, waiting: int) -> None:
        self._caller_of, self._at_once, self._waiting = caller_of, at_once, waiting
        self._places: dict[bytes, _Place] = {}

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        key = caller_key(self._caller_of, ctx) if ctx.method in WORK else None
        if key is None:
            return await call_next(ctx)
        async with self._place(key) as turns:
            if not await turns.taken():
                why = f"{self._at_once} of your calls are running, and too many are waiting."
                return refused(ctx, why, SECONDS)
            with turns.occupied():
                return await call_next(ctx)

    def __len__(self) -> int:
        """Number of callers with running calls."""
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
