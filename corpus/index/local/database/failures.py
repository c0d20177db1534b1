"""Translate errors of SQLite and of the file system into ours.

Clients read these messages, so they contain no text of SQLite and, once the index is open, no path; the log has both.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from corpus.errors import IbidError, InternalError, NotConfigured, Timeout

log = structlog.get_logger()

CURE = "Restore an export of it with `ibid index import FILE --replace`, or move the data folder away and ingest again."
MIN_FREE_BYTES = 1 << 16
"""SQLite makes one of its files in steps of 32 kB."""


@contextmanager
def in_our_words(file: Path, busy_seconds: float) -> Iterator[None]:
    """Raises Timeout, NotConfigured and InternalError in place of SQLite's errors about the file."""
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
    """The error for a full disk."""
    return InternalError("The index cannot be written: the disk is full. Make room and try again.")


def _is_full(folder: Path) -> bool:
    """SQLite calls it an I/O error where it cannot make the files beside the database."""
    try:
        return shutil.disk_usage(folder).free < MIN_FREE_BYTES
    except OSError:
        return False


def busy(seconds: float) -> Timeout:
    """Another process held the write lock for too long."""
    return Timeout(
        f"Another process has been writing to the index for over {seconds:g} seconds. Try again when it is done."
    )


def changed() -> Timeout:
    """The file changed under a reader that could not lock it."""
    return Timeout("The index changed while it was read, and this process may not lock it. Try again.")


def missing(folder: Path) -> NotConfigured:
    """There is no index in the folder."""
    return NotConfigured(
        f"There is no index in {folder}. Run `ibid ingest PATH` to make one, or point RAG_DATA_DIR at the "
        "folder that holds it."
    )


def read_only(folder: Path) -> NotConfigured:
    """The index can be read but not written."""
    return NotConfigured(
        f"The index in {folder} can be read but not changed. Give this user write access to the folder and all "
        "files in it, or point RAG_DATA_DIR at another folder."
    )


def not_made(folder: Path, problem: OSError) -> NotConfigured:
    """The folder or file could not be created."""
    return NotConfigured(
        f"No index can be made in {folder}: {problem.strerror or problem}. Point RAG_DATA_DIR at a folder that "
        "this user may write to."
    )
