"""A log file next to the index, with the current runs and their progress, and the files that could not be read."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import structlog
from filelock import FileLock

from corpus.ingestion.paths import is_there, is_under
from corpus.ingestion.report import Outcome, Progress
from corpus.ingestion.time_left import TimeLeft
from corpus.processes.locks import acquire, is_locked

log = structlog.get_logger()


FILE = "ingestion.sqlite3"
KEEPER = "ingestion.lock"
"""Name of the lock file held by the process that keeps an index in sync with the configured folders."""

_TABLES = """
CREATE TABLE IF NOT EXISTS runs (lock TEXT PRIMARY KEY, pid INTEGER, started TEXT, facts TEXT);
CREATE TABLE IF NOT EXISTS failures (path TEXT PRIMARY KEY, reason TEXT, noticed TEXT);
CREATE TABLE IF NOT EXISTS speeds (name TEXT PRIMARY KEY, speed REAL);
"""
_WAIT_SECONDS = 5.0
"""Seconds to wait for the database lock, which other processes hold only for one small write."""


def timestamp() -> str:
    """Return the current UTC time in ISO 8601 format."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of one run: totals and completed numbers of files, pages, pictures (for OCR) and passages (for
    embedding), the estimated seconds left, and current problems.

    `watches` is true if the run continues until it is stopped, `vectors` if it embeds after reading, and `looks` if it
    is still searching for files.
    """

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
        """Whether files are being read."""
        return self.done < self.files

    @property
    def recognises(self) -> bool:
        """Whether reading is finished and OCR is running."""
        return self.recognised < self.pictures and not self.reads

    @property
    def embeds(self) -> bool:
        """Whether only embedding is left."""
        return self.embedded < self.passages and not self.reads and not self.recognises


_FACTS = {field_.name for field_ in fields(RunState)} - {"pid", "started", "alive", "looks"}
"""Fields stored as facts. A newer version may store other fields, which are ignored."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read, with the reason and the time at which this was noticed."""

    path: str
    reason: str
    noticed: str


