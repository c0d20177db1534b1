"""How far a long piece of work is: said by whatever does it, and heard by whoever waits for it, if anybody does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Heard = Callable[[str], Awaitable[None]]
"""Takes what begins now, in a few words for a person; never raises for a listener that has gone."""

_heard: ContextVar[Heard | None] = ContextVar("heard", default=None)


async def step(begins: str) -> None:
    """Say what begins now. Nothing of a document belongs into it."""
    heard = _heard.get()
    if heard is not None:
        await heard(begins)


@contextmanager
def heard_by(heard: Heard) -> Iterator[None]:
    """Every step within is told to it."""
    before = _heard.set(heard)
    try:
        yield
    finally:
        _heard.reset(before)
