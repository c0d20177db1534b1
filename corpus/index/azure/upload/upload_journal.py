"""The upload journal in the data folder: the folder's random name, and a record of every row that was sent."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from corpus.errors import InternalError, InvalidRequest
from corpus.processes.locks import acquire

ORIGIN_FILE = "azure-origin"
UNKNOWN = "unknown"
_NAME = re.compile(r"[0-9a-f]{16}")


def origin_of(folder: Path, *, give: bool = True) -> str:
    """Return the folder's random name. If it has none, create one if `give` is true, otherwise return `UNKNOWN`."""
    file = folder / ORIGIN_FILE
    with contextlib.suppress(OSError):
        if give and not file.exists():
            _give(file)
        name = file.read_text(encoding="utf-8", errors="replace").strip()
        return name if _NAME.fullmatch(name) else UNKNOWN
    return UNKNOWN


def _give(file: Path) -> None:
    """Create the name atomically, so that concurrent first calls read the same name."""
    handle, new = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as made:
            made.write(secrets.token_hex(8))
        with contextlib.suppress(FileExistsError):
            os.link(new, file)
    finally:
        os.unlink(new)


SETTLED = 60.0
"""Seconds after which searches find every row that the service accepted."""
LEASE = 60.0
"""Seconds after which the service has certainly processed the last batch of an interrupted upload."""
REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class EarlierState:
    """A document's state in the journal when this run first used it: whether the service may show outdated access
    lists, and until when (in monotonic seconds) it may still be processing rows of an interrupted upload."""

    recent: bool = False
    arriving_until: float = 0.0


