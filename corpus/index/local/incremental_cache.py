"""A cache whose values are updated from the documents that changed instead of being computed anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from corpus.index.local.database.changes import State, descends
from corpus.processes.lru_cache import LRUCache

MAX_CHANGED = 500
"""Documents. After more changes the value is computed from scratch."""

Value = TypeVar("Value")

Update = Callable[[Value | None, Sequence[int]], Value]
"""Computes a value from an older one and the row ids of the documents changed since; from None, of all documents."""


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """A value and the generation it was computed from."""

    gen: int
    nonce: str
    value: Value


class IncrementalCache(Generic[Value]):
    """The `size` values used last, each updated from the documents that changed since it was computed. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._entries: LRUCache[_Entry[Value]] = LRUCache(size)

    def of(self, connection: sqlite3.Connection, state: State, key: Hashable, update: Update[Value]) -> Value:
        """The value at this state, which must be the state that the connection sees."""
        entry = self._entries.get(key)
        if entry and (entry.gen, entry.nonce) == (state.gen, state.nonce):
            return entry.value
        value = _update(connection, entry, update)
        self._entries.put(key, _Entry(state.gen, state.nonce, value))
        return value


def _update(connection: sqlite3.Connection, entry: _Entry[Value] | None, update: Update[Value]) -> Value:
    if entry is None or not descends(connection, entry.gen, entry.nonce):
        return update(None, ())
    rows = connection.execute("SELECT doc FROM changes WHERE gen > ? LIMIT ?", (entry.gen, MAX_CHANGED + 1)).fetchall()
    if len(rows) > MAX_CHANGED:
        return update(None, ())
    return update(entry.value, [doc for (doc,) in rows]) if rows else entry.value
