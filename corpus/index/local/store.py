"""The SQLite file: connections, transactions, and its failures in our words.

A connection serves one operation at a time and is lent from a pool, so that no two threads share one.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from corpus.errors import IbidError, InternalError, NotConfigured, Timeout
from corpus.index.local import schema
from corpus.index.local.changes import Change, State, record, state_of
from corpus.index.local.stages import stage

log = structlog.get_logger()

FILE = "index.sqlite3"


class Store:
    """One index's database. `busy_seconds` is how long a write waits for another process's."""

    def __init__(self, folder: Path, *, prefixed: bool | None, create: bool, busy_seconds: float) -> None:
        self.file = folder / FILE
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._closed = False
        self._create = create
        self._wanted = prefixed
        self._opened: tuple[int, int] | None = None
        self.prefixed = True
        with self._failures(), self._lent():
            pass

    def _open(self) -> None:
        """Make the database where it may be made, and check that it is one of ours and of the wanted kind."""
        folder = self.file.parent
        if not self._create and not (self.file.is_file() and self.file.stat().st_size):
            raise NotConfigured(
                f"There is no index in {folder}. Run `ibid ingest PATH` to make one, or point RAG_DATA_DIR at the "
                "folder that holds it."
            )
        if self._create:
            make_private(self.file)
        connection = self._connect()
        try:
            if self._create and schema.is_empty(connection):
                schema.create_tables(connection, prefixed=self._wanted is not False)
            schema.check_version(connection, self.file)
            schema.check_prefixes(connection, self.file, self._wanted)
            self.prefixed = bool(connection.execute("SELECT prefixed FROM state").fetchone()[0])
        finally:
            connection.close()
        self._opened = _identity(self.file)

    def _still_there(self) -> None:
        """Let go of a database that was deleted or exchanged while it was open: its access lists hold no more."""
        if self._opened is None or self._opened != _identity(self.file):
            stale, self._idle = self._idle, []
            for connection in stale:
                connection.close()
            self._open()

    @contextmanager
    def reading(self) -> Iterator[tuple[sqlite3.Connection, State]]:
        """One unchanging view of the database."""
        with self._failures(), self._lent() as connection:
            connection.execute("BEGIN")
            try:
                yield connection, state_of(connection)
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, name: str) -> Iterator[Change]:
        """A change that is committed as a whole. `name` is for the log. Raises Timeout."""
        if not self._writing.acquire(timeout=self._busy_seconds):
            raise self._busy()
        try:
            with self._failures(), self._lent() as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    change = Change(connection, state_of(connection).gen + 1)
                    yield change
                    record(change)
                    stage(f"{name}.before_commit")
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                stage(f"{name}.committed")
        finally:
            self._writing.release()

    def name_directory(self, directory: str) -> None:
        """Point every process at a new word index."""
        with self._failures(), self._lent() as connection:
            connection.execute("UPDATE state SET directory = ?", (directory,))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._still_there()
            opened = self._opened
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._connect()
        try:
            yield connection
        finally:
            with self._lock:
                keep = not self._closed and opened == self._opened
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.file, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA foreign_keys = ON")
        # A revoked reader must not come back with a power cut, so a commit waits for the disk. It is one
        # commit for a document, whose reading and embedding cost far more.
        connection.execute("PRAGMA synchronous = FULL")
        # What is removed is overwritten, not only forgotten.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as problem:
            if "locked" in str(problem) or "busy" in str(problem):
                raise self._busy() from problem
            log.error("index.unusable", file=str(self.file), problem=str(problem))
            raise self._unusable(problem) from problem
        except sqlite3.DatabaseError as problem:
            if isinstance(problem, sqlite3.IntegrityError | sqlite3.ProgrammingError):
                raise
            log.error("index.damaged", file=str(self.file), problem=str(problem))
            raise InternalError(
                f"The index in {self.file.parent} is damaged. Restore the folder from a copy, or move it away and "
                "ingest again."
            ) from problem

    def _unusable(self, problem: sqlite3.OperationalError) -> IbidError:
        if any(word in str(problem) for word in ("readonly", "unable to open")):
            return NotConfigured(
                f"The index in {self.file.parent} cannot be opened for reading and writing, which it needs also to "
                "be searched. Give this user write access to the folder and the files in it, or point RAG_DATA_DIR "
                "at another folder."
            )
        full = "full" in str(problem)
        return InternalError(
            f"The index in {self.file.parent} cannot be used: {'the disk is full' if full else 'see the log'}."
        )

    def _busy(self) -> Timeout:
        return Timeout(
            f"Another process has been writing to the index in {self.file.parent} for over "
            f"{self._busy_seconds:g} seconds. Try again when it is done."
        )


def make_private(file: Path) -> None:
    """A file that only its owner opens, empty if it was not there; SQLite gives its companions the same rights."""
    if file.exists():
        return
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise NotConfigured(
            f"No index can be made in {file.parent}: {error.strerror or error}. Point RAG_DATA_DIR at a folder that "
            "this user may write to."
        ) from error


def _identity(file: Path) -> tuple[int, int] | None:
    """What tells this file from another one at the same place; None where there is none."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
