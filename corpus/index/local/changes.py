"""Generations: where the database stands, and what a change leaves for those who keep copies of it."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass, field

GENS_KEPT = 10_000
"""A word index further behind than this is rebuilt, not replayed."""


@dataclass(frozen=True, slots=True)
class State:
    """Where the database stands: read first in a transaction, it fixes what the whole transaction sees."""

    gen: int
    nonce: str
    words: int
    directory: str | None


@dataclass(slots=True)
class Change:
    """A write under way. What it names is told to the readers of words and of vectors when it commits."""

    connection: sqlite3.Connection
    gen: int
    touched: dict[int, bool] = field(default_factory=dict)

    def touch(self, doc: int, *, words: bool) -> None:
        """Document `doc` changes, with `words` in what is searched by words."""
        self.touched[doc] = words or self.touched.get(doc, False)


def state_of(connection: sqlite3.Connection) -> State:
    return State(*connection.execute("SELECT gen, nonce, words, directory FROM state").fetchone())


def descends(connection: sqlite3.Connection, gen: int, nonce: str) -> bool:
    """Whether that generation is part of this database's history, so that what came since is all that is missing."""
    return bool(connection.execute("SELECT 1 FROM gens WHERE gen = ? AND nonce = ?", (gen, nonce)).fetchone())


def record(change: Change) -> None:
    connection, gen, nonce = change.connection, change.gen, secrets.token_hex(8)
    connection.executemany(
        "INSERT INTO changes VALUES (?, ?, ?) ON CONFLICT (doc) DO UPDATE SET gen = excluded.gen, "
        "words = max(words, excluded.words)",
        [(doc, gen, gen if words else 0) for doc, words in change.touched.items()],
    )
    connection.execute("INSERT INTO gens VALUES (?, ?)", (gen, nonce))
    words = any(change.touched.values())
    connection.execute(
        "UPDATE state SET gen = ?, nonce = ?, words = CASE WHEN ? THEN ? ELSE words END",
        (gen, nonce, words, gen),
    )
    # The last change of words is where an up-to-date word index stands, however many vectors came since.
    connection.execute(
        "DELETE FROM gens WHERE gen < ? AND gen <> (SELECT words FROM state)", (gen - GENS_KEPT,)
    )
