"""Open the database file, and convert errors from SQLite and the file system to our own.

Clients read these messages, so they contain no text from SQLite and, once the index is open, no path. The log contains
both.

SQLite creates two files next to a database in WAL mode, which is impossible in a read-only folder. There, the database
is opened as immutable, which works as long as no process writes to it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import structlog

from corpus.errors import IbidError, InternalError, NotConfigured, Timeout

log = structlog.get_logger()

CURE = "Restore an export of it with `ibid index import FILE --replace`, or move the data folder away and ingest again."
MIN_FREE_BYTES = 1 << 16
"""Minimum free space in bytes. SQLite allocates one of its files in steps of 32 kB."""


@contextmanager
def in_our_words(file: Path, busy_seconds: float) -> Iterator[None]:
    """Convert SQLite's errors about the file to Timeout, NotConfigured or InternalError."""
    try:
        yield
    except sqlite3.OperationalError as problem:
        if "locked" in str(problem) or "busy" in str(problem):
            raise busy(busy_seconds) from problem
        log.error("index.unusable", file=str(file), problem=str(problem))
        raise _unusable(file, str(problem)) from problem
    except sqlite3.DatabaseError as problem:
        if isinstance(problem, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise
        log.error("index.damaged", file=str(file), problem=str(problem))
        raise InternalError(f"The index is damaged. {CURE}") from problem


def _unusable(file: Path, problem: str) -> IbidError:
    if "readonly" in problem or "unable to open" in problem:
        return NotConfigured(
            f"The index in {file.parent} cannot be opened. Give this user access to the folder and all files in it, "
            "or point RAG_DATA_DIR at another folder."
        )
    if "full" in problem or ("I/O" in problem and _is_full(file.parent)):
        return full()
    return InternalError(f"The index cannot be used; the log says why. {CURE}")


def full() -> InternalError:
    """Return the error for a full disk."""
    return InternalError("The index cannot be written: the disk is full. Make room and try again.")


def _is_full(folder: Path) -> bool:
    """Return whether the disk is full. SQLite reports an I/O error if it cannot create the files next to the
    database."""
    try:
        return shutil.disk_usage(folder).free < MIN_FREE_BYTES
    except OSError:
        return False


def busy(seconds: float) -> Timeout:
    """Return the error for the case that another process held the write lock for too long."""
    return Timeout(
        f"Another process has been writing to the index for over {seconds:g} seconds. Try again when it is done."
    )


def changed() -> Timeout:
    """Return the error for a file that changed while it was being read by a process that could not lock it."""
    return Timeout("The index changed while it was read, and this process may not lock it. Try again.")


def missing(folder: Path) -> NotConfigured:
    """Return the error for a folder without an index."""
    return NotConfigured(
        f"There is no index in {folder}. Run `ibid ingest PATH` to make one, or point RAG_DATA_DIR at the "
        "folder that holds it."
    )


def read_only(folder: Path) -> NotConfigured:
    """Return the error for an index that can be read but not written to."""
    return NotConfigured(
        f"The index in {folder} can be read but not changed. Give this user write access to the folder and all "
        "files in it, or point RAG_DATA_DIR at another folder."
    )


def not_made(folder: Path, problem: OSError) -> NotConfigured:
    """Return the error for a folder or file that could not be created."""
    return NotConfigured(
        f"No index can be made in {folder}: {problem.strerror or problem}. Point RAG_DATA_DIR at a folder that "
        "this user may write to."
    )


Identity = tuple[int, int]
"""Device and inode, which change if the file at a path is replaced."""
Version = tuple[int, int, int]
"""Inode, size and change time, which change with each write."""


def make_private(file: Path) -> None:
    """If the file does not exist, create it with a mode that lets only its owner read it. SQLite gives its companion
    files the same mode. Raises NotConfigured."""
    try:
        # Do not open an existing file. On POSIX, closing any handle of a file that SQLite has open releases SQLite's
        # locks.
        if file.exists():
            return
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as problem:
        raise not_made(file.parent, problem) from problem


def new_private_file(file: Path) -> BinaryIO:
    """Create a file that only its owner may open, and open it for reading and writing. Raises OSError."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(file, flags, 0o600), "w+b")


def identity(file: Path) -> Identity | None:
    """Return the file's identity, or None if the file does not exist or is inaccessible."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def is_writable(file: Path) -> bool:
    """Return whether this user may write to the file and its folder."""
    return os.access(file.parent, os.W_OK) and os.access(file, os.W_OK)


def connect(file: Path, busy_seconds: float, mode: str) -> sqlite3.Connection:
    """Open a connection. `mode` is an SQLite URI parameter, such as `mode=ro`."""
    uri = f"{file.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    # A power failure must not restore the access of a revoked reader, so each commit waits for the disk. There is one
    # commit per document, which costs far less than reading and embedding the document.
    connection.execute("PRAGMA synchronous = FULL")
    # Overwrite deleted content with zeros.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def version_at_rest(file: Path) -> Version | None:
    """Return the version of the file, or None if a process has it open for writing."""
    try:
        if file.with_name(f"{file.name}-wal").exists():
            return None
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