class UploadJournal:
    """The journal of rows sent to one `place`, which is a service with two indexes. It is a context manager.

    `trusted` is False if an earlier journal was lost; the service may then contain rows that this journal does not
    list. Raises InternalError if the journal cannot be written.
    """

    def __init__(self, database: sqlite3.Connection, place: str, *, trusted: bool = True) -> None:
        self._database, self._place = database, place
        self._begun: dict[str, EarlierState] = {}
        self.trusted = trusted

    def doc_ids(self) -> frozenset[str]:
        """Return the ids of documents that may have rows on the service."""
        query = "SELECT doc_id FROM sent WHERE place = ? AND mark IS NOT ?"
        return frozenset(doc_id for (doc_id,) in self._database.execute(query, [self._place, REMOVED]))

    def holds(self, doc_id: str) -> bool:
        """Return whether the journal lists the document."""
        return self._row(doc_id) is not None

    def block_ids(self, doc_id: str) -> frozenset[str]:
        """Return the keys of all blocks of the document that may be on the service."""
        row = self._row(doc_id)
        return frozenset(json.loads(row.block_ids)) if row else frozenset()

    def outdated(self, doc_id: str, mark: object) -> bool:
        """Return whether this mark, which the service shows, is older than the last one sent."""
        row = self._row(doc_id)
        return row is not None and row.age < SETTLED and row.mark != _text(mark)

    def begins(self, doc_id: str) -> EarlierState:
        """Return the earlier state of a document. In each run, call this before sending the document's first row."""
        if doc_id not in self._begun:
            row = self._row(doc_id)
            left = LEASE - row.age if row and row.flying else 0.0
            recent = row is not None and row.age < SETTLED
            self._begun[doc_id] = EarlierState(recent, time.monotonic() + left if left > 0 else 0.0)
        self.sends(doc_id, ())
        return self._begun[doc_id]

    def sends(self, doc_id: str, block_ids: Iterable[str]) -> None:
        """Record the blocks to be sent. Call this before sending the first of these rows."""
        self._put(doc_id, self.block_ids(doc_id) | set(block_ids), None, flying=True)

    def landed(self, doc_id: str) -> None:
        """Record that the service has responded to every batch of the document, even if it refused some."""
        if self._begun.get(doc_id, EarlierState()).arriving_until > time.monotonic():
            return
        self._write("UPDATE sent SET flying = 0 WHERE place = ? AND doc_id = ?", [self._place, doc_id])

    def finished(self, doc_id: str, block_ids: Iterable[str], mark: object) -> None:
        """Record a complete upload."""
        self._put(doc_id, block_ids, _text(mark), flying=False)

    def removed(self, doc_id: str) -> None:
        """Record a removal. The entry remains, because the service may still show the document for a while."""
        self._put(doc_id, (), REMOVED, flying=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _row(self, doc_id: str) -> _Row | None:
        query = "SELECT block_ids, mark, at, flying FROM sent WHERE place = ? AND doc_id = ?"
        columns = self._database.execute(query, [self._place, doc_id]).fetchone()
        # The age is never negative, even if the clock was set back. Otherwise a push would wait for that much longer.
        return _Row(columns[0], columns[1], max(0.0, time.time() - columns[2]), bool(columns[3])) if columns else None

    def _put(self, doc_id: str, block_ids: Iterable[str], mark: str | None, *, flying: bool) -> None:
        row = [self._place, doc_id, json.dumps(sorted(block_ids)), mark, time.time(), flying]
        self._write("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?)", row)

    def _write(self, query: str, values: Sequence[object]) -> None:
        try:
            with self._database:
                self._database.execute(query, values)
        except sqlite3.Error as error:
            raise InternalError(
                f"The record of what was sent cannot be written ({error}). Nothing more is uploaded without it; look "
                "at the disk and the rights of RAG_DATA_DIR, and run the same command again."
            ) from error


@dataclass(frozen=True, slots=True)
class _Row:
    block_ids: str
    mark: str | None
    age: float
    flying: bool


def _text(mark: object) -> str | None:
    return None if mark is None else str(mark)


JOURNAL_FILE = "azure-sent.sqlite"
LOCK = "azure-push.lock"

_TABLE = """CREATE TABLE IF NOT EXISTS sent (
  place TEXT NOT NULL, doc_id TEXT NOT NULL, block_ids TEXT NOT NULL, mark TEXT, at REAL NOT NULL,
  flying INTEGER NOT NULL, PRIMARY KEY (place, doc_id)) WITHOUT ROWID"""


@contextmanager
def open_journal(folder: Path, place: str) -> Iterator[UploadJournal]:
    """Open the journal of a data folder. Raises InvalidRequest if another run is using it, or InternalError if it
    cannot be opened.

    A damaged journal is renamed. A new journal is not trusted if the folder has been pushed before.
    """
    lock = acquire(folder / LOCK)
    if lock is None:
        raise InvalidRequest(
            "Another `ibid azure push` from this folder is running. Wait until it ends; two at once would undo each "
            "other."
        )
    with lock:
        file = folder / JOURNAL_FILE
        lost = not file.exists() and (folder / ORIGIN_FILE).exists()
        try:
            database = _opened(file)
        except sqlite3.OperationalError as error:
            raise InternalError(
                f"The record of what was sent cannot be opened: {file} ({error}). Nothing is uploaded without it."
            ) from error
        except sqlite3.DatabaseError:
            os.replace(file, file.with_suffix(".damaged"))
            database, lost = _opened(file), True
        with UploadJournal(database, place, trusted=not lost) as sent:
            yield sent


def read_journal(folder: Path, place: str) -> UploadJournal:
    """Return the journal in read-only mode for a dry run, or an empty journal if there is none."""
    try:
        database = sqlite3.connect(f"{(folder / JOURNAL_FILE).absolute().as_uri()}?mode=ro", uri=True)
        database.execute("SELECT flying FROM sent").fetchone()
    except sqlite3.Error:
        return empty_journal()
    return UploadJournal(database, place)


def empty_journal() -> UploadJournal:
    """Return an empty journal in memory."""
    database = sqlite3.connect(":memory:")
    database.execute(_TABLE)
    return UploadJournal(database, "")


def _opened(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=10)
    try:
        database.execute(_TABLE)
        database.execute("SELECT flying FROM sent").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database
