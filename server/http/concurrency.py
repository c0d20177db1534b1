"""How many calls are worked on at once: so many, behind them a bounded queue, and a clear word for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.errors import Timeout
from server.calls.failures import refused_before
from tools.release_slot import holding

WORK = frozenset(
    {"tools/call", "resources/read", "resources/subscribe", "prompts/get", "completion/complete"}
)
"""What reads the index. Everything else is answered at once."""

MAX_WAIT = 30.0
AGAIN = ("Ask again in a few seconds.",)


class Concurrency:
    """A middleware of MCP. A call that waits keeps nothing but its place; one whose client goes leaves it. `aside`
    calls may wait for their clients without a turn; unset, as many as are worked on."""

    def __init__(
        self, at_once: int, waiting: int, seconds: float = MAX_WAIT, *, aside: int | None = None
    ) -> None:
        self._turns = anyio.Semaphore(at_once)
        self.room_aside = at_once if aside is None else aside
        self._most_waiting = waiting
        self._waiting = 0
        self._seconds = seconds

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method not in WORK:
            return await call_next(ctx)
        if not await self.taken():
            return refused_before(ctx, Timeout("The server is busy with other calls.", hints=AGAIN))
        with self.held():
            return await call_next(ctx)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Around a call whose turn was `taken`, which gives it back at the end and may leave it in between."""
        turn = _Turn(self)
        try:
            with holding(turn):
                yield
        finally:
            turn.free()

    async def taken(self) -> bool:
        """Whether a turn came; whoever has it gives it back with `free`."""
        try:
            self._turns.acquire_nowait()
        except anyio.WouldBlock:
            return await self._waited()
        return True

    def free(self) -> None:
        self._turns.release()

    async def taken_again(self) -> None:
        """By a call that had one: it is past the queue's bounds, and ends by its own."""
        await self._turns.acquire()

    async def _waited(self) -> bool:
        if self._waiting >= self._most_waiting:
            return False
        self._waiting += 1
        try:
            with anyio.move_on_after(self._seconds):
                await self._turns.acquire()
                return True
            return False
        finally:
            self._waiting -= 1


class _Turn:
    """That of one call. Keeps `tools.release_slot.Turn`."""

    def __init__(self, turns: Concurrency) -> None:
        self._turns = turns
        self._held = True

    @property
    def may_be_left(self) -> bool:
        return self._turns.room_aside > 0

    def leave(self) -> None:
        self._turns.room_aside -= 1
        self.free()

    async def take_again(self) -> None:
        await self._turns.taken_again()
        self._held = True

    def arrived(self) -> None:
        self._turns.room_aside += 1

    def free(self) -> None:
        if self._held:
            self._held = False
            self._turns.free()
