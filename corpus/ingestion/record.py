"""The record beside an index: who ingests at this moment and how far it has come, and which files could not be read.

It is derived and small. Where it is damaged or cannot be written the ingestion goes on without it; what it says of a
run whose process died is told apart, by a lock that ends with the process.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog
from filelock import FileLock

from corpus.locks import is_held, taken

log = structlog.get_logger()

FILE = "ingestion.sqlite3"
KEEPER = "ingestion.lock"
"""Held by the one process that keeps an index up with the folders of the settings."""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (lock TEXT PRIMARY KEY, pid INTEGER, started TEXT, facts TEXT);
CREATE TABLE IF NOT EXISTS failures (path TEXT PRIMARY KEY, reason TEXT, noticed TEXT);
CREATE TABLE IF NOT EXISTS speeds (name TEXT PRIMARY KEY, speed REAL);
"""
_WAIT_SECONDS = 5.0


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class RunState:
    """One run: files found and done, pages to read and read, pages and figures for text recognition and recognised,
    passages to embed and done, the time left as estimated at the last of these, what stands in its way, and where it
    works.

    `vectors` tells whether it makes some when all is read, `looks` that it still looks for files."""

    pid: int
    started: str
    roots: tuple[str, ...] = ()
    files: int = 0
    done: int = 0
    pages: int = 0
    pages_read: int = 0
    pictures: int = 0
    recognised: int = 0
    passages: int = 0
    embedded: int = 0
    watches: bool = False
    vectors: bool = True
    troubles: tuple[str, ...] = ()
    alive: bool = True
    looks: bool = False
    seconds_left: float | None = None

    @property
    def reads(self) -> bool:
        return self.done < self.files

    @property
    def recognises(self) -> bool:
        return self.recognised < self.pictures and not self.reads

    @property
    def embeds(self) -> bool:
        return self.embedded < self.passages and not self.reads and not self.recognises


_FACTS = {one.name for one in fields(RunState)} - {"pid", "started", "alive", "looks"}
"""A newer version may write others."""


@dataclass(frozen=True, slots=True)
class Failure:
    path: str
    reason: str
    noticed: str


@dataclass(frozen=True, slots=True)
class RecordState:
    runs: tuple[RunState, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass
class Run:
    """A run under way. It is kept as long as its lock is held."""

    folder: Path
    lock: FileLock
    facts: dict[str, object] = field(default_factory=dict)
    started: str = field(default_factory=now)

    def put(self, **facts: object) -> None:
        self.facts |= facts
        name = Path(self.lock.lock_file).name
        row = (name, os.getpid(), self.started, json.dumps(self.facts))
        _write(
            self.folder,
            "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)",
            [row],
        )

    def end(self) -> None:
        """The lock goes last: nobody is to find a run without one."""
        name = Path(self.lock.lock_file).name
        _write(self.folder, "DELETE FROM runs WHERE lock = ?", [(name,)])
        self.lock.release()
        if name != KEEPER:
            Path(self.lock.lock_file).unlink(missing_ok=True)


def begun(
    folder: Path,
    roots: Sequence[Path],
    *,
    lock: FileLock | None = None,
    watches: bool = False,
    vectors: bool = True,
) -> Run | None:
    """A run over these roots, with a lock of its own or that of the keeper; None where the folder takes no record."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = lock or taken(folder / f"ingestion-{secrets.token_hex(4)}.lock")
    except OSError as problem:
        log.warning("ingest.no_record", problem=str(problem))
        return None
    if held is None:
        return None
    _forget_the_dead(folder, but=Path(held.lock_file).name)
    run = Run(folder, held)
    run.put(roots=[str(root) for root in roots], watches=watches, vectors=vectors)
    return run


def failed(folder: Path, path: Path, reason: str) -> None:
    row = (kept(path), reason, now())
    _write(folder, "INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", [row])


def cleared(folder: Path, paths: Iterable[str]) -> None:
    """What is no failure any more: read since, or gone."""
    _write(folder, "DELETE FROM failures WHERE path = ?", [(one,) for one in paths])


def measured(folder: Path, speeds: Mapping[str, float]) -> None:
    """Speeds for the next run to begin its estimates with."""
    _write(folder, "INSERT OR REPLACE INTO speeds VALUES (?, ?)", list(speeds.items()))


def speeds_of(folder: Path) -> dict[str, float]:
    """Those that the last run measured. Blocks for a moment."""
    try:
        with closing(_connected(folder / FILE)) as connection:
            return dict(connection.execute("SELECT name, speed FROM speeds").fetchall())
    except (OSError, sqlite3.Error):
        return {}


def kept(path: Path) -> str:
    """A path as the record holds it: text, also where the path is none."""
    return os.fsencode(path).decode("utf-8", "replace")


def record_of(folder: Path) -> RecordState:
    """What the record says now; empty where there is none. Blocks for a moment."""
    file = folder / FILE
    if not file.exists():
        return RecordState()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            runs = connection.execute(
                "SELECT lock, pid, started, facts FROM runs ORDER BY started"
            ).fetchall()
            failures = connection.execute(
                "SELECT path, reason, noticed FROM failures ORDER BY path"
            ).fetchall()
    except sqlite3.Error:
        return RecordState()
    states = tuple(_state(folder, *row) for row in runs)
    return RecordState(states, tuple(Failure(*row) for row in failures))


def _state(folder: Path, lock: str, pid: int, started: str, facts: str) -> RunState:
    known: dict[str, Any] = {name: fact for name, fact in json.loads(facts).items() if name in _FACTS}
    known |= {name: tuple(known.get(name, ())) for name in ("roots", "troubles")}
    return RunState(pid, started, alive=is_held(folder / lock), looks="files" not in known, **known)


def _forget_the_dead(folder: Path, but: str) -> None:
    for lock in _locks(folder):
        if lock != but and not is_held(folder / lock):
            _write(folder, "DELETE FROM runs WHERE lock = ?", [(lock,)])
            if lock != KEEPER:
                (folder / lock).unlink(missing_ok=True)


def _locks(folder: Path) -> list[str]:
    try:
        with closing(_connected(folder / FILE)) as connection:
            return [str(lock) for (lock,) in connection.execute("SELECT lock FROM runs")]
    except sqlite3.Error:
        return []


def _write(folder: Path, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """One change. A record that cannot be written is no reason to stop what it tells of; a damaged one is made anew."""
    file = folder / FILE
    for _ in range(2):
        try:
            with closing(_connected(file)) as connection, connection:
                connection.executemany(statement, rows)
            return
        except (OSError, sqlite3.OperationalError) as problem:  # busy, or no right to write
            log.warning("ingest.no_record", problem=str(problem))
            return
        except sqlite3.DatabaseError as problem:
            log.warning("ingest.record_damaged", problem=str(problem))
            file.unlink(missing_ok=True)


def _connected(file: Path) -> sqlite3.Connection:
    # Names of files are nobody else's affair, also in a folder that others may look into. Closing a file that SQLite
    # has open would let go of its locks, so one that is there is not opened.
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(file, timeout=_WAIT_SECONDS)
    # Whatever is lost with a power cut is found again by the next run.
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(_TABLES)
    return connection
