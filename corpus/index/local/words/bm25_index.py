"""The BM25 index as searches use it: a view that matches a view of the database, and repair when there is none."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import structlog
import tantivy

from corpus.index.local.database import failures
from corpus.index.local.database.changes import State
from corpus.index.local.database.store import Store
from corpus.index.local.words import bm25
from corpus.index.local.words.bm25 import Words
from corpus.index.local.words.bm25_sync import (
    BM25Sync,
    DamagedIndex,
    check_format,
    is_current,
    tantivy_errors,
)

_log = structlog.get_logger()

Health = Literal["current", "behind", "missing"]
"""`behind` lacks the latest changes but is usable; `missing` does not exist or is damaged."""

MAX_INLINE_BLOCKS = 2_000
"""Up to this many blocks are indexed while the search waits (well under a second); more in a background thread."""


class BM25Index:
    """The handle of one process; its threads share the views."""

    def __init__(self, folder: Path, store: Store, busy_seconds: float) -> None:
        self._folder = folder
        self._store = store
        self._sync = BM25Sync(folder, store, busy_seconds)
        self._lock = threading.Lock()
        self._open: tuple[str, tantivy.Index] | None = None
        self._view: tuple[str, Words] | None = None
        self._links: SymlinkFolder | None = None
        self._damaged_directory: str | None = None
        self._failed_state: State | None = None
        self._repair_thread: threading.Thread | None = None

    def view(self, connection: sqlite3.Connection, state: State) -> tuple[Words | None, Health]:
        """The view for this view of the database; None with `current` if there is no text to search."""
        if not state.words:
            return None, "current"
        try:
            with self._lock:
                words = self._words(connection, state)
        except DamagedIndex as problem:
            _log.debug("index.words_missing", reason=str(problem)[:200])
            return None, "missing"
        return words, "current" if is_current(connection, state, words.marker) else "behind"

    def _words(self, connection: sqlite3.Connection, state: State) -> Words:
        directory = state.directory
        if directory is None or directory == self._damaged_directory:
            raise DamagedIndex("there is none")
        check_format(directory)
        if self._view and self._view[0] == directory and is_current(connection, state, self._view[1].marker):
            return self._view[1]
        with tantivy_errors():
            if not self._open or self._open[0] != directory:
                self._open = (directory, bm25.open_index(self._readable(directory)))
            elif self._links:
                self._links.refresh()
            self._view = (directory, bm25.view(self._open[1]))
        return self._view[1]

    def _readable(self, directory: str) -> Path:
        """The directory through which tantivy can read the index."""
        if self._links:
            self._links.close()
        self._links = SymlinkFolder(self._folder / directory) if self._store.read_only else None
        return self._links.path if self._links else self._folder / directory

    def mark_damaged(self, state: State) -> None:
        """Stop using this index, because a search of it failed."""
        with self._lock:
            self._damaged_directory, self._open, self._view = state.directory, None, None

    def repair(self, state: State, health: Health, work: int) -> bool:
        """Bring the index up to date unless another process does. `work` is a number of blocks; many are indexed in a
        background thread, and the search goes on without them. Returns whether the caller should look again."""
        with self._lock:
            if self._failed_state == state or (self._repair_thread and self._repair_thread.is_alive()):
                return False
            if work > MAX_INLINE_BLOCKS:
                self._repair_thread = threading.Thread(target=self._try_repair, args=(state, health), daemon=True)
                self._repair_thread.start()
                return False
        return self._try_repair(state, health)

    def catch_up(self) -> None:
        """Apply the changes after a write. Failures are left to the next search: the database has the document."""
        with self._store.reading() as (_, state):
            pass
        if not self._try_repair(state, "behind", wait=True):
            _log.warning("index.words_behind")

    def compact(self) -> None:
        """Drop removed entries after many changes. Raises what `BM25Sync.compact` raises."""
        with suppress(DamagedIndex):
            self._sync.compact()

    def rebuild(self) -> bool:
        """Rebuild even a healthy index. Returns False if another process held the lock too long. Raises the errors of
        `BM25Sync.sync`, and NotConfigured if the folder is read-only."""
        with self._store.reading() as (_, state):
            pass
        if self._store.read_only:
            raise failures.read_only(self._folder)
        return state.directory is None or self._sync.rebuild(state.directory, wait=True)

    def close(self) -> None:
        """Stop a running repair and close the views."""
        self._sync.closing.set()
        if self._repair_thread:
            self._repair_thread.join()
        with self._lock:
            self._open = self._view = None
            if self._links:
                self._links.close()

    def _try_repair(self, state: State, health: Health, *, wait: bool = False) -> bool:
        try:
            # An index that failed in a search may still open without an error, so it is rebuilt.
            if health == "missing" and self._damaged_directory and state.directory == self._damaged_directory:
                return self._sync.rebuild(self._damaged_directory, wait=wait)
            return self._sync.sync(wait=wait)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as problem:
            _log.warning("index.words_not_repaired", reason=str(problem)[:200])
            self._failed_state = state
            return False


class SymlinkFolder:
    """A temporary folder of links to the files of an index in a read-only folder.

    tantivy creates a lock file beside the files that it reads, which a read-only folder does not allow.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self._folder = TemporaryDirectory(prefix="ibid-words-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        self.refresh()

    def refresh(self) -> None:
        """Link the files that another process wrote since."""
        for file in self._directory.iterdir():
            link = self.path / file.name
            if file.suffix != ".lock" and not link.is_symlink():
                link.symlink_to(file)

    def close(self) -> None:
        """Remove the links."""
        self._folder.cleanup()
