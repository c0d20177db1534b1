"""Open the database file: for reading and writing, or for reading alone in a read-only folder.

SQLite puts two files beside a database in WAL mode. In a read-only folder it can still read a database that no process
writes, opened as immutable. The caller then checks afterwards that the file really did not change.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import BinaryIO

from corpus.index.local.database.failures import not_made

Identity = tuple[int, int]
"""Device and inode: differ when another file takes the same path."""
Version = tuple[int, int, int]
"""Inode, size and time of change: differ after each write."""


def make_private(file: Path) -> None:
    """Create the file, if it does not exist, readable by its owner alone. SQLite gives its companions the same mode.
    Raises NotConfigured."""
    try:
        # Closing a handle of a file that SQLite has open releases its locks (POSIX), so an existing file is not opened.
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
    """None if the file does not exist or cannot be examined."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def is_writable(file: Path) -> bool:
    """Whether this user may write the file and its folder."""
    return os.access(file.parent, os.W_OK) and os.access(file, os.W_OK)


def connect(file: Path, busy_seconds: float, mode: str) -> sqlite3.Connection:
    """`mode` is a parameter of SQLite's URIs, such as `mode=ro`."""
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
    """None while a process has the file open for writing."""
    try:
        if file.with_name(f"{file.name}-wal").exists():
            return None
        stat = file.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
