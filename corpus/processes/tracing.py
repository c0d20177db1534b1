"""Tracing: code reports spans of work, an optional tracer receives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Literal

Kind = Literal["retrieval", "generation", "verification"]
Note = Callable[..., None]
"""Adds attributes to a span by name. They may hold texts; the tracer drops what was not asked for."""
Tracer = Callable[[Kind, dict[str, object]], AbstractContextManager[Note]]

_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def trace_span(kind: Kind, **facts: object) -> Iterator[Note]:
    """A span of work, ended however the work ends."""
    tracer = _tracer.get()
    if tracer is None:
        yield _ignore
    else:
        with tracer(kind, facts) as note:
            yield note


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Send every span within to this tracer."""
    before = _tracer.set(tracer)
    try:
        yield
    finally:
        _tracer.reset(before)


def _ignore(**facts: object) -> None:
    """Nobody traces."""
