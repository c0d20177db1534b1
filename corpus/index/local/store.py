"""The SQLite file: connections and transactions.

A connection serves one operation at a time and is lent from a pool, so that no two threads share one.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from corpus.index.local import failures, opening, schema
from corpus.index.local.changes import Change, State, crash_point, record, state_of
from corpus.index.local.opening import Identity, Mark

FILE = "index.sqlite3"


class Store:
    """One index's database. `busy_seconds` is how long a write waits for another process's.

    Where the folder cannot be written, the database can be read all the same.
    """

    def __init__(self, folder: Path, *, prefixed: bool | None, create: bool, busy_seconds: float) -> None:
        self.file = folder / FILE
        self.prefixed = True
        self.read_only = False
        self._busy_seconds = busy_seconds
        self._wanted = prefixed
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._opened: Identity | None = None
        if create:
            opening.make_private(self.file)
        with self._failures():
            self._open(create=create)
            with self._lent():
                pass

    @contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, State]]:
        """One unchanging view of the database. Raises NotConfigured where it is no longer there."""
        with self._failures(), self._lent() as connection:
            connection.execute("BEGIN")
            try:
                yield connection, state_of(connection)
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, name: str) -> Iterator[Change]:
        """A change that is committed as a whole. `name` is for the log. Raises Timeout, and NotConfigured where
        the folder cannot be written."""
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise failures.busy(self._busy_seconds)
        try:
            with self._failures(), self._lent() as connection:
                if self.read_only:
                    raise failures.read_only(self.file.parent)
                connection.execute("BEGIN IMMEDIATE")
                try:
                    change = Change(connection, state_of(connection).gen + 1)
                    yield change
                    record(change)
                    crash_point(f"{name}.before_commit")
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                crash_point(f"{name}.committed")
        finally:
            self._writing.release()

    def name_directory(self, directory: str) -> None:
        """Point every process at a new word index."""
        with self._failures(), self._lent() as connection:
            connection.execute("UPDATE state SET directory = ?", (directory,))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._let_go()

    def _open(self, *, create: bool) -> None:
        """Check that the database is one of ours and of the wanted kind. Only the first opening makes one: who
        deletes an index or puts another in its place is not to find it made again."""
        # Looked at before it is opened: what takes its place meanwhile is then seen as another one.
        found = opening.identity(self.file)
        if found is None:
            raise failures.missing(self.file.parent)
        self.read_only = not opening.is_writable(self.file)
        with self._guarded() as mark, closing(self._connect(mark)) as connection:
            if schema.is_empty(connection):
                if not create or self.read_only:
                    raise failures.missing(self.file.parent)
                schema.create_tables(connection, prefixed=self._wanted is not False)
            schema.check_version(connection, self.file)
            schema.check_prefixes(connection, self.file, self._wanted)
            if not self.read_only:
                schema.bring_up(connection)
            self.prefixed = bool(connection.execute("SELECT prefixed FROM state").fetchone()[0])
        self._opened = found

    def _still_there(self) -> None:
        """Let go of a database that was deleted or exchanged while it was open: its access lists hold no more."""
        if self._opened is None or self._opened != opening.identity(self.file):
            self._opened = None
            self._let_go()
            self._open(create=False)

    def _let_go(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._still_there()
            opened = self._opened
            connection = self._idle.pop() if self._idle else None
        with self._guarded() as mark:
            connection = connection or self._connect(mark)
            try:
                yield connection
            finally:
                with self._lock:
                    keep = not mark and not self._closed and opened == self._opened
                    if keep:
                        self._idle.append(connection)
                if not keep:
                    connection.close()

    @contextmanager
    def _guarded(self) -> Iterator[Mark | None]:
        """A mark where the file is taken for unchanging: a connection made so serves one operation, whose result
        counts only if nobody wrote meanwhile. Raises Timeout."""
        mark = opening.at_rest(self.file) if self.read_only else None
        try:
            yield mark
        finally:
            if mark and mark != opening.at_rest(self.file):
                raise failures.changed()

    def _connect(self, mark: Mark | None) -> sqlite3.Connection:
        how = "immutable=1" if mark else "mode=ro" if self.read_only else "mode=rw"
        return opening.connect(self.file, self._busy_seconds, how)

    def _failures(self) -> AbstractContextManager[None]:
        return failures.in_our_words(self.file, self._busy_seconds)
