"""Keep the BM25 index in sync with the database: apply changes, or build a new index.

The database commits first and increments its generation. The BM25 index stores, in its own commit, the generation that
it contains. Both generation and nonce are compared, because after an older database is restored, the same generation
numbers are used again with different content. Any process may update the index, but only one at a time. A process may
be killed at any point.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any, Literal

import structlog
import tantivy

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.index.local import bm25, sqlite_file
from corpus.index.local.bm25 import DamagedIndex, Entry, Marker, Words, tantivy_errors, write
from corpus.index.local.documents_and_blocks import KINDS, Unit, outline_from, page_unit
from corpus.index.local.sqlite_file import make_private
from corpus.index.local.store import State, Store, crash_point, descends
from corpus.places import places_of
from corpus.text import analysis

_log = structlog.get_logger()

PREFIX = "words-"
"""Prefix of the names of BM25 index directories. `words.lock` is next to them."""

MAX_ALWAYS_COMPACTED = 2_000
"""Maximum number of entries in an index that is always compacted, because rebuilding it takes well under a second."""
MIN_ENTRIES_PER_REMOVED = 200
"""Number of live entries per removed entry above which an index is not compacted, because removed entries then change a
score by less than 0.1 %."""


def _make_private(directory: Path) -> None:
    """Restrict the permissions of tantivy's files, which follow the umask."""
    for file in directory.iterdir():
        with suppress(FileNotFoundError):  # a merge removed it in the meantime
            file.chmod(0o600)


def is_current(connection: sqlite3.Connection, state: State, marker: Marker | None) -> bool:
    """Return whether a BM25 index with this marker contains all text in this view of the database."""
    return marker is not None and marker.gen >= state.words and descends(connection, marker.gen, marker.nonce)


def backlog(connection: sqlite3.Connection, marker: Marker | None) -> int:
    """Return how many blocks a BM25 index with this marker does not contain yet."""
    since = marker.gen if marker and descends(connection, marker.gen, marker.nonce) else -1
    (count,) = connection.execute(
        "SELECT coalesce(sum(blocks), 0) FROM changes JOIN documents ON documents.id = doc WHERE words > ?",
        (since,),
    ).fetchone()
    return int(count)


def check_format(directory: str) -> None:
    """Raise DamagedIndex if the directory has a different format version, because its fields are then different."""
    if not directory.startswith(f"{PREFIX}{bm25.FORMAT}-"):
        raise DamagedIndex("another version wrote it")


