"""Tracing and progress: code reports spans of work and steps; an optional tracer and listener receive them.

Each call also records measurements: time in the index, and the log data of each request to a service.
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
"""Adds attributes to a span by name. They may contain document texts; the tracer drops texts that were not
requested."""
Tracer = Callable[[Kind, dict[str, object]], AbstractContextManager[Note]]

_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def trace_span(kind: Kind, **facts: object) -> Iterator[Note]:
    """Trace a span of work. The span ends even if the work fails."""
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


MAX_REQUESTS = 20
"""Maximum number of requests listed per call; listing documents may take hundreds."""


@dataclass(slots=True)
class Measures:
    """Measurements of one call. Times are in milliseconds; `tokens` counts the tokens of a service's own model."""

    search_ms: float = 0.0
    searches: int = 0
    service_ms: float = 0.0
    requests: int = 0
    request_ids: list[str] = field(default_factory=list)
    filtered: bool = True
    """Whether every search of a service had a filter."""
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
    """Measure all work inside the context."""
    measures = Measures()
    before = _current.set(measures)
    try:
        yield measures
    finally:
        _current.reset(before)


def measures() -> Measures:
    """Return the measurements of the current call. Outside any call, return an object that nobody reads."""
    return _current.get() or Measures()


@contextmanager
def time_search() -> Iterator[None]:
    """Measure a search of an index, including one that fails."""
    started = perf_counter()
    try:
        yield
    finally:
        measures().add_search((perf_counter() - started) * 1000)
