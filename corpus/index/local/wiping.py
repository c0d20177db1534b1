"""Overwriting, in a mapped file of vectors, what belongs to blocks that are gone.

Whoever has the file mapped sees zeros where they stood; no search may find them any more.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from corpus.index.local.flat import COLUMNS_AT, WIPED, WIPED_AT, Header, Unusable


class Wiping:
    """A file opened to overwrite codes; a context manager. Raises Unusable and OSError."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("r+b", buffering=0)
        try:
            start = self._file.read(COLUMNS_AT)
            self.header = Header.read(start)
            (self.wiped,) = WIPED.unpack_from(start, WIPED_AT)
            if os.fstat(self._file.fileno()).st_size != self.header.size:
                raise Unusable("cut")
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def column(self, number: int) -> NDArray[np.int64]:
        at, kind = list(self.header.places())[number]
        self._file.seek(at)
        return np.frombuffer(self._file.read(self.header.rows * np.dtype(kind).itemsize), kind)

    def wipe(self, rows: NDArray[np.intp], gen: int) -> None:
        """Zeros in place of the codes of these rows, ascending; all that is gone up to `gen` is now wiped."""
        width = self.header.dimensions
        runs = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1) if len(rows) else []
        for run in runs:
            self._file.seek(self.header.codes_at + int(run[0]) * width)
            self._file.write(b"\0" * (len(run) * width))
        self._file.seek(WIPED_AT)
        self._file.write(WIPED.pack(gen))


def gone(connection: sqlite3.Connection, file: Wiping) -> NDArray[np.intp]:
    """Rows of blocks that went since the file was last wiped."""
    changed = connection.execute("SELECT doc FROM changes WHERE gen > ?", (file.wiped,)).fetchall()
    docs = np.array([doc for (doc,) in changed], dtype=np.int64)
    rows = np.flatnonzero(np.isin(file.column(1), docs))
    if not len(rows):
        return rows
    there = [
        block
        for doc in docs.tolist()
        for (block,) in connection.execute("SELECT id FROM blocks WHERE doc = ?", (doc,))
    ]
    return rows[~np.isin(file.column(0)[rows], np.array(there, dtype=np.int64))]
