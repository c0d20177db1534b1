"""What is known of all documents, kept through changes: only the documents that changed since are looked at again."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from corpus.index.local.changes import State, descends

MOST_CHANGED = 500
"""Documents; after more changes everything is looked at anew."""

Value = TypeVar("Value")

Renew = Callable[[Value | None, Sequence[int]], Value]
"""Makes a value from an older one and the row ids of the documents that changed since; from None, of all documents."""


@dataclass(frozen=True, slots=True)
class _Held(Generic[Value]):
    """A value, and the generation that it is of."""

    gen: int
    nonce: str
    value: Value


class Followed(Generic[Value]):
    """The `most` values last asked for. Safe to use from several threads; two may compute one value at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Hashable, _Held[Value]] = OrderedDict()
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, state: State, key: Hashable, renew: Renew[Value]) -> Value:
        """The value of that state, which is the one that the connection sees."""
        with self._lock:
            held = self._held.get(key)
        if held and (held.gen, held.nonce) == (state.gen, state.nonce):
            return held.value
        value = _renewed(connection, held, renew)
        self._keep(key, _Held(state.gen, state.nonce, value))
        return value

    def _keep(self, key: Hashable, fresh: _Held[Value]) -> None:
        with self._lock:
            self._held[key] = fresh
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)


def _renewed(connection: sqlite3.Connection, held: _Held[Value] | None, renew: Renew[Value]) -> Value:
    if held is None or not descends(connection, held.gen, held.nonce):
        return renew(None, ())
    rows = connection.execute(
        "SELECT doc FROM changes WHERE gen > ? LIMIT ?", (held.gen, MOST_CHANGED + 1)
    ).fetchall()
    if len(rows) > MOST_CHANGED:
        return renew(None, ())
    return renew(held.value, [doc for (doc,) in rows]) if rows else held.value