class BM25Sync:
    """Writes the BM25 index of one folder."""

    def __init__(self, folder: Path, store: Store, busy_seconds: float) -> None:
        self._folder = folder
        self._store = store
        self._busy_seconds = busy_seconds
        self.closing = threading.Event()

    def sync(self, *, wait: bool) -> bool:
        """Bring the BM25 index up to date. Return False if another process holds the lock or, with `wait`, holds it for
        too long. Raises OSError and database errors."""
        with self._lock(self._busy_seconds if wait else 0.0) as acquired:
            if acquired:
                with self._store.reading() as (connection, state):
                    self._catch_up(connection, state)
            return acquired

    def rebuild(self, damaged: str, *, wait: bool) -> bool:
        """Build a new BM25 index to replace the one in the directory `damaged`, unless another process has already done
        so. The result and errors are those of `sync`."""
        with self._lock(self._busy_seconds if wait else 0.0) as acquired:
            if acquired:
                with self._store.reading() as (connection, state):
                    if state.directory == damaged:
                        self._build(connection, state)
            return acquired

    def compact(self) -> None:
        """Rebuild the index if it contains enough removed entries to matter. Raises OSError and database errors."""
        with self._lock(self._busy_seconds) as acquired:
            if not acquired:
                return
            with self._store.reading() as (connection, state):
                self._catch_up(connection, state)
            with self._store.reading() as (connection, state):
                if state.directory is None:
                    return
                with tantivy_errors():
                    _, words = self._open(state)
                    present, removed = bm25.entry_counts(words)
                if removed and (present <= MAX_ALWAYS_COMPACTED or removed * MIN_ENTRIES_PER_REMOVED > present):
                    self._build(connection, state)

    def _catch_up(self, connection: sqlite3.Connection, state: State) -> None:
        try:
            with tantivy_errors():
                index, words = self._open(state)
            if is_current(connection, state, words.marker):
                return
            self._apply_changes(connection, state, index, words)
        except DamagedIndex as problem:
            if state.directory is not None:
                _log.info("index.words_rebuilt", reason=str(problem)[:200])
            self._build(connection, state)

    def _open(self, state: State) -> tuple[tantivy.Index, Words]:
        if state.directory is None:
            raise DamagedIndex("there is none yet")
        check_format(state.directory)
        index = bm25.open_index(self._folder / state.directory)
        return index, bm25.view(index)

    def _apply_changes(self, connection: sqlite3.Connection, state: State, index: tantivy.Index, words: Words) -> None:
        marker = words.marker
        if marker is None or not descends(connection, marker.gen, marker.nonce):
            raise DamagedIndex("it belongs to another history of the database")
        changes = connection.execute("SELECT doc FROM changes WHERE words > ?", (marker.gen,))
        docs = [doc for (doc,) in changes]
        new_entries = list(entries(connection, docs))
        crash_point("words.before_replay")
        with tantivy_errors():
            write(index, docs, new_entries, Marker(state.gen, state.nonce))
        _make_private(self._folder / str(state.directory))

    def _build(self, connection: sqlite3.Connection, state: State) -> None:
        """Build the index in a new directory. The old index is never changed, because it may be damaged and readers
        have it open."""
        name = f"{PREFIX}{bm25.FORMAT}-{secrets.token_hex(6)}"
        index = bm25.create_index(self._folder / name)
        crash_point("words.before_build")
        try:
            write(index, [], self._until_closing(entries(connection)), Marker(state.gen, state.nonce))
        except BaseException:
            self._sweep(keep=state.directory)
            raise
        _make_private(self._folder / name)
        self._store.name_directory(name)
        crash_point("words.named")
        self._sweep(keep=name)

    def _until_closing(self, all_entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in all_entries:
            if self.closing.is_set():
                raise DamagedIndex("the program ends before a new one is built")
            yield entry

    def _sweep(self, keep: str | None) -> None:
        for old in self._folder.glob(f"{PREFIX}*"):
            if old.name != keep and old.is_dir():
                # Windows does not delete a file while a reader has it mapped. It is removed the next time.
                shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def _lock(self, seconds: float) -> Iterator[bool]:
        """Acquire the exclusive lock, and yield whether that succeeded.

        The lock is a separate SQLite database, so that the index's database remains writable. SQLite's lock works on
        every operating system, can wait, and is released if its holder is killed.
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


_BLOCKS = (
    "SELECT id, doc, block_type, content, image_caption, heading, page_number, page_label, language, "
    "passage IS NOT NULL, position FROM blocks"
)
_DOCUMENT = "SELECT title, filename, document_type, page_count, language, outline FROM documents WHERE id = ?"


def entries(connection: sqlite3.Connection, docs: Iterable[int] | None = None) -> Iterator[Entry]:
    """Yield the entries of these documents, or of all documents, in the order of their row ids."""
    if docs is None:
        rows = connection.execute(f"{_BLOCKS} ORDER BY id")
    else:
        where = "WHERE doc IN (SELECT value FROM json_each(?)) ORDER BY id"
        rows = connection.execute(f"{_BLOCKS} {where}", (json.dumps(list(docs)),))

    @lru_cache(maxsize=64)
    def document_of(doc: int) -> tuple[Document, tuple[str, ...]]:
        title, filename, kind, pages, language, outline = connection.execute(_DOCUMENT, (doc,)).fetchone()
        document = Document(
            doc_id="", filename=filename, title=title, document_type=kind, page_count=pages, language=language,
            outline=outline_from(outline),
        )  # fmt: skip
        return document, _names(document)

    for doc, of_document in groupby(rows, itemgetter(1)):
        yield from _of_pages([_entry(row, *document_of(doc)) for row in of_document])


def _of_pages(blocks: list[tuple[Unit, Entry]]) -> Iterator[Entry]:
    pages: dict[Unit, list[str]] = {}
    for unit, entry in blocks:
        pages.setdefault(unit, []).append(entry.body)
    for unit, entry in blocks:
        yield replace(entry, page_body=" ".join(pages.pop(unit, ())))


def _entry(row: tuple[Any, ...], document: Document, names: tuple[str, ...]) -> tuple[Unit, Entry]:
    number, doc, kind, content, caption, heading, page, label, language, has_words, position = row
    block = Block(
        block_id="", doc_id="", block_type=kind, content=content, image_caption=caption, page_number=page,
        page_label=label, heading=heading,
    )  # fmt: skip
    places = " ".join(sorted(place.term for place in places_of(block, document)))
    unit = page_unit(doc, page, position)
    if not has_words:  # a picture without text must not match its document's name
        return unit, Entry(number, doc, page or 0, KINDS[kind], places=places)
    language = language or document.language
    words = analysis.written_words(f"{caption}\n{content}" if caption else content)
    body = " ".join(analysis.stem_words(words, language))
    context = " ".join((*names, *analysis.stem_words(analysis.written_words(heading or ""), language)))
    return unit, Entry(number, doc, page or 0, KINDS[kind], body, " ".join(words), context, places=places)


def _names(document: Document) -> tuple[str, ...]:
    """Return the terms of a document's title and file name. If the file name only repeats the title, it is omitted."""
    words = analysis.terms(document.title, document.language)
    stem = analysis.terms(PurePath(document.filename).stem, document.language)
    return (*words, *(term for term in stem if term not in words))


Health = Literal["current", "behind", "missing"]
"""State of a BM25 index. If it is `behind`, it lacks the latest changes but is usable; if it is `missing`, it does not
exist or is damaged."""

MAX_INLINE_BLOCKS = 2_000
"""Maximum number of blocks to index while a search waits, which takes well under a second. More blocks are indexed in a
background thread."""


class BM25Index:
    """The BM25 index as one process uses it. The threads of the process share the views."""

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
        """Return the best view of the BM25 index for this view of the database, and its health. If there is no text to
        search, return None and `current`."""
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
        """Return a directory through which tantivy can read the index."""
        if self._links:
            self._links.close()
        self._links = SymlinkFolder(self._folder / directory) if self._store.read_only else None
        return self._links.path if self._links else self._folder / directory

    def mark_damaged(self, state: State) -> None:
        """Stop using this index, because a search of it failed."""
        with self._lock:
            self._damaged_directory, self._open, self._view = state.directory, None, None

    def repair(self, state: State, health: Health, work: int) -> bool:
        """Bring the BM25 index up to date, unless another process is doing so. `work` is the number of blocks to index.
        If there are many, they are indexed in a background thread, and the search continues without them. Return
        whether the caller should open the view again."""
        with self._lock:
            if self._failed_state == state or (self._repair_thread and self._repair_thread.is_alive()):
                return False
            if work > MAX_INLINE_BLOCKS:
                self._repair_thread = threading.Thread(target=self._try_repair, args=(state, health), daemon=True)
                self._repair_thread.start()
                return False
        return self._try_repair(state, health)

    def catch_up(self) -> None:
        """Apply the changes after a write. If that fails, the next search tries again, because the changes are in the
        database."""
        with self._store.reading() as (_, state):
            pass
        if not self._try_repair(state, "behind", wait=True):
            _log.warning("index.words_behind")

    def compact(self) -> None:
        """Drop removed entries if there are many. Raises the same errors as `BM25Sync.compact`."""
        with suppress(DamagedIndex):
            self._sync.compact()

    def rebuild(self) -> bool:
        """Rebuild the index even if it is healthy. Return False if another process holds the lock for too long. Raises
        the same errors as `BM25Sync.sync`, and NotConfigured if the folder is read-only."""
        with self._store.reading() as (_, state):
            pass
        if self._store.read_only:
            raise sqlite_file.read_only(self._folder)
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
            # An index that failed during a search may still open without an error, so rebuild it.
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
    """A temporary folder with links to the files of an index in a read-only folder.

    tantivy creates a lock file next to the files that it reads, which is impossible in a read-only folder.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self._folder = TemporaryDirectory(prefix="ibid-words-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        self.refresh()

    def refresh(self) -> None:
        """Create links to the files that another process has added."""
        for file in self._directory.iterdir():
            link = self.path / file.name
            if file.suffix != ".lock" and not link.is_symlink():
                link.symlink_to(file)

    def close(self) -> None:
        """Remove the links."""
        self._folder.cleanup()
