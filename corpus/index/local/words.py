"""The reading side of the word index: the view that fits a view of the database, and its repair when there is none."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import Literal

import structlog
import tantivy

from corpus.index.local import failures, lexical
from corpus.index.local.changes import State
from corpus.index.local.lexical import Words
from corpus.index.local.linked import Linked
from corpus.index.local.replay import Damaged, Replay, damage, is_current
from corpus.index.local.store import Store

_log = structlog.get_logger()

Health = Literal["current", "behind", "missing"]
"""`behind`: usable, without the latest changes; `missing`: not there or damaged."""

SMALL = 2_000
"""Blocks that are indexed while a search waits (well under a second); more go to a thread of their own."""


class WordIndex:
    """One process's handle. Views are shared by threads."""

    def __init__(self, folder: Path, store: Store, busy_seconds: float) -> None:
        self._folder = folder
        self._store = store
        self._replay = Replay(folder, store, busy_seconds)
        self._lock = threading.Lock()
        self._open: tuple[str, tantivy.Index] | None = None
        self._view: tuple[str, Words] | None = None
        self._linked: Linked | None = None
        self._broken: str | None = None
        self._hopeless: State | None = None
        self._repairing: threading.Thread | None = None

    def view(self, connection: sqlite3.Connection, state: State) -> tuple[Words | None, Health]:
        """The words for this view of the database; None with `current` where there is nothing to search."""
        if not state.words:
            return None, "current"
        try:
            with self._lock:
                words = self._words(connection, state)
        except Damaged as problem:
            _log.debug("index.words_missing", reason=str(problem)[:200])
            return None, "missing"
        return words, "current" if is_current(connection, state, words.marker) else "behind"

    def _words(self, connection: sqlite3.Connection, state: State) -> Words:
        directory = state.directory
        if directory is None or directory == self._broken:
            raise Damaged("there is none")
        if self._view and self._view[0] == directory and is_current(connection, state, self._view[1].marker):
            return self._view[1]
        with damage():
            if not self._open or self._open[0] != directory:
                self._open = (directory, lexical.opened(self._readable(directory)))
            elif self._linked:
                self._linked.refresh()
            self._view = (directory, lexical.view(self._open[1]))
        return self._view[1]

    def _readable(self, directory: str) -> Path:
        """Where tantivy can read this word index."""
        if self._linked:
            self._linked.close()
        self._linked = Linked(self._folder / directory) if self._store.read_only else None
        return self._linked.path if self._linked else self._folder / directory

    def mark_damaged(self, state: State) -> None:
        """A search of this index failed: it is not to be used again."""
        with self._lock:
            self._broken, self._open, self._view = state.directory, None, None

    def repair(self, state: State, health: Health, work: int) -> bool:
        """Bring the index up to date unless another process is at it; with much `work` (blocks) in a thread, so
        that the search goes on without. Whether another look is worthwhile."""
        with self._lock:
            if self._hopeless == state or (self._repairing and self._repairing.is_alive()):
                return False
            if work > SMALL:
                self._repairing = threading.Thread(target=self._try, args=(state, health), daemon=True)
                self._repairing.start()
                return False
        return self._try(state, health)

    def catch_up(self) -> None:
        """After a write. What fails is left to the searches: the database has the document."""
        with self._store.reading() as (_, state):
            pass
        if not self._try(state, "behind", wait=True):
            _log.warning("index.words_behind")

    def rebuild(self) -> bool:
        """A new word index, also in place of one that seems well; False where another process has been at it too long.
        Raises like `Replay.sync`, and NotConfigured
        where the folder cannot be written."""
        with self._store.reading() as (_, state):
            pass
        if self._store.read_only:
            raise failures.read_only(self._folder)
        return state.directory is None or self._replay.rebuild(state.directory, wait=True)

    def close(self) -> None:
        self._replay.closing.set()
        if self._repairing:
            self._repairing.join()
        with self._lock:
            self._open = self._view = None
            if self._linked:
                self._linked.close()

    def _try(self, state: State, health: Health, *, wait: bool = False) -> bool:
        try:
            # What a search found damaged may still open well; only a new one helps.
            if health == "missing" and self._broken and state.directory == self._broken:
                return self._replay.rebuild(self._broken, wait=wait)
            return self._replay.sync(wait=wait)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as problem:
            _log.warning("index.words_not_repaired", reason=str(problem)[:200])
            self._hopeless = state
            return False
