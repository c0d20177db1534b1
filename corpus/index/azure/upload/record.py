"""The file of the record of what was sent: opened, begun anew where it was lost, held by one run at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpus.errors import InternalError, InvalidRequest
from corpus.index.azure.upload.origin import FILE as ORIGIN
from corpus.index.azure.upload.sent import Sent
from corpus.processes.locks import acquire

FILE = "azure-sent.sqlite"
LOCK = "azure-push.lock"

_TABLE = """CREATE TABLE IF NOT EXISTS sent (
  place TEXT NOT NULL, doc_id TEXT NOT NULL, block_ids TEXT NOT NULL, mark TEXT, at REAL NOT NULL,
  flying INTEGER NOT NULL, PRIMARY KEY (place, doc_id)) WITHOUT ROWID"""


@contextmanager
def recording(folder: Path, place: str) -> Iterator[Sent]:
    """The record of a data folder, for one run at a time. Raises InvalidRequest while another run holds it, and
    InternalError where it cannot be opened.

    A damaged one is put aside. Without it, or where it is missing in a folder that was pushed from, it is not trusted.
    """
    lock = acquire(folder / LOCK)
    if lock is None:
        raise InvalidRequest(
            "Another `ibid azure push` from this folder is at work. Wait for its end; two at once would undo each "
            "other."
        )
    with lock:
        file = folder / FILE
        lost = not file.exists() and (folder / ORIGIN).exists()
        try:
            database = _opened(file)
        except sqlite3.OperationalError as error:
            raise InternalError(
                f"The record of what was sent cannot be opened: {file} ({error}). Nothing is uploaded without it."
            ) from error
        except sqlite3.DatabaseError:
            os.replace(file, file.with_suffix(".damaged"))
            database, lost = _opened(file), True
        with Sent(database, place, trusted=not lost) as sent:
            yield sent


def looking(folder: Path, place: str) -> Sent:
    """The record to look at, for a run that changes nothing; an empty one where there is none."""
    try:
        database = sqlite3.connect(f"{(folder / FILE).absolute().as_uri()}?mode=ro", uri=True)
        database.execute("SELECT flying FROM sent").fetchone()
    except sqlite3.Error:
        return nothing_sent()
    return Sent(database, place)


def nothing_sent() -> Sent:
    """A record that ends with this run."""
    database = sqlite3.connect(":memory:")
    database.execute(_TABLE)
    return Sent(database, "")


def _opened(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=10)
    try:
        database.execute(_TABLE)
        database.execute("SELECT flying FROM sent").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database
