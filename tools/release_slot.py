"""Release the call's concurrency slot while it waits for the user or the client's model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Protocol

import anyio


class Turn(Protocol):
    """The concurrency slot of a running call."""

    @property
    def may_be_left(self) -> bool:
        """Return whether the slot may be released now."""

    def leave(self) -> None:
        """Release the slot."""

    async def take_again(self) -> None:
        """Wait for a slot again."""

    def arrived(self) -> None:
        """Record that the wait for the client is over, whether or not the call has its slot again."""


LEFT_FOR_OTHERS = 10.0
"""Seconds of a call's time limit that a wait for the client must leave for the rest of the call."""

_slots: ContextVar[tuple[Turn, ...]] = ContextVar("slots", default=())


class TooManyAside(Exception):
    """Too many calls already wait for their clients."""


@contextmanager
def for_at_most(seconds: float) -> Iterator[None]:
    """Limit a wait for the client to `seconds`, and to the time that the call itself has left. Raise TimeoutError when
    that time is over."""
    left = anyio.current_effective_deadline() - anyio.current_time() - LEFT_FOR_OTHERS
    with anyio.fail_after(max(0.0, min(seconds, left))):
        yield


@contextmanager
def holding(turn: Turn) -> Iterator[None]:
    """Inside the block, let `aside` also release this slot."""
    before = _slots.set((*_slots.get(), turn))
    try:
        yield
    finally:
        _slots.reset(before)


@asynccontextmanager
async def aside() -> AsyncIterator[None]:
    """Release the call's slots for the duration of the block. Take them again after it, unless it ends with an
    exception. Raise TooManyAside if too many calls already wait."""
    turns = _slots.get()
    if not all(turn.may_be_left for turn in turns):
        raise TooManyAside
    for turn in turns:
        turn.leave()
    try:
        yield
        # Take the outermost slot first, as at the start of a call: the reverse order could deadlock two calls.
        for turn in turns:
            await turn.take_again()
    finally:
        for turn in turns:
            turn.arrived()
