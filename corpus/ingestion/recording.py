"""A run's progress on its way to the record, and to whoever else is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic

from corpus.ingestion import record
from corpus.ingestion.outcomes import Outcome, Progress
from corpus.ingestion.places import is_there, is_under
from corpus.ingestion.record import Run

EVERY_SECONDS = 0.5
"""How often the record is told of progress; failures are told at once."""


class Recording:
    """A `Progress` that tells another one and keeps the record. `run` is None where there is no record of runs."""

    def __init__(
        self, folder: Path, progress: Progress, run: Run | None, *, clock: Callable[[], float] = monotonic
    ) -> None:
        self._folder = folder
        self._progress = progress
        self._run = run
        self._clock = clock
        self._told = 0.0
        self._files = self._done = 0
        self._failures = {one.path for one in record.record_of(folder).failures}

    @property
    def folder(self) -> Path:
        """That of the index."""
        return self._folder

    def files_found(self, count: int) -> None:
        self._files, self._done = count, 0
        self._tell(files=count, done=0, at_once=True)
        self._progress.files_found(count)

    def file_done(self, outcome: Outcome) -> None:
        path = record.kept(outcome.path)
        if outcome.kind == "failed":
            self._failures.add(path)
            record.failed(self._folder, outcome.path, outcome.detail)
        elif path in self._failures:
            self._clear([path])
        if outcome.kind not in ("missing", "removed"):
            self._done = min(self._done + 1, self._files)
            self._tell(done=self._done, at_once=self._done == self._files)
        self._progress.file_done(outcome)

    def recognised(self, done: int, total: int) -> None:
        self._tell(recognised=done, pictures=total, at_once=done == total)
        self._progress.recognised(done, total)

    def vectors(self, done: int, total: int) -> None:
        self._tell(embedded=done, passages=total, at_once=done == total)
        self._progress.vectors(done, total)

    def troubles(self, sentences: Iterable[str]) -> None:
        """What stands in the way of the whole run, in place of what was said before."""
        self._tell(troubles=list(sentences), at_once=True)

    def settle(self, roots: Sequence[Path], still_failed: Iterable[Path]) -> None:
        """At the end of a run: what failed before under these roots and did not fail now is gone or left out. Nothing
        is known of a root that is not there."""
        now = {record.kept(path) for path in still_failed}
        there = [root for root in roots if is_there(root) or is_there(root.parent)]
        old = [
            path
            for path in self._failures - now
            if any(is_under(Path(path), root) for root in there) and not _is_out_of_sight(Path(path))
        ]
        self._clear(old)

    def _clear(self, paths: Sequence[str]) -> None:
        if paths:
            self._failures.difference_update(paths)
            record.cleared(self._folder, paths)

    def _tell(self, *, at_once: bool = False, **facts: object) -> None:
        now = self._clock()
        if self._run is None:
            return
        self._run.facts |= facts
        if at_once or now - self._told >= EVERY_SECONDS:
            self._told = now
            self._run.put()


def _is_out_of_sight(path: Path) -> bool:
    """Whether its folder cannot be looked into at the moment."""
    try:
        os.listdir(path.parent)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
