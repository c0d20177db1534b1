"""Caches: a plain LRU cache, and one whose values are updated from the documents that changed."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from corpus.index.local.changes import State, descends

MAX_CHANGED = 500
"""Documents. After more changes the value is computed from scratch."""

Value = TypeVar("Value")

Update = Callable[[Value | None, Sequence[int]], Value]
"""Computes a value from an older one and the row ids of the documents changed since; from None, of all documents."""


class LRUCache(Generic[Value]):
    """The `size` values last asked for. Two threads may compute the same value at once; neither waits."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def of(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The cached value, or the result of `compute`."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = compute()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """A value and the generation it was computed from."""

    gen: int
    nonce: str
    value: Value


class IncrementalCache(Generic[Value]):
    """The `size` values last used. Each is updated from the documents that changed since it was computed.

    Safe to use from several threads; two may compute the same value at once.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, state: State, key: Hashable, update: Update[Value]) -> Value:
        """The value at this state, which must be the state that the connection sees."""
        with self._lock:
            entry = self._entries.get(key)
        if entry and (entry.gen, entry.nonce) == (state.gen, state.nonce):
            return entry.value
        value = _updated(connection, entry, update)
        self._store(key, _Entry(state.gen, state.nonce, value))
        return value

    def _store(self, key: Hashable, entry: _Entry[Value]) -> None:
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)


def _updated(connection: sqlite3.Connection, entry: _Entry[Value] | None, update: Update[Value]) -> Value:
    if entry is None or not descends(connection, entry.gen, entry.nonce):
        return update(None, ())
    rows = connection.execute(
        "SELECT doc FROM changes WHERE gen > ? LIMIT ?", (entry.gen, MAX_CHANGED + 1)
    ).fetchall()
    if len(rows) > MAX_CHANGED:
        return update(None, ())
    return update(entry.value, [doc for (doc,) in rows]) if rows else entry.value
