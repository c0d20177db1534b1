"""What this data folder sent to a service, by document: the keys of its blocks and the mark it was left with.

The service finds a row only some seconds after it took it, and an upload that is cut short has no mark. So what may be
there is written down here before the first row goes, and deleted or narrowed by key, found or not.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

FILE = "azure-sent.sqlite"
SETTLED = 60.0
"""Seconds after which the service finds every row that it took."""

_TABLE = """CREATE TABLE IF NOT EXISTS sent (
  place TEXT NOT NULL, doc_id TEXT NOT NULL, block_ids TEXT NOT NULL, mark TEXT, at REAL NOT NULL,
  PRIMARY KEY (place, doc_id)) WITHOUT ROWID"""


class Sent:
    """A context manager. `place` names the service and its indexes; what went to other places is kept apart."""

    def __init__(self, database: sqlite3.Connection, place: str) -> None:
        self._database, self._place = database, place

    @classmethod
    def of(cls, folder: Path | None, place: str, *, write: bool = True) -> Self:
        """The record in a data folder. Nothing is kept beyond this run without a folder, in one that cannot be
        written, and without `write`."""
        if folder is not None:
            with contextlib.suppress(sqlite3.Error):
                return cls(_opened(folder / FILE, write=write), place)
        return cls(_in_memory(), place)

    def doc_ids(self) -> frozenset[str]:
        rows = self._database.execute("SELECT doc_id FROM sent WHERE place = ?", [self._place])
        return frozenset(doc_id for (doc_id,) in rows)

    def holds(self, doc_id: str) -> bool:
        return self._row(doc_id) is not None

    def block_ids(self, doc_id: str) -> frozenset[str]:
        """Keys of every row of this document that may be there."""
        found = self._row(doc_id)
        return frozenset(json.loads(found[0])) if found else frozenset()

    def outdated(self, doc_id: str, mark: object) -> bool:
        """Whether the service still shows this mark though another one was sent a moment ago."""
        found = self._row(doc_id)
        return found is not None and time.time() - found[2] < SETTLED and found[1] != _text(mark)

    def starts(self, doc_id: str, block_ids: Iterable[str] = ()) -> None:
        """To be called before the first of these rows goes."""
        self._put(doc_id, self.block_ids(doc_id) | set(block_ids), None)

    def finished(self, doc_id: str, block_ids: Iterable[str], mark: object) -> None:
        self._put(doc_id, block_ids, _text(mark))

    def removed(self, doc_id: str) -> None:
        with self._database:
            self._database.execute("DELETE FROM sent WHERE place = ? AND doc_id = ?", [self._place, doc_id])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _row(self, doc_id: str) -> tuple[str, str | None, float] | None:
        query = "SELECT block_ids, mark, at FROM sent WHERE place = ? AND doc_id = ?"
        found: tuple[str, str | None, float] | None
        found = self._database.execute(query, [self._place, doc_id]).fetchone()
        return found

    def _put(self, doc_id: str, block_ids: Iterable[str], mark: str | None) -> None:
        row = [self._place, doc_id, json.dumps(sorted(block_ids)), mark, time.time()]
        with self._database:
            self._database.execute("INSERT OR REPLACE INTO sent VALUES (?, ?, ?, ?, ?)", row)


def _opened(file: Path, *, write: bool) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode={'rwc' if write else 'ro'}", uri=True, timeout=30
    )
    try:
        if write:
            database.execute(_TABLE)
        database.execute("SELECT count(*) FROM sent").fetchone()
    except sqlite3.Error:
        database.close()
        raise
    return database


def _in_memory() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute(_TABLE)
    return database


def _text(mark: object) -> str | None:
    return None if mark is None else str(mark)
