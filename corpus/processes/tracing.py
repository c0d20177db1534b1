"""Tracing and progress: functions that report spans of work to an optional tracer, and steps to an optional listener.

For each call, this module also collects measurements: the time spent in the index, and log data about each request to a
service.
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
"""Function that adds named attributes to a span. They may contain document texts; the tracer drops texts that were not
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
"""Function that receives a description of the step that is starting, in a few words for the user. It does not raise,
even if nobody is listening any more."""

_heard: ContextVar[Listener | None] = ContextVar("heard", default=None)


async def report_step(begins: str) -> None:
    """Report the step that is starting. `begins` must not contain anything from a document."""
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
"""Maximum number of request ids stored per call; listing documents may need hundreds of requests."""


@dataclass(slots=True)
class Measures:
    """Measurements of one call. Times are in milliseconds; `tokens` counts the tokens that a service's own model
    used."""

    search_ms: float = 0.0
    searches: int = 0
    service_ms: float = 0.0
    requests: int = 0
    request_ids: list[str] = field(default_factory=list)
    filtered: bool = True
    """Whether every search request to a service had a filter."""
    tokens: int = 0

    def add_search(self, milliseconds: float) -> None:
        """Record a search of an index."""
        self.search_ms += milliseconds
        self.searches += 1

    def add_request(self, milliseconds: float, request_id: str | None, *, filtered: bool | None = None) -> None:
        """Record a request to a service. `filtered` is None unless the request is a search."""
        self.service_ms += milliseconds
        self.requests += 1
        self.filtered = self.filtered and filtered is not False
        if request_id and len(self.request_ids) < MAX_REQUESTS:
            self.request_ids.append(request_id)


_current: ContextVar[Measures | None] = ContextVar("measures", default=None)


@contextmanager
def measure_call() -> Iterator[Measures]:
    """Collect measurements of all work inside the context."""
    measures = Measures()
    before = _current.set(measures)
    try:
        yield measures
    finally:
        _current.reset(before)


def measures() -> Measures:
    """Return the measurements of the current call. Outside a call, return a new object, which is discarded."""
    return _current.get() or Measures()


@contextmanager
def time_search() -> Iterator[None]:
    """Measure the time of a search of an index, even if it fails."""
    started = perf_counter()
    try:
        yield
    finally:
        measures().add_search((perf_counter() - started) * 1000)
