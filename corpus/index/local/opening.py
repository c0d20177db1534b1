"""How the database's file is opened: for reading and writing, or only for reading where the folder allows no more.

SQLite puts two files beside a database in WAL mode. Where it may not, it can still read one that nobody writes: it
is told that the file cannot change, and whoever reads so looks afterwards whether that was true.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from corpus.index.local.failures import not_made

Identity = tuple[int, int]
"""What tells a file from another one at the same place."""
Mark = tuple[int, int, int]
"""What each write changes, also one into the same file."""


def make_private(file: Path) -> None:
    """A file that only its owner opens, empty if it was not there; SQLite gives its companions the same rights.
    Raises NotConfigured."""
    try:
        # Closing a file that SQLite has open would let go of its locks, so one that is there is not opened.
        if file.exists():
            return
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as problem:
        raise not_made(file.parent, problem) from problem


def identity(file: Path) -> Identity | None:
    """None where there is no file, or none that can be looked at."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def is_writable(file: Path) -> bool:
    return os.access(file.parent, os.W_OK) and os.access(file, os.W_OK)


def connect(file: Path, busy_seconds: float, how: str) -> sqlite3.Connection:
    """`how` is a parameter of SQLite's file addresses, such as `mode=ro`."""
    address = f"{file.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(
        address, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA foreign_keys = ON")
    # A revoked reader must not come back with a power cut, so a commit waits for the disk. It is one
    # commit for a document, whose reading and embedding cost far more.
    connection.execute("PRAGMA synchronous = FULL")
    # What is removed is overwritten, not only forgotten.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def at_rest(file: Path) -> Mark | None:
    """None while somebody has the file open for writing."""
    try:
        if file.with_name(f"{file.name}-wal").exists():
            return None
        state = file.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns
