"""Measurements of one call: time in the index, and the log data of each request to a service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter

MAX_REQUESTS = 20
"""Maximum number of requests listed per call; listing documents may take hundreds."""


@dataclass(slots=True)
class Measures:
    """Measurements of one call. Times are in milliseconds; `tokens` counts those of a service's own model."""

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
    """Add all work inside the context to the measurements."""
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