@dataclass(frozen=True, slots=True)
class LogState:
    """The content of the log: runs, and failures sorted by path."""

    runs: tuple[RunState, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass
class Run:
    """A running ingestion. Its entry is valid while its lock is held."""

    folder: Path
    lock: FileLock
    facts: dict[str, object] = field(default_factory=dict)
    started: str = field(default_factory=timestamp)

    def put(self, **facts: object) -> None:
        """Store facts about the run."""
        self.facts |= facts
        name = Path(self.lock.lock_file).name
        row = (name, os.getpid(), self.started, json.dumps(self.facts))
        _write(self.folder, "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", [row])

    def end(self) -> None:
        """Remove the entry, then release the lock, so that there is never an entry without a lock."""
        name = Path(self.lock.lock_file).name
        _write(self.folder, "DELETE FROM runs WHERE lock = ?", [(name,)])
        self.lock.release()
        if name != KEEPER:
            Path(self.lock.lock_file).unlink(missing_ok=True)


def start_run(
    folder: Path,
    roots: Sequence[Path],
    *,
    lock: FileLock | None = None,
    watches: bool = False,
    vectors: bool = True,
) -> Run | None:
    """Start a run over these roots, with `lock` or a new lock of its own. Return None if the folder is not writable or
    the lock is held by another process."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        run_lock = lock or acquire(folder / f"ingestion-{secrets.token_hex(4)}.lock")
    except OSError as problem:
        log.warning("ingest.no_record", problem=str(problem))
        return None
    if run_lock is None:
        return None
    _forget_the_dead(folder, but=Path(run_lock.lock_file).name)
    run = Run(folder, run_lock)
    run.put(roots=[str(root) for root in roots], watches=watches, vectors=vectors)
    return run


def log_failure(folder: Path, path: Path, reason: str) -> None:
    """Record that a file could not be read."""
    row = (stored_path(path), reason, timestamp())
    _write(folder, "INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", [row])


def clear_failures(folder: Path, paths: Iterable[str]) -> None:
    """Remove the failures of these files, which have been read since or are gone."""
    _write(folder, "DELETE FROM failures WHERE path = ?", [(path,) for path in paths])


def store_speeds(folder: Path, speeds: Mapping[str, float]) -> None:
    """Store the speeds for the next run's first estimates."""
    _write(folder, "INSERT OR REPLACE INTO speeds VALUES (?, ?)", list(speeds.items()))


def stored_speeds(folder: Path) -> dict[str, float]:
    """Return the speeds measured by the last run. Blocks briefly."""
    try:
        with closing(_connect(folder / FILE)) as connection:
            return dict(connection.execute("SELECT name, speed FROM speeds").fetchall())
    except (OSError, sqlite3.Error):
        return {}


def stored_path(path: Path) -> str:
    """Return the path as valid Unicode, in the form in which it is stored."""
    return os.fsencode(path).decode("utf-8", "replace")


def read_log(folder: Path) -> LogState:
    """Return the content of the log, which is empty if there is no log. Blocks briefly."""
    file = folder / FILE
    if not file.exists():
        return LogState()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            runs = connection.execute("SELECT lock, pid, started, facts FROM runs ORDER BY started").fetchall()
            failures = connection.execute("SELECT path, reason, noticed FROM failures ORDER BY path").fetchall()
    except sqlite3.Error:
        return LogState()
    states = tuple(_state(folder, *row) for row in runs)
    return LogState(states, tuple(Failure(*row) for row in failures))


def _state(folder: Path, lock: str, pid: int, started: str, facts: str) -> RunState:
    stored: dict[str, Any] = {name: fact for name, fact in json.loads(facts).items() if name in _FACTS}
    stored |= {name: tuple(stored.get(name, ())) for name in ("roots", "troubles")}
    return RunState(pid, started, alive=is_locked(folder / lock), looks="files" not in stored, **stored)


def _forget_the_dead(folder: Path, but: str) -> None:
    for lock in _locks(folder):
        if lock != but and not is_locked(folder / lock):
            _write(folder, "DELETE FROM runs WHERE lock = ?", [(lock,)])
            if lock != KEEPER:
                (folder / lock).unlink(missing_ok=True)


def _locks(folder: Path) -> list[str]:
    try:
        with closing(_connect(folder / FILE)) as connection:
            return [str(lock) for (lock,) in connection.execute("SELECT lock FROM runs")]
    except sqlite3.Error:
        return []


def _write(folder: Path, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Write one change. If that fails, only log a warning. A damaged log is deleted and created again."""
    file = folder / FILE
    for _ in range(2):
        try:
            with closing(_connect(file)) as connection, connection:
                connection.executemany(statement, rows)
            return
        except (OSError, sqlite3.OperationalError) as problem:  # busy, or no permission to write
            log.warning("ingest.no_record", problem=str(problem))
            return
        except sqlite3.DatabaseError as problem:
            log.warning("ingest.record_damaged", problem=str(problem))
            file.unlink(missing_ok=True)


def _connect(file: Path) -> sqlite3.Connection:
    # The mode keeps file names private even in a shared folder. An existing file is not opened here, because closing it
    # would release the POSIX locks that SQLite holds on it.
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(file, timeout=_WAIT_SECONDS)
    # A power failure may lose entries; the next run records them again.
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(_TABLES)
    return connection


EVERY_SECONDS = 0.5
"""Seconds between writes of the progress; failures are written immediately."""


class RunLogProgress:
    """A `Progress` that writes the log and forwards events to another `Progress`. `run` is None if the run is not
    logged. `time_left` receives each event first, so that the other `Progress` can query it. `on_file_done` is called
    after each file."""

    def __init__(
        self,
        folder: Path,
        progress: Progress,
        run: Run | None,
        time_left: TimeLeft | None = None,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._folder = folder
        self._progress = progress
        self._run = run
        self._time_left = time_left or TimeLeft()
        self._clock = clock
        self._written_at = 0.0
        self._files = self._done = 0
        self._failures = {failure.path for failure in read_log(folder).failures}
        self.on_file_done: Callable[[], None] = lambda: None

    @property
    def folder(self) -> Path:
        """The index's folder."""
        return self._folder

    def file_total(self, count: int) -> None:
        """Begin a round of this many files."""
        self._files, self._done = count, 0
        self._time_left.begin_reading(count)
        self._store(files=count, done=0, pages=0, pages_read=0, pictures=0, recognised=0, at_once=True)
        self._progress.file_total(count)

    def file_done(self, outcome: Outcome) -> None:
        """Record the outcome of a file, and log it if it is a failure."""
        path = stored_path(outcome.path)
        if outcome.kind == "failed":
            self._failures.add(path)
            log_failure(self._folder, outcome.path, outcome.detail)
        elif path in self._failures:
            self._clear([path])
        if outcome.kind not in ("missing", "removed"):
            self._done = min(self._done + 1, self._files)
            self._time_left.file_done(outcome.pages)
            self._store(done=self._done, at_once=self._done == self._files)
        self._progress.file_done(outcome)
        self.on_file_done()

    def pages(self, done: int, total: int) -> None:
        """Record the number of pages read so far, and the total for all changed files."""
        self._time_left.pages(done, total)
        self._store(pages_read=done, pages=total)
        self._progress.pages(done, total)

    def recognised(self, done: int, total: int) -> None:
        """Record the number of pictures recognised so far, and their total."""
        self._time_left.recognised(done, total)
        self._store(recognised=done, pictures=total, at_once=done == total)
        self._progress.recognised(done, total)

    def vectors(self, done: int, total: int) -> None:
        """Record the number of passages embedded so far, and the speeds once all are embedded."""
        self._time_left.passages(done, total)
        self._store(embedded=done, passages=total, at_once=0 < done == total)
        if 0 < done == total:
            store_speeds(self._folder, self._time_left.measured)
        self._progress.vectors(done, total)

    def troubles(self, sentences: Iterable[str]) -> None:
        """Replace the messages about problems that affect the entire run."""
        self._store(troubles=list(sentences), at_once=True)

    def settle(self, roots: Sequence[Path], still_failed: Iterable[Path]) -> None:
        """Clear failures under these roots that did not occur again, because the files are gone or excluded. Call this
        at the end of a run. Failures under a missing root are not cleared."""
        now = {stored_path(path) for path in still_failed}
        there = [root for root in roots if is_there(root) or is_there(root.parent)]
        old = [
            path
            for path in self._failures - now
            if any(is_under(Path(path), root) for root in there) and not _is_out_of_sight(Path(path))
        ]
        self._clear(old)
        store_speeds(self._folder, self._time_left.measured)

    def _clear(self, paths: Sequence[str]) -> None:
        if paths:
            self._failures.difference_update(paths)
            clear_failures(self._folder, paths)

    def _store(self, *, at_once: bool = False, **facts: object) -> None:
        now = self._clock()
        if self._run is None:
            return
        self._run.facts |= facts
        if at_once or now - self._written_at >= EVERY_SECONDS:
            self._written_at = now
            self._run.put(seconds_left=self._time_left.seconds())


def _is_out_of_sight(path: Path) -> bool:
    """Return whether the file's folder currently cannot be listed."""
    try:
        os.listdir(path.parent)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
