"""Generations of the database. Each change records the documents it touched, so that derived copies can follow."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass, field

import structlog

_log = structlog.get_logger()

MAX_GENS = 10_000
"""A BM25 index further behind than this is rebuilt instead of updated."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of the database. Reading it first in a transaction fixes the snapshot of the whole transaction."""

    gen: int
    nonce: str
    words: int
    directory: str | None


@dataclass(slots=True)
class Change:
    """A write transaction. Committing it records the touched documents, for the BM25 index and the vectors."""

    connection: sqlite3.Connection
    gen: int
    touched: dict[int, bool] = field(default_factory=dict)

    def touch(self, doc: int, *, words: bool) -> None:
        """Note that document `doc` changes; with `words`, its searchable text does."""
        self.touched[doc] = words or self.touched.get(doc, False)


def state_of(connection: sqlite3.Connection) -> State:
    """The current generation. The first read of a transaction fixes its snapshot."""
    return State(*connection.execute("SELECT gen, nonce, words, directory FROM state").fetchone())


def descends(connection: sqlite3.Connection, gen: int, nonce: str) -> bool:
    """Whether that generation is part of this database's history. A copy of it then lacks only the later changes."""
    return bool(connection.execute("SELECT 1 FROM gens WHERE gen = ? AND nonce = ?", (gen, nonce)).fetchone())


def record(change: Change) -> None:
    """Store the touched documents and start a new generation, within the change's transaction."""
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
    # Keep the last change of text: a current BM25 index has that generation, however many vectors followed.
    connection.execute("DELETE FROM gens WHERE gen < ? AND gen <> (SELECT words FROM state)", (gen - MAX_GENS,))


def crash_point(name: str) -> None:
    """Log a point at which a crash leaves something to repair; tests kill the process there."""
    _log.debug("index.stage", stage=name)
