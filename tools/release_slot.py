"""Release the call's concurrency slot while it waits for the user or the client's model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Protocol

import anyio


class Turn(Protocol):
    """What a call holds while it is worked on."""

    @property
    def may_be_left(self) -> bool:
        """Whether the slot may be released now."""

    def leave(self) -> None:
        """Release the slot."""

    async def take_again(self) -> None:
        """Ask for a slot again, and wait for it."""

    def arrived(self) -> None:
        """The call waits no longer, whether or not it has its turn again."""
        ...


LEFT_FOR_OTHERS = 10.0
"""Seconds of a call's own limit that are kept for what it does when its client does not answer."""

_held: ContextVar[tuple[Turn, ...]] = ContextVar("held", default=())


class TooManyAside(Exception):
    """So many calls wait for their clients that this one cannot."""


@contextmanager
def for_at_most(seconds: float) -> Iterator[None]:
    """Wait for a client no longer than that, and no longer than the call's own limit leaves. Raises TimeoutError."""
    left = anyio.current_effective_deadline() - anyio.current_time() - LEFT_FOR_OTHERS
    with anyio.fail_after(max(0.0, min(seconds, left))):
        yield


@contextmanager
def holding(turn: Turn) -> Iterator[None]:
    """Within, `aside` leaves this turn too."""
    before = _held.set((*_held.get(), turn))
    try:
        yield
    finally:
        _held.reset(before)


@asynccontextmanager
async def aside() -> AsyncIterator[None]:
    """Within, the call holds none of its turns; after it, all of them, unless it ended by an exception. Raises
    TooManyAside."""
    turns = _held.get()
    if not all(turn.may_be_left for turn in turns):
        raise TooManyAside
    for turn in turns:
        turn.leave()
    try:
        yield
        # The outermost first, as at the beginning: the other way round two calls could wait for each other.
        for turn in turns:
            await turn.take_again()
    finally:
        for turn in turns:
            turn.arrived()
