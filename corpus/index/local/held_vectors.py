"""The vectors that one process searches: those of the generation at hand, from a mapped file where there is one.

Whoever had to read them from the database, or has much that no file holds, writes a file in a thread of its own, for
the next one and for itself.
"""

from __future__ import annotations

import sqlite3
import threading

import structlog

from corpus.index.local import matrix
from corpus.index.local.changes import State
from corpus.index.local.matrix import Matrix
from corpus.index.local.store import Store
from corpus.index.local.vector_files import VectorFiles

_log = structlog.get_logger()

FEWEST = 1_000
"""Rows from which on a file is worthwhile; fewer are read from the database in a moment."""
GROWN = 8
"""A file is written anew when one row in so many came or went since."""


class HeldVectors:
    """Safe to use from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files = VectorFiles(store.file.parent, store)
        self._matrix: tuple[int, Matrix] | None = None
        self._lock = threading.Lock()
        self._writing: threading.Thread | None = None
        self._tried: int | None = None

    def of(
        self, connection: sqlite3.Connection, state: State, embedder: int, name: str, *, newer: bool
    ) -> Matrix:
        """The vectors of this generation; with `newer`, of a later one if another thread was faster. `embedder` is
        a row id, `name` what it is called everywhere."""
        with self._lock:
            known = self._matrix[1] if self._matrix and self._matrix[0] == embedder else None
            if known and newer and known.gen > state.gen:
                return known
            if known is None or self._is_done(known):
                known = self._files.newest(connection, state, name) or known
            fresh = matrix.current(connection, state, embedder, known)
            self._matrix = (embedder, fresh)
            self._keep(fresh, name)
            return fresh

    def close(self) -> None:
        """Wait for a file that is being written, and let go of those that are mapped."""
        if self._writing:
            self._writing.join()
        with self._lock:
            self._matrix = None

    def _is_done(self, known: Matrix) -> bool:
        """Whether a file was written in the meantime that holds more than what is held."""
        done = self._writing is not None and not self._writing.is_alive()
        if done:
            self._writing = None
        return done and _wants_file(known)

    def _keep(self, fresh: Matrix, name: str) -> None:
        if self._store.read_only or self._writing or not _wants_file(fresh) or self._tried == fresh.gen:
            return
        self._tried = fresh.gen
        self._writing = threading.Thread(target=self._write, args=(fresh, name), daemon=True)
        self._writing.start()

    def _write(self, held: Matrix, name: str) -> None:
        try:
            self._files.publish(held, name)
        except Exception as problem:  # searches go on with what is held
            _log.info("index.vectors_not_written", reason=str(problem)[:200])


def _wants_file(held: Matrix) -> bool:
    rows = len(held.blocks)
    since = len(held.tail) + held.dead if held.from_file else rows
    return rows - held.dead >= FEWEST and since * GROWN > rows
