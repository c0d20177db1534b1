"""Faults that a test injects, and the log of requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_USUAL = {
    503: "Failed to execute request. Reduce the rate of requests, or adjust the number of replicas/partitions.",
    429: "The quota of this service has been exceeded.",
    403: "Authorization failed.",
}


@dataclass(frozen=True)
class Fault:
    """An injected fault. Without a status, the real answer follows after the delay. `drop` closes the connection
    instead of answering. `endless` answers with 200 and never ends."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] | str | None = None
    """JSON, or text that is sent unchanged; None for the usual message of this status, if it has one."""
    delay: float = 0.0
    drop: bool = False
    endless: bool = False

    @property
    def said(self) -> dict[str, Any] | str | None:
        if self.body is None and self.status in _USUAL:
            return {"error": {"code": "", "message": _USUAL[self.status]}}
        return self.body


@dataclass
class _Queued:
    fault: Fault
    left: int | None
    operation: str | None
    index: str | None


class Faults:
    """Injected faults and the request log. A request uses up the first fault that matches it."""

    def __init__(self) -> None:
        self._queue: list[_Queued] = []
        self.sent = 0
        """Bytes sent in endless answers."""

    def add(
        self, fault: Fault, times: int | None = 1, *, operation: str | None = None, index: str | None = None
    ) -> None:
        """Add a fault for the next `times` requests (None: all) of that operation on that index (None: any)."""
        self._queue.append(_Queued(fault, times, operation, index))

    def take(self, operation: str, index: str | None) -> Fault | None:
        for one in self._queue:
            if one.operation in (None, operation) and one.index in (None, index):
                if one.left is not None:
                    one.left -= 1
                if one.left == 0:
                    self._queue.remove(one)
                return one.fault
        return None

    def clear(self) -> None:
        self._queue.clear()


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    operation: str
    """One of search, lookup, count, batch, list_indexes, create_index, get_index, put_index, delete_index, index_stats
    and service_stats; `unknown` for anything else."""
    index: str | None
    body: Any
    """Parsed JSON, or None if the request has none."""
    headers: Mapping[str, str]
    status: int
    """Status of the answer; 0 before there is an answer, and for a dropped connection."""
