"""The mapped files of vectors beside a database: which one fits, how a new one comes, and what is wiped from it.

Derived and dispensable: a file belongs to one embedder and to one generation of one history of the database, by number
and nonce, and is used only while that is part of the history. It is written under another name, and gets its own,
which no other file ever has, when it is whole; so none is replaced while somebody has it mapped.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import structlog

from corpus.index.local import flat
from corpus.index.local.changes import State, descends
from corpus.index.local.flat import Header, Unusable
from corpus.index.local.matrix import Matrix
from corpus.index.local.store import Store
from corpus.index.local.wiping import Wiping, gone

_log = structlog.get_logger()

PREFIX, ENDING, UNFINISHED = "vectors-", ".flat", ".part"
AT_ONCE = 16_384
"""Rows written in one piece."""
FORGOTTEN = 3_600
"""Seconds after which an unfinished file is one that nobody writes any more."""


class VectorFiles:
    """Those in one index's folder. Safe to use from several threads and processes."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._store = store

    def newest(self, connection: sqlite3.Connection, state: State, embedder: str) -> Matrix | None:
        """The newest whole file that this view of the database descends from, mapped."""
        for path, header in sorted(self._headers(), key=lambda one: -one[1].gen):
            fits = header.embedder == flat.digest(embedder) and header.gen <= state.gen
            if not fits or not descends(connection, header.gen, header.nonce):
                continue
            try:
                found, columns, codes = flat.mapped(path)
            except Unusable as problem:
                self._discard(path, problem)
                continue
            except (OSError, ValueError) as problem:  # no memory to map it in, no right to read it
                _log.info("index.vectors_not_mapped", reason=str(problem)[:200])
                continue
            return Matrix(found.gen, found.nonce, columns, codes, codes[:0], from_file=True)
        return None

    def publish(self, matrix: Matrix, embedder: str) -> None:
        """A file of this matrix, and none of an older one. What fails leaves things as they are."""
        if self._store.read_only:
            return
        columns = matrix.living()
        header = Header.of(embedder, matrix.gen, matrix.nonce, matrix.dimensions, columns)
        path = self._folder / _name(header)
        if path.exists():
            return
        part = self._folder / f"{PREFIX}{secrets.token_hex(6)}{UNFINISHED}"
        try:
            with os.fdopen(
                os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, 0o600), "wb"
            ) as file:
                flat.write(file, header, columns, matrix.pieces(AT_ONCE))
            part.replace(path)
        except OSError as problem:
            _log.info("index.vectors_not_written", reason=str(problem)[:200])
            with suppress(OSError):
                part.unlink()
            return
        self._sweep(path, matrix.gen)
        # Documents may have gone while it was written.
        self.wipe()

    def wipe(self) -> None:
        """Overwrite the vectors of blocks that the database no longer has; a file of another history goes."""
        if self._store.read_only:
            return
        paths = [*self._folder.glob(f"{PREFIX}*{ENDING}")]
        if not paths:
            return
        with self._store.reading() as (connection, state):
            for path in paths:
                try:
                    with Wiping(path) as file:
                        known = descends(connection, file.header.gen, file.header.nonce)
                        if known and file.wiped < state.gen:
                            file.wipe(gone(connection, file), state.gen)
                except (Unusable, OSError):
                    known = False
                if not known:
                    _remove(path)

    def _headers(self) -> Iterator[tuple[Path, Header]]:
        for path in self._folder.glob(f"{PREFIX}*{ENDING}"):
            try:
                header = flat.header_of(path)
                if path.name != _name(header):
                    raise Unusable("not what its name says")
            except Unusable as problem:
                self._discard(path, problem)
            except OSError:
                continue
            else:
                yield path, header

    def _discard(self, path: Path, problem: Unusable) -> None:
        _log.info("index.vectors_unusable", reason=str(problem)[:200])
        if not self._store.read_only:
            _remove(path)

    def _sweep(self, keep: Path, gen: int) -> None:
        for path, header in self._headers():
            if path != keep and header.gen <= gen:
                _remove(path)
        for part in self._folder.glob(f"{PREFIX}*{UNFINISHED}"):
            with suppress(OSError):
                if part.stat().st_mtime < time.time() - FORGOTTEN:
                    part.unlink()


def remove_all(folder: Path) -> None:
    """For a database that is to have new ones: the next search reads the vectors from it."""
    for path in folder.glob(f"{PREFIX}*{ENDING}"):
        _remove(path)


_BINARY = getattr(os, "O_BINARY", 0)


def _name(header: Header) -> str:
    return f"{PREFIX}{header.embedder.hex()[:8]}-{header.gen}-{header.nonce}{ENDING}"


def _remove(path: Path) -> None:
    # Windows keeps a file that somebody has mapped; the next sweep takes it.
    with suppress(OSError):
        path.unlink()
