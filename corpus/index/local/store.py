"""The SQLite file, with its connection pool, transactions and generations. A connection serves one operation at a time.

Each change starts a new generation and records the documents that it touched, so that derived data can be updated. This
module also names the staging folder of an import, and removes staging folders that killed imports left behind.
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import structlog

from corpus.index.local import sqlite_file, tables
from corpus.index.local.sqlite_file import Identity, Version
from corpus.processes.locks import acquire

_log = structlog.get_logger()

MAX_GENS = 10_000
"""Maximum number of generations that a BM25 index may be behind. An older index is rebuilt instead of updated."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of the database. It is read first in each transaction, which fixes the snapshot that the entire
    transaction sees."""

    gen: int
    nonce: str
    words: int
    directory: str | None


@dataclass(slots=True)
class Change:
    """A write transaction. When it is committed, the touched documents are recorded, so that the BM25 index and the
    vectors can be updated."""

    connection: sqlite3.Connection
    gen: int
    touched: dict[int, bool] = field(default_factory=dict)

    def touch(self, doc: int, *, words: bool) -> None:
        """Record that document `doc` changes. With `words`, its searchable text changes too."""
        self.touched[doc] = words or self.touched.get(doc, False)


def state_of(connection: sqlite3.Connection) -> State:
    """Return the current state. The first read in a transaction fixes its snapshot."""
    return State(*connection.execute("SELECT gen, nonce, words, directory FROM state").fetchone())


def descends(connection: sqlite3.Connection, gen: int, nonce: str) -> bool:
    """Return whether this generation is in the database's history. If it is, data derived from it lacks only the later
    changes."""
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
    # Keep the generation of the last text change, because a current BM25 index has that generation, regardless of how
    # many generations have stored vectors since.
    connection.execute("DELETE FROM gens WHERE gen < ? AND gen <> (SELECT words FROM state)", (gen - MAX_GENS,))


def crash_point(name: str) -> None:
    """Log that a point is reached where a crash would leave something to repair. Tests kill the process there."""
    _log.debug("index.stage", stage=name)


FILE = "index.sqlite3"


class Store:
    """The database of one index, possibly in a read-only folder. `busy_seconds` is how long a write waits for another
    process to finish writing."""

    def __init__(self, folder: Path, *, prefixed: bool | None, create: bool, busy_seconds: float) -> None:
        self.file = folder / FILE
        self.prefixed = True
        self.read_only = False
        self._busy_seconds = busy_seconds
        self._failures = partial(sqlite_file.in_our_words, self.file, busy_seconds)
        self._prefixed_setting = prefixed
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._identity: Identity | None = None
        if create:
            sqlite_file.make_private(self.file)
        with self._failures():
            self._open(create=create)
            with self._borrow():
                pass

    @contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, State]]:
        """Yield a connection with a snapshot of the database, and its state. Raises NotConfigured if the database is
        gone."""
        with self._failures(), self._borrow() as connection:
            connection.execute("BEGIN")
            try:
                yield connection, state_of(connection)
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, name: str) -> Iterator[Change]:
        """Yield a write transaction. `name` is used in the log. Raises Timeout, or NotConfigured if the folder is
        read-only."""
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise sqlite_file.busy(self._busy_seconds)
        try:
            with self._failures(), self._borrow() as connection:
                if self.read_only:
                    raise sqlite_file.read_only(self.file.parent)
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
        """Make every process use the BM25 index in this directory."""
        with self._failures(), self._borrow() as connection:
            connection.execute("UPDATE state SET directory = ?", (directory,))

    def close(self) -> None:
        """Close the idle connections. Borrowed connections are closed when they are returned."""
        with self._lock:
            self._closed = True
            self._close_idle()

    def _open(self, *, create: bool) -> None:
        """Check that the database is ours and was created with the wanted setting. Only the first call may create a
        database, because an index that is deleted while in use must not reappear."""
        # Read this before opening the file, so that a replacement of the file is noticed later.
        identity = sqlite_file.identity(self.file)
        if identity is None:
            raise sqlite_file.missing(self.file.parent)
        self.read_only = not sqlite_file.is_writable(self.file)
        with self._unchanged() as version, closing(self._connect(version)) as connection:
            if tables.is_empty(connection):
                if not create or self.read_only:
                    raise sqlite_file.missing(self.file.parent)
                tables.create_tables(connection, prefixed=self._prefixed_setting is not False)
            tables.check_version(connection, self.file)
            tables.check_prefixes(connection, self.file, self._prefixed_setting)
            if not self.read_only:
                tables.bring_up(connection)
            self.prefixed = bool(connection.execute("SELECT prefixed FROM state").fetchone()[0])
        self._identity = identity

    def _reopen_if_replaced(self) -> None:
        """If the database was deleted or replaced while open, close it, because its access lists are no longer
        valid."""
        if self._identity is None or self._identity != sqlite_file.identity(self.file):
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
        """Yield the version of the file if it must be opened as immutable, otherwise None. An immutable connection
        serves one operation, whose result is valid only if no process has written in the meantime. Raises Timeout if
        one has."""
        version = sqlite_file.version_at_rest(self.file) if self.read_only else None
        try:
            yield version
        finally:
            if version and version != sqlite_file.version_at_rest(self.file):
                raise sqlite_file.changed()

    def _connect(self, version: Version | None) -> sqlite3.Connection:
        mode = "immutable=1" if version else "mode=ro" if self.read_only else "mode=rw"
        return sqlite_file.connect(self.file, self._busy_seconds, mode)


STAGING = ".import-"
IMPORT_LOCK = "import.lock"


def clear_leftovers(folder: Path) -> None:
    """Remove the staging folders that killed imports left behind. Do nothing while an import is running or if the
    folder is not writable."""
    if not any(folder.glob(f"{STAGING}*")):
        return
    try:
        lock = acquire(folder / IMPORT_LOCK)
    except OSError:
        return
    if lock is not None:
        try:
            clear(folder)
        finally:
            lock.release()


def clear(folder: Path) -> None:
    """Remove all staging folders. The caller must hold the lock."""
    for staging in folder.glob(f"{STAGING}*"):
        shutil.rmtree(staging, ignore_errors=True)
