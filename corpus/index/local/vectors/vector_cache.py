"""The vectors that a process searches, cached in memory and in memory-mapped files next to the database.

Both are derived from the database. A mapped file belongs to one embedder and one generation of the database, identified
by number and nonce, and is used only if that generation is in the database's history. A file is written under a
temporary name and renamed when it is complete. No name is used twice, so no file is replaced while it is mapped. When
blocks are deleted, files that contain their vectors are removed, and the next search publishes a new file.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import structlog

from corpus.embedding.protocol import Vectors
from corpus.index.local.sqlite_file import new_private_file
from corpus.index.local.store import State, Store, descends
from corpus.index.local.vectors import kernel, matrix, vector_file
from corpus.index.local.vectors.kernel import Coarse, Codebook
from corpus.index.local.vectors.matrix import Matrix, RowsByBlock, columns_of
from corpus.index.local.vectors.vector_file import (
    UNKNOWN_POSITION,
    Columns,
    Header,
    InvalidVectorFile,
    MappedFile,
    ProductCodes,
)

_log = structlog.get_logger()

PREFIX, SUFFIX, PART_SUFFIX = "vectors-", ".flat", ".part"
ROWS_PER_WRITE = 16_384
"""Number of rows per write to a file, which limits the memory for the copy of the live rows."""
MAX_PART_SECONDS = 3_600
"""Maximum age in seconds of an unfinished file. An older file was left behind by a process that died."""

MIN_FILE_ROWS = 1_000
"""Minimum number of rows for which a file is written. Fewer rows load quickly from the database."""
REWRITE_FRACTION = 8
"""Fraction of rows, as a divisor, after whose addition or removal a file is rewritten: one in this many."""
PAUSE_FACTOR = 10
"""Ratio of the pause before a process writes a file again to the duration of its last write. Without a pause, the file
of a large index that loses a document every second would be rewritten every second."""


class VectorCache:
    """The vector cache of a process. Thread-safe.

    If a process had to load the vectors from the database, or has many vectors that no file contains, it writes a file
    in a background thread, for itself and for later processes.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folder = VectorFolder(store.file.parent, store)
        self._matrix: tuple[int, Matrix] | None = None
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None
        self._written_gen: int | None = None
        self._next_write = 0.0

    def of(self, connection: sqlite3.Connection, state: State, embedder: int, name: str, *, newer: bool) -> Matrix:
        """Return the vectors of this generation, or, with `newer`, those of a later generation if another thread has
        already loaded them. `embedder` is the row id of the embedder, and `name` is its name."""
        with self._lock:
            cached = self._matrix[1] if self._matrix and self._matrix[0] == embedder else None
            if cached and newer and cached.gen > state.gen:
                return cached
            if cached is None or self._has_better_file(cached):
                cached = self._folder.newest(connection, state, name) or cached
            current = matrix.current(connection, state, embedder, cached)
            self._matrix = (embedder, current)
            self._write_file(current, name)
            return current

    def close(self) -> None:
        """Wait until the file that is being written is complete, and release the cached vectors."""
        if self._writer:
            self._writer.join()
        with self._lock:
            self._matrix = None

    def _has_better_file(self, cached: Matrix) -> bool:
        """Return whether the background thread has finished a file that contains more than the file of the cached
        matrix."""
        finished = self._writer is not None and not self._writer.is_alive()
        if finished:
            self._writer = None
        return finished and _deserves_file(cached)

    def _write_file(self, current: Matrix, name: str) -> None:
        if self._store.read_only or self._writer or not _deserves_file(current):
            return
        if self._written_gen == current.gen or time.monotonic() < self._next_write:
            return
        self._written_gen = current.gen
        self._writer = threading.Thread(target=self._publish, args=(current, name), daemon=True)
        self._writer.start()

    def _publish(self, current: Matrix, name: str) -> None:
        started = time.monotonic()
        try:
            self._folder.publish(current, name)
        except Exception as problem:  # searches keep using the matrix in memory
            _log.info("index.vectors_not_written", reason=str(problem)[:200])
        ended = time.monotonic()
        self._next_write = ended + PAUSE_FACTOR * (ended - started)


def _deserves_file(cached: Matrix) -> bool:
    rows = len(cached.columns.blocks)
    saved = cached.file is not None and cached.file.exists()
    unsaved = len(cached.tail) + cached.dead if saved else rows
    enough = rows - cached.dead >= MIN_FILE_ROWS and unsaved * REWRITE_FRACTION > rows
    return enough or (saved and not cached.coarse and _codable(cached))


def _codable(cached: Matrix) -> bool:
    return kernel.possible(len(cached.columns.blocks) - cached.dead, cached.dimensions)


