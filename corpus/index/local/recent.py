"""Answers that were computed lately, each for one state of the database."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The `most` answers last asked for. Two threads may compute one answer at once; neither waits."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def of(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        found = compute()
        with self._lock:
            self._held[key] = found
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return found
