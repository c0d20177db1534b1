"""What this data folder sent to a service, by document: the keys of its blocks and the mark it was left with.

The service finds a row only some seconds after it took it, may still work on a batch whose sender was killed, and shows
nothing of an upload that was cut short. So what may be there is written down here before the first row goes, and
narrowed and deleted by key, found or not.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from corpus.errors import InternalError

SETTLED = 60.0
"""Seconds after which the service finds every row that it took."""
LEASE = 60.0
"""Seconds after which it has done with a batch that nobody waits for any more."""
REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Begun:
    """How a document stood in the record when this run first touched it: whether lists that the service shows for it
    may be old ones, and until when rows of an upload that was cut short may still arrive (monotonic seconds)."""

    recent: bool = False
    arriving_until: float = 0.0


class Sent:
    """A context manager. `place` names the service and its indexes; what went to other places is kept apart.

    `trusted` is false where an earlier record was lost: then what is there may not be all that is known. Raises
    InternalError where the record can no longer be written.
    """

    def __init__(self, database: sqlite3.Connection, place: str, *, trusted: bool = True) -> None:
        self._database, self._place = database, place
        self._begun: dict[str, Begun] = {}
        self.trusted = trusted

    def doc_ids(self) -> frozenset[str]:
        """Documents of which rows may be there."""
        query = "SELECT doc_id FROM sent WHERE place = ? AND mark IS NOT ?"
        return frozenset(doc_id for (doc_id,) in self._database.execute(query, [self._place, REMOVED]))

    def holds(self, doc_id: str) -> bool:
        return self._row(doc_id) is not None

    def block_ids(self, doc_id: str) -> frozenset[str]:
        """Keys of every row of this document that may be there."""
        found = self._row(doc_id)
        return frozenset(json.loads(found.block_ids)) if found else frozenset()

    def outdated(self, doc_id: str, mark: object) -> bool:
        """Whether the service still shows this mark though another one was sent a moment ago."""
        found = self._row(doc_id)
        return found is not None and found.age < SETTLED and found.mark != _text(mark)

    def begins(self, doc_id: str) -> Begun:
        """To be called before the first row of a document goes, in each run."""
        if doc_id not in self._begun:
            found = self._row(doc_id)
            left = LEASE - found.age if found and found.flying else 0.0
            recent = found is not None and found.age < SETTLED
            self._begun[doc_id] = Begun(recent, time.monotonic() + left if left > 0 else 0.0)
        self.sends(doc_id, ())
        return self._begun[doc_id]

    def sends(self, doc_id: str, block_ids: Iterable[str]) -> None:
        """To be called before the first of these rows goes."""
        self._put(doc_id, self.block_ids(doc_id) | set(block_ids), None, flying=True)

    def landed(self, doc_id: str) -> None:
        """Every batch of the document was answered, if only with a refusal."""
        if self._begun.get(doc_id, Begun()).arriving_until > time.monotonic():
            return
        self._write("UPDATE sent SET flying = 0 WHERE place = ? AND doc_id = ?", [self._place, doc_id])

    def finished(self, doc_id: str, block_ids: Iterable[str], mark: object) -> None:
        self._put(doc_id, block_ids, _text(mark), flying=False)

    def removed(self, doc_id: str) -> None:
        """Kept for a while, since the service goes on showing what it was."""
        self._put(doc_id, (), REMOVED, flying=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _row(self, doc_id: str) -> _Row | None:
        query = "SELECT block_ids, mark, at, flying FROM sent WHERE place = ? AND doc_id = ?"
        found = self._database.execute(query, [self._place, doc_id]).fetchone()
        # A clock that was set back makes it no younger than new: else a push would wait as long as that.
        return _Row(found[0], found[1], max(0.0, time.time() - found[2]), bool(found[3])) if found else None

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
