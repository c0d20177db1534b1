"""Pieces of work that a trace shows: told by whatever does them, and taken by whoever traces, if anybody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Literal

Kind = Literal["retrieval", "generation", "verification"]
Note = Callable[..., None]
"""Takes further facts by their names. Texts are among them: whoever traces leaves out what nobody asked for."""
Tracer = Callable[[Kind, dict[str, object]], AbstractContextManager[Note]]

_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def span(kind: Kind, **facts: object) -> Iterator[Note]:
    """One piece of work, from its beginning to its end, however it ends."""
    tracer = _tracer.get()
    if tracer is None:
        yield _ignore
    else:
        with tracer(kind, facts) as note:
            yield note


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Every piece of work within is told to it."""
    before = _tracer.set(tracer)
    try:
        yield
    finally:
        _tracer.reset(before)


def _ignore(**facts: object) -> None:
    """Nobody traces."""
