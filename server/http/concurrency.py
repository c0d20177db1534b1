"""Limit concurrent calls: a limited number run, a limited number wait in a queue, and the rest are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.errors import Timeout
from server.calls.failures import refused_before
from tools.release_slot import holding

WORK = frozenset({"tools/call", "resources/read", "resources/subscribe", "prompts/get", "completion/complete"})
"""Methods that read the index. All others are answered without a slot."""

MAX_WAIT = 30.0
AGAIN = ("Ask again in a few seconds.",)


class Concurrency:
    """MCP middleware that runs at most `at_once` calls concurrently. Up to `waiting` further calls wait for a slot,
    each for at most `seconds`. Up to `aside` calls (None: `at_once`) may release their slot while they wait for their
    clients."""

    def __init__(self, at_once: int, waiting: int, seconds: float = MAX_WAIT, *, aside: int | None = None) -> None:
        self._slots = anyio.Semaphore(at_once)
        self.room_aside = at_once if aside is None else aside
        self._max_waiting = waiting
        self._waiting = 0
        self._seconds = seconds

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method not in WORK:
            return await call_next(ctx)
        if not await self.taken():
            return refused_before(ctx, Timeout("The server is busy with other calls.", hints=AGAIN))
        with self.occupied():
            return await call_next(ctx)

    @contextmanager
    def occupied(self) -> Iterator[None]:
        """Free the slot from `taken` when the block ends. The call may release it temporarily inside the block."""
        turn = _Turn(self)
        try:
            with holding(turn):
                yield
        finally:
            turn.free()

    async def taken(self) -> bool:
        """Take a slot, and return whether that succeeded in time. `free` gives the slot back."""
        try:
            self._slots.acquire_nowait()
        except anyio.WouldBlock:
            return await self._waited()
        return True

    def free(self) -> None:
        """Give a slot back."""
        self._slots.release()

    async def taken_again(self) -> None:
        """Take a slot again for a call that released its slot. For such calls, neither queue length nor waiting time is
        limited."""
        await self._slots.acquire()

    async def _waited(self) -> bool:
        if self._waiting >= self._max_waiting:
            return False
        self._waiting += 1
        try:
            with anyio.move_on_after(self._seconds):
                await self._slots.acquire()
                return True
            return False
        finally:
            self._waiting -= 1


class _Turn:
    """The slot of one call; see `tools.release_slot.Turn`."""

    def __init__(self, turns: Concurrency) -> None:
        self._turns = turns
        self._is_taken = True

    @property
    def may_be_left(self) -> bool:
        return self._turns.room_aside > 0

    def leave(self) -> None:
        self._turns.room_aside -= 1
        self.free()

    async def take_again(self) -> None:
        await self._turns.taken_again()
        self._is_taken = True

    def arrived(self) -> None:
        self._turns.room_aside += 1

    def free(self) -> None:
        if self._is_taken:
            self._is_taken = False
            self._turns.free()
