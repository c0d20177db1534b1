"""The SQLite file: its connection pool and transactions. Each connection serves one operation at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from corpus.index.local.database import connection as connections
from corpus.index.local.database import failures, schema
from corpus.index.local.database.changes import Change, State, crash_point, record, state_of
from corpus.index.local.database.connection import Identity, Version

FILE = "index.sqlite3"


class Store:
    """One index's database, also in a read-only folder. `busy_seconds` is how long a write waits for that of another
    process."""

    def __init__(self, folder: Path, *, prefixed: bool | None, create: bool, busy_seconds: float) -> None:
        self.file = folder / FILE
        self.prefixed = True
        self.read_only = False
        self._busy_seconds = busy_seconds
        self._prefixed_setting = prefixed
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._identity: Identity | None = None
        if create:
            connections.make_private(self.file)
        with self._failures():
            self._open(create=create)
            with self._borrow():
                pass

    @contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, State]]:
        """A snapshot of the database. Raises NotConfigured if the database is gone."""
        with self._failures(), self._borrow() as connection:
            connection.execute("BEGIN")
            try:
                yield connection, state_of(connection)
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, name: str) -> Iterator[Change]:
        """A write transaction. `name` is for the log. Raises Timeout, and NotConfigured if the folder is read-only."""
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise failures.busy(self._busy_seconds)
        try:
            with self._failures(), self._borrow() as connection:
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
        """Point every process at a new BM25 index."""
        with self._failures(), self._borrow() as connection:
            connection.execute("UPDATE state SET directory = ?", (directory,))

    def close(self) -> None:
        """Close idle connections; borrowed ones close when they are returned."""
        with self._lock:
            self._closed = True
            self._close_idle()

    def _open(self, *, create: bool) -> None:
        """Check that the database is one of ours and of the wanted kind. Only the first call may create one: an index
        that somebody deletes while it is in use must not reappear."""
        # Taken before the file is opened, so that a file that replaces it meanwhile is noticed later.
        identity = connections.identity(self.file)
        if identity is None:
            raise failures.missing(self.file.parent)
        self.read_only = not connections.is_writable(self.file)
        with self._unchanged() as version, closing(self._connect(version)) as connection:
            if schema.is_empty(connection):
                if not create or self.read_only:
                    raise failures.missing(self.file.parent)
                schema.create_tables(connection, prefixed=self._prefixed_setting is not False)
            schema.check_version(connection, self.file)
            schema.check_prefixes(connection, self.file, self._prefixed_setting)
            if not self.read_only:
                schema.bring_up(connection)
            self.prefixed = bool(connection.execute("SELECT prefixed FROM state").fetchone()[0])
        self._identity = identity

    def _reopen_if_replaced(self) -> None:
        """Close a database that was deleted or replaced while it was open: its access lists are no longer valid."""
        if self._identity is None or self._identity != connections.identity(self.file):
            self._identity = None
            self._close_idle()
            self._open(create=False)

    def _close_idle(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _borrow(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._reopen_if_replaced()
            identity = self._identity
            connection = self._idle.pop() if self._idle else None
        with self._unchanged() as version:
            connection = connection or self._connect(version)
            try:
                yield connection
            finally:
                with self._lock:
                    keep = not version and not self._closed and identity == self._identity
                    if keep:
                        self._idle.append(connection)
                if not keep:
                    connection.close()

    @contextmanager
    def _unchanged(self) -> Iterator[Version | None]:
        """Yields the version of a file that is opened as immutable, else None. Such a connection serves one operation,
        whose result is valid only if no process wrote meanwhile. Raises Timeout."""
        version = connections.version_at_rest(self.file) if self.read_only else None
        try:
            yield version
        finally:
            if version and version != connections.version_at_rest(self.file):
                raise failures.changed()

    def _connect(self, version: Version | None) -> sqlite3.Connection:
        mode = "immutable=1" if version else "mode=ro" if self.read_only else "mode=rw"
        return connections.connect(self.file, self._busy_seconds, mode)

    def _failures(self) -> AbstractContextManager[None]:
        return failures.in_our_words(self.file, self._busy_seconds)
