"""Open the database file, and translate errors of SQLite and of the file system to ours.

Clients read these messages, so they contain no text from SQLite and, once the index is open, no path. The log has both.

SQLite creates two files next to a database in WAL mode. In a read-only folder it can still read a database that no
process is writing, opened as immutable.
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
    """Raise Timeout, NotConfigured and InternalError instead of SQLite's errors about the file."""
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
    """Return the error for another process that held the write lock for too long."""
    return Timeout(
        f"Another process has been writing to the index for over {seconds:g} seconds. Try again when it is done."
    )


def changed() -> Timeout:
    """Return the error for a file that changed under a reader that could not lock it."""
    return Timeout("The index changed while it was read, and this process may not lock it. Try again.")


def missing(folder: Path) -> NotConfigured:
    """Return the error for a folder without an index."""
    return NotConfigured(
        f"There is no index in {folder}. Run `ibid ingest PATH` to make one, or point RAG_DATA_DIR at the "
        "folder that holds it."
    )


def read_only(folder: Path) -> NotConfigured:
    """Return the error for an index that can be read but not written."""
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
"""Device and inode, which differ if another file takes the same path."""
Version = tuple[int, int, int]
"""Inode, size and change time, which differ after each write."""


def make_private(file: Path) -> None:
    """Create the file, if it does not exist, so that only its owner can read it. SQLite gives its companion files the
    same mode. Raises NotConfigured."""
    try:
        # Closing a handle of a file that SQLite has open releases its locks (POSIX), so do not open an existing file.
        if file.exists():
            return
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as problem:
        raise not_made(file.parent, problem) from problem


def new_private_file(file: Path) -> BinaryIO:
    """Create a file for reading and writing that only its owner may open. Raises OSError."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(file, flags, 0o600), "w+b")


def identity(file: Path) -> Identity | None:
    """Return the file's identity, or None if it does not exist or cannot be examined."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def is_writable(file: Path) -> bool:
    """Return whether this user may write the file and its folder."""
    return os.access(file.parent, os.W_OK) and os.access(file, os.W_OK)


def connect(file: Path, busy_seconds: float, mode: str) -> sqlite3.Connection:
    """Open a connection. `mode` is an SQLite URI parameter, such as `mode=ro`."""
    uri = f"{file.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    # A power cut must not restore a revoked reader's access, so each commit waits for the disk. One commit per
    # document costs far less than reading and embedding it.
    connection.execute("PRAGMA synchronous = FULL")
    # Overwrite deleted content with zeros.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def version_at_rest(file: Path) -> Version | None:
    """Return the version of a file, or None while a process has it open for writing."""
    try:
        if file.with_name(f"{file.name}-wal").exists():
            return None
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
