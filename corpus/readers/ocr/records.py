"""Stored OCR results of documents in progress, in a file next to the index.

The file contains only derived data: if it is lost or damaged, OCR runs again. A finished document needs no record,
because its blocks are in the index.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable
from contextlib import closing
from pathlib import Path

import structlog

from corpus.readers.ocr.engine import Piece, RecognitionResult, corners_of

log = structlog.get_logger()

FILE = "recognition.sqlite3"

_TABLES = """
CREATE TABLE IF NOT EXISTS recognised (
    content_hash TEXT, place TEXT, engine TEXT, found TEXT, PRIMARY KEY (content_hash, place, engine)
) WITHOUT ROWID;
"""
_WAIT_SECONDS = 5.0  # Maximum seconds to wait for another process; a write takes milliseconds.


class Records:
    """The records of one engine in one file. Each method opens the file and blocks briefly."""

    def __init__(self, file: Path, engine: str) -> None:
        self._file, self._engine = file, engine
        self.folder = file.parent

    def of(self, content_hash: str, place: str) -> RecognitionResult | None:
        """Return the result for `place` in a file with these bytes, or None if there is none."""
        rows = self._rows("SELECT found FROM recognised WHERE content_hash = ? AND place = ? AND engine = ?",
                          (content_hash, place, self._engine))  # fmt: skip
        return _from_text(rows[0][0]) if rows else None

    def places(self, content_hash: str) -> frozenset[str]:
        """Return the places that have a result, or a failure, in a file with these bytes."""
        rows = self._rows("SELECT place FROM recognised WHERE content_hash = ? AND engine = ?",
                          (content_hash, self._engine))  # fmt: skip
        return frozenset(place for (place,) in rows)

    def put(self, content_hash: str, place: str, result: RecognitionResult) -> None:
        """Store a result. Raises OSError if the folder is not writable."""
        row = (content_hash, place, self._engine, _text(result))
        self._write("INSERT OR REPLACE INTO recognised VALUES (?, ?, ?, ?)", [row])

    def forget(self, content_hash: str) -> None:
        """Delete the results of all engines for a file with these bytes."""
        if self._file.exists():
            self._write("DELETE FROM recognised WHERE content_hash = ?", [(content_hash,)])

    def keep_only(self, content_hashes: Collection[str]) -> None:
        """Delete the results of all other files."""
        recorded = {content_hash for (content_hash,) in self._rows("SELECT DISTINCT content_hash FROM recognised")}
        if obsolete := recorded.difference(content_hashes):
            self._write("DELETE FROM recognised WHERE content_hash = ?", [(digest,) for digest in obsolete])

    def _rows(self, query: str, values: Iterable[str] = ()) -> list[tuple[str, ...]]:
        if not self._file.exists():
            return []
        try:
            uri = f"{self._file.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS)) as connection:
                return connection.execute(query, tuple(values)).fetchall()
        except sqlite3.Error as problem:
            log.warning("recognition.no_record", problem=str(problem))
            return []

    def _write(self, statement: str, rows: list[tuple[str, ...]]) -> None:
        for _ in range(2):
            try:
                with closing(self._connect()) as connection, connection:
                    connection.executemany(statement, rows)
                return
            except sqlite3.OperationalError as problem:  # locked for too long, disk full, or no permission to write
                raise OSError(f"{self._file} cannot be written: {problem}") from problem
            except sqlite3.DatabaseError as problem:
                log.warning("recognition.record_damaged", problem=str(problem))
                self._file.unlink(missing_ok=True)

    def _connect(self) -> sqlite3.Connection:
        # The file is private even in a folder that others can read, because it contains words of documents.
        if not self._file.exists():
            os.close(os.open(self._file, os.O_CREAT | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(self._file, timeout=_WAIT_SECONDS)
        # This setting survives a killed process. After a power cut, OCR runs again.
        connection.execute("PRAGMA synchronous = OFF")
        # Overwrite deleted rows, so that no words of a removed document remain.
        connection.execute("PRAGMA secure_delete = ON")
        connection.executescript(_TABLES)
        return connection


def _text(result: RecognitionResult) -> str:
    pieces = [[piece.text, [round(n, 1) for corner in piece.corners for n in corner]] for piece in result.pieces]
    return json.dumps([pieces, result.size, result.pixels_a_point, result.failure, result.picture])


def _from_text(text: str) -> RecognitionResult:
    pieces, size, pixels_a_point, failure, picture = json.loads(text)
    return RecognitionResult(
        pieces=tuple(Piece(text, corners_of(numbers)) for text, numbers in pieces),
        size=(size[0], size[1]),
        pixels_a_point=pixels_a_point,
        failure=failure,
        picture=picture,
    )
