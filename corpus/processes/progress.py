"""Progress reporting: workers publish steps, an optional listener receives them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], Awaitable[None]]
"""Receives what begins now, in a few words for a person. Never raises when the listener is gone."""

_heard: ContextVar[Listener | None] = ContextVar("heard", default=None)


async def report_step(begins: str) -> None:
    """Report what begins now. Must not contain anything from a document."""
    heard = _heard.get()
    if heard is not None:
        await heard(begins)


@contextmanager
def listening(heard: Listener) -> Iterator[None]:
    """Send every step within to this listener."""
    before = _heard.set(heard)
    try:
        yield
    finally:
        _heard.reset(before)
