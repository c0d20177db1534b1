"""What is to go wrong, and the log of what was asked."""

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
    """Without a status the true answer follows, after the delay. `drop` closes the connection instead of answering;
    `endless` answers with 200 and never ends."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] | str | None = None
    """JSON, or a text that is sent as it is; None for the usual words of this status, if there are any."""
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
    """The first that fits a request is used up by it."""

    def __init__(self) -> None:
        self._queue: list[_Queued] = []
        self.sent = 0
        """Bytes of endless answers that went out."""

    def add(
        self, fault: Fault, times: int | None = 1, *, operation: str | None = None, index: str | None = None
    ) -> None:
        """For the next so many requests (None: all) of that operation on that index (None: any)."""
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
    """search, lookup, count, batch, list_indexes, create_index, get_index, put_index, delete_index, index_stats,
    service_stats; `unknown` for anything else."""
    index: str | None
    body: Any
    """Parsed JSON, None where there is none."""
    headers: Mapping[str, str]
    status: int
    """Answered; 0 while there is no answer, and for a dropped connection."""
