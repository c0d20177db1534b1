"""Keeps the word index in step with the database: replays what changed, or builds a new one.

The database commits first and counts a generation; the word index names, in its own commit, the generation that
it holds. Generation and nonce are compared, since a restored older database counts again with other content.
Any process may bring the index up to date, one at a time, and may be killed at any point of it.
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import structlog
import tantivy

from corpus.index.local import lexical
from corpus.index.local.changes import State, crash_point, descends
from corpus.index.local.entries import entries
from corpus.index.local.lexical import Marker, Words
from corpus.index.local.lexical_writing import Entry, write
from corpus.index.local.opening import make_private
from corpus.index.local.store import Store

_log = structlog.get_logger()

PREFIX = "words-"
"""Of the directories that hold a word index; beside them lies `words.lock`."""


class Damaged(Exception):
    """The word index cannot be used; the database can."""


@contextmanager
def damage() -> Iterator[None]:
    """Every failure of tantivy as Damaged. Its panics are no `Exception`."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:
        raise Damaged(str(problem)) from problem


def is_current(connection: sqlite3.Connection, state: State, marker: Marker | None) -> bool:
    """Whether a word index with this marker holds all that this view of the database holds."""
    return marker is not None and marker.gen >= state.words and descends(connection, marker.gen, marker.nonce)


def backlog(connection: sqlite3.Connection, marker: Marker | None) -> int:
    """How many blocks a word index with this marker has to take in until it is current."""
    since = marker.gen if marker and descends(connection, marker.gen, marker.nonce) else -1
    (count,) = connection.execute(
        "SELECT coalesce(sum(blocks), 0) FROM changes JOIN documents ON documents.id = doc WHERE words > ?",
        (since,),
    ).fetchone()
    return int(count)


class Replay:
    """The writing side of one index's words."""

    def __init__(self, folder: Path, store: Store, busy_seconds: float) -> None:
        self._folder = folder
        self._store = store
        self._busy_seconds = busy_seconds
        self.closing = threading.Event()

    def sync(self, *, wait: bool) -> bool:
        """Bring the word index up to date; False if another process is at it and `wait` does not wait, or
        waited too long. Raises OSError and what the database raises."""
        with self._locked(self._busy_seconds if wait else 0.0) as mine:
            if mine:
                with self._store.reading() as (connection, state):
                    self._catch_up(connection, state)
            return mine

    def rebuild(self, damaged: str, *, wait: bool) -> bool:
        """A new word index in place of the one of that name, unless another process has seen to it. Returns and
        raises like `sync`."""
        with self._locked(self._busy_seconds if wait else 0.0) as mine:
            if mine:
                with self._store.reading() as (connection, state):
                    if state.directory == damaged:
                        self._build(connection, state)
            return mine

    def _catch_up(self, connection: sqlite3.Connection, state: State) -> None:
        try:
            with damage():
                index, words = self._opened(state)
            if is_current(connection, state, words.marker):
                return
            self._replay(connection, state, index, words)
        except Damaged as problem:
            if state.directory is not None:
                _log.info("index.words_rebuilt", reason=str(problem)[:200])
            self._build(connection, state)

    def _opened(self, state: State) -> tuple[tantivy.Index, Words]:
        if state.directory is None:
            raise Damaged("there is none yet")
        index = lexical.opened(self._folder / state.directory)
        return index, lexical.view(index)

    def _replay(
        self, connection: sqlite3.Connection, state: State, index: tantivy.Index, words: Words
    ) -> None:
        marker = words.marker
        if marker is None or not descends(connection, marker.gen, marker.nonce):
            raise Damaged("it belongs to another history of the database")
        changed = connection.execute("SELECT doc FROM changes WHERE words > ?", (marker.gen,))
        docs = [doc for (doc,) in changed]
        fresh = list(entries(connection, docs))
        crash_point("words.before_replay")
        with damage():
            write(index, docs, fresh, Marker(state.gen, state.nonce))

    def _build(self, connection: sqlite3.Connection, state: State) -> None:
        """Into a new directory: a damaged index is never repaired in place, and readers keep the old one."""
        name = PREFIX + secrets.token_hex(6)
        index = lexical.created(self._folder / name)
        crash_point("words.before_build")
        try:
            write(index, [], self._until_closed(entries(connection)), Marker(state.gen, state.nonce))
        except BaseException:
            self._sweep(keep=state.directory)
            raise
        self._store.name_directory(name)
        crash_point("words.named")
        self._sweep(keep=name)

    def _until_closed(self, every: Iterator[Entry]) -> Iterator[Entry]:
        for entry in every:
            if self.closing.is_set():
                raise Damaged("the program ends before a new one is built")
            yield entry

    def _sweep(self, keep: str | None) -> None:
        for old in self._folder.glob(f"{PREFIX}*"):
            if old.name != keep and old.is_dir():
                # Windows keeps a file that a reader has mapped; the next sweep takes it.
                shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[bool]:
        """Whether this process has the word index to itself.

        A file of its own, so that the database stays writable: SQLite's lock works on every system, can wait, and
        is freed when its holder is killed.
        """
        file = self._folder / "words.lock"
        make_private(file)
        with closing(sqlite3.connect(file, timeout=seconds, isolation_level=None)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                yield False
            else:
                yield True
