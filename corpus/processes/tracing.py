"""Tracing and progress: code reports spans of work and steps, an optional tracer and listener receive them.

Each call also measures what it costs outside its own work: time in the index, and what the service behind it said of
each request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
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


MAX_REQUESTS = 20
"""Requests of one call that are named; a list of documents may take hundreds."""


@dataclass(slots=True)
class Measures:
    """Of one call. Times are milliseconds; `tokens` are what a service's own model took."""

    search_ms: float = 0.0
    searches: int = 0
    service_ms: float = 0.0
    requests: int = 0
    request_ids: list[str] = field(default_factory=list)
    filtered: bool = True
    """Whether every search of a service carried a filter."""
    tokens: int = 0

    def add_search(self, milliseconds: float) -> None:
        """Count a search of an index."""
        self.search_ms += milliseconds
        self.searches += 1

    def add_request(self, milliseconds: float, request_id: str | None, *, filtered: bool | None = None) -> None:
        """Count a request to a service; `filtered` is None unless it is a search."""
        self.service_ms += milliseconds
        self.requests += 1
        self.filtered = self.filtered and filtered is not False
        if request_id and len(self.request_ids) < MAX_REQUESTS:
            self.request_ids.append(request_id)


_current: ContextVar[Measures | None] = ContextVar("measures", default=None)


@contextmanager
def measure_call() -> Iterator[Measures]:
    """What is done inside is added to the measures."""
    measures = Measures()
    before = _current.set(measures)
    try:
        yield measures
    finally:
        _current.reset(before)


def measures() -> Measures:
    """Those of the call at work; of work outside any call, some that nobody reads."""
    return _current.get() or Measures()


@contextmanager
def time_search() -> Iterator[None]:
    """A search of an index, also one that fails."""
    started = perf_counter()
    try:
        yield
    finally:
        measures().add_search((perf_counter() - started) * 1000)