class VectorFolder:
    """The mapped files in the folder of one index. Several threads and processes may use the folder concurrently."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._store = store

    def newest(self, connection: sqlite3.Connection, state: State, embedder: str) -> Matrix | None:
        """Map and return the newest valid file whose generation is in the history of this view of the database, or
        return None."""
        for path, header in sorted(self._headers(), key=lambda entry: (-entry[1].gen, not entry[1].coded)):
            fits = header.embedder == vector_file.embedder_digest(embedder) and header.gen <= state.gen
            if not fits or not descends(connection, header.gen, header.nonce):
                continue
            try:
                file = vector_file.map_file(path)
            except InvalidVectorFile as problem:
                self._discard(path, problem)
                continue
            except (OSError, ValueError) as problem:  # not enough memory to map it, or no permission to read it
                _log.info("index.vectors_not_mapped", reason=str(problem)[:200])
                continue
            return Matrix(
                header.gen, header.nonce, file.columns, file.codes, file.codes[:0],
                RowsByBlock(file.columns.blocks), file=path, coarse=_coarse(file),
            )  # fmt: skip
        return None

    def publish(self, matrix: Matrix, embedder: str) -> None:
        """Write this matrix to a file, and remove older files. If writing fails, the folder remains unchanged."""
        if self._store.read_only:
            return
        columns, codable = self._with_places(matrix.living()), _codable(matrix)
        header = Header.of(embedder, matrix.gen, matrix.nonce, matrix.dimensions, columns, coded=codable)
        path = self._folder / _file_name(header)
        if path.exists():
            return
        coded = _product_codes(matrix) if codable else None
        part = self._folder / f"{PREFIX}{secrets.token_hex(6)}{PART_SUFFIX}"
        try:
            with new_private_file(part) as file:
                codes = (codes for codes, _ in matrix.pieces(ROWS_PER_WRITE))
                vector_file.write(file, header, columns, codes, coded)
            part.replace(path)
        except OSError as problem:
            _log.info("index.vectors_not_written", reason=str(problem)[:200])
            with suppress(OSError):
                part.unlink()
            return
        self._sweep(path, matrix.gen)
        # Documents may have been deleted while the file was being written.
        self.remove_outdated()

    def _with_places(self, columns: Columns) -> Columns:
        """Fill in missing positions and languages from the database. Blocks may have changed since the matrix was read,
        but every process that maps the file treats these as dead."""
        unknown = np.flatnonzero(columns.positions == UNKNOWN_POSITION)
        with self._store.reading() as (connection, _):
            columns_found = columns_of(connection, columns.blocks[unknown])
        positions, languages = columns.positions.copy(), columns.languages.copy()
        positions[unknown], languages[unknown] = columns_found
        return columns._replace(positions=positions, languages=languages)

    def remove_outdated(self) -> None:
        """Remove files that contain vectors of deleted blocks, and files whose generation is not in the database's
        history."""
        if self._store.read_only:
            return
        paths = [*self._folder.glob(f"{PREFIX}*{SUFFIX}")]
        if not paths:
            return
        with self._store.reading() as (connection, state):
            for path in paths:
                try:
                    valid = _is_valid(path, connection, state)
                except (InvalidVectorFile, OSError, ValueError):
                    valid = False
                if not valid:
                    _remove(path)

    def _headers(self) -> Iterator[tuple[Path, Header]]:
        for path in self._folder.glob(f"{PREFIX}*{SUFFIX}"):
            try:
                header = vector_file.read_header(path)
                if path.name != _file_name(header):
                    raise InvalidVectorFile("not what its name says")
            except InvalidVectorFile as problem:
                self._discard(path, problem)
            except OSError:
                continue
            else:
                yield path, header

    def _discard(self, path: Path, problem: InvalidVectorFile) -> None:
        _log.info("index.vectors_unusable", reason=str(problem)[:200])
        if not self._store.read_only:
            _remove(path)

    def _sweep(self, keep: Path, gen: int) -> None:
        for path, header in self._headers():
            if path != keep and header.gen <= gen:
                _remove(path)
        for part in self._folder.glob(f"{PREFIX}*{PART_SUFFIX}"):
            with suppress(OSError):
                if part.stat().st_mtime < time.time() - MAX_PART_SECONDS:
                    part.unlink()


def remove_files(folder: Path) -> None:
    """Remove all mapped files. The next search reads the vectors from the database."""
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        _remove(path)


def _is_valid(path: Path, connection: sqlite3.Connection, state: State) -> bool:
    """Return whether a file's generation is in the database's history, and the database still has every block in the
    file."""
    header = vector_file.read_header(path)
    if not descends(connection, header.gen, header.nonce):
        return False
    if header.gen >= state.gen:
        return True
    changed = connection.execute("SELECT doc FROM changes WHERE gen > ?", (header.gen,)).fetchall()
    # The mapping is released on return, because Windows does not remove a mapped file.
    columns = vector_file.map_file(path).columns
    rows = np.flatnonzero(np.isin(columns.docs, np.array([doc for (doc,) in changed], dtype=np.int64)))
    known = [
        block
        for doc in np.unique(columns.docs[rows]).tolist()
        for (block,) in connection.execute("SELECT id FROM blocks WHERE doc = ?", (doc,))
    ]
    return bool(np.isin(columns.blocks[rows], np.array(known, dtype=np.int64)).all())


def _product_codes(matrix: Matrix) -> ProductCodes:
    def vectors(every: int) -> Iterator[Vectors]:
        for codes, scales in matrix.pieces(ROWS_PER_WRITE):
            yield codes[::every] * scales[::every, None]

    every = -(-(len(matrix.columns.blocks) - matrix.dead) // kernel.MAX_SAMPLE)
    codebook = Codebook.of(np.concatenate([*vectors(every)]))
    return ProductCodes(codebook, codebook.coded(vectors(1)))


def _coarse(file: MappedFile) -> Coarse | None:
    """Return the product codes, or None if there are none or the optional package faiss is not installed."""
    if not file.product_codes or not kernel.possible(file.header.rows, file.header.dimensions):
        return None
    return Coarse(*file.product_codes, file.header.rows)


def _file_name(header: Header) -> str:
    kind = "-coded" if header.coded else ""
    return f"{PREFIX}{header.embedder.hex()[:8]}-{header.gen}-{header.nonce}{kind}{SUFFIX}"


def _remove(path: Path) -> None:
    # Windows does not delete a file while a process has it mapped. It is removed the next time.
    with suppress(OSError):
        path.unlink()
