"""Tracing and progress: code reports spans of work and steps; an optional tracer and listener receive them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Literal

Kind = Literal["retrieval", "generation", "verification"]
Note = Callable[..., None]
"""Adds attributes to a span by name. They may contain document texts; the tracer drops those that were not
requested."""
Tracer = Callable[[Kind, dict[str, object]], AbstractContextManager[Note]]

_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def trace_span(kind: Kind, **facts: object) -> Iterator[Note]:
    """Trace a span of work, which ends however the work ends."""
    tracer = _tracer.get()
    if tracer is None:
        yield _ignore
    else:
        with tracer(kind, facts) as note:
            yield note


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Send every span inside the context to this tracer."""
    before = _tracer.set(tracer)
    try:
        yield
    finally:
        _tracer.reset(before)


def _ignore(**facts: object) -> None:
    """Do nothing, because there is no tracer."""


Listener = Callable[[str], Awaitable[None]]
"""Receives the step that starts now, in a few words for the user. Never raises if the listener is gone."""

_heard: ContextVar[Listener | None] = ContextVar("heard", default=None)


async def report_step(begins: str) -> None:
    """Report the step that starts now. The text must not contain anything from a document."""
    heard = _heard.get()
    if heard is not None:
        await heard(begins)


@contextmanager
def listening(heard: Listener) -> Iterator[None]:
    """Send every step inside the context to this listener."""
    before = _heard.set(heard)
    try:
        yield
    finally:
        _heard.reset(before)
