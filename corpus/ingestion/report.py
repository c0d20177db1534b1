"""Outcomes of files, and the progress of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from corpus.readers.formats import CODE, IMAGES, JSON, MARKDOWN, PLAIN_TEXT, TABLES
from corpus.readers.protocol import PageListener

OutcomeKind = Literal["added", "replaced", "unchanged", "missing", "removed", "failed"]
_NUMBERS = re.compile(r"\d+")
KINDS: tuple[OutcomeKind, ...] = ("added", "replaced", "unchanged", "missing", "removed", "failed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a file. `detail` is the reason for a failure, or a remark such as on pages without text or a move.
    `pages` is the number of pages read, or an estimate based on size if the file has no pages."""

    kind: OutcomeKind
    path: Path
    doc_id: str | None = None
    detail: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """All outcomes in order of completion. `passed_over` counts files of unsupported kinds; `access_changed` counts
    existing documents with a new access list. `outside` contains the links that lead outside the folders and were not
    followed."""

    outcomes: tuple[Outcome, ...]
    passed_over: Counter[str]
    access_changed: int = 0
    outside: tuple[Path, ...] = ()

    def count(self, kind: OutcomeKind) -> int:
        """Return the number of outcomes of this kind."""
        return sum(1 for outcome in self.outcomes if outcome.kind == kind)

    def with_details(self, again: Iterable[Outcome]) -> Report:
        """Return the report with updated details for documents that were read again."""
        details = {outcome.path: outcome.detail for outcome in again if outcome.kind == "replaced"}
        outcomes = (replace(outcome, detail=details.get(outcome.path, outcome.detail)) for outcome in self.outcomes)
        return replace(self, outcomes=tuple(outcomes))

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The failed outcomes."""
        return tuple(outcome for outcome in self.outcomes if outcome.kind == "failed")


def grouped(warnings: Iterable[str]) -> list[str]:
    """Return the warnings in order, with those that differ only in their numbers merged into the first one and a count
    of the others.

    If there are only two of them, they are not merged, because a count would save nothing.
    """
    alike: dict[str, list[str]] = {}
    for warning in warnings:
        alike.setdefault(_NUMBERS.sub("0", warning), []).append(warning)
    lines = []
    for first, *more in alike.values():
        lines += [f"{first} (and {len(more)} more like this)"] if len(more) > 1 else [first, *more]
    return lines


class Progress(Protocol):
    """Receives events on the event loop; methods must not block."""

    def file_total(self, count: int) -> None:
        """Called once the number of files in the run is known."""
        return

    def file_done(self, outcome: Outcome) -> None:
        """Called when a file has its outcome."""
        return

    def pages(self, done: int, total: int) -> None:
        """Called with the number of pages read so far, and the total for all changed files. The total is corrected as
        files are opened."""
        return

    def recognised(self, done: int, total: int) -> None:
        """Called with the number of pages and figures recognised by OCR so far, and their total."""
        return

    def vectors(self, done: int, total: int) -> None:
        """Called with the number of passages embedded so far, and their total, which grows as files are read. Receiving
        the same numbers twice means that the next batch begins."""
        return


class Silence(Progress):
    """A Progress that ignores all events."""


def summary(report: Report) -> str:
    """Return the non-zero counts by kind, such as `3 added, 1 failed`."""
    counts: Sequence[tuple[str, int]] = [(kind, report.count(kind)) for kind in KINDS]
    return ", ".join(f"{count} {kind}" for kind, count in counts if count) or "no files"


_BYTES_OF_TEXT = 3_000
"""Estimated size of a page of plain text in bytes, about as much text as a PDF page contains."""
_BYTES = 20_000
"""Estimated size of a page in other formats, in bytes. Markup adds bytes, compression saves some, and pictures add many
more; the estimate is used only for the progress bar."""
_TEXTS = MARKDOWN | PLAIN_TEXT | TABLES | JSON | CODE


def estimated_pages(path: Path, size: int) -> int:
    """Estimate a file's number of pages from its kind and its size in bytes."""
    suffix = path.suffix.lower()
    if suffix in IMAGES:
        return 1
    return max(1, round(size / (_BYTES_OF_TEXT if suffix in _TEXTS else _BYTES)))


class PageTally:
    """Reports the numbers of pages read and expected whenever either changes. Only expected files count."""

    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self._tell = tell
        self._expected: dict[Path, int] = {}
        self._read: dict[Path, int] = {}
        self._done = self._total = 0

    def expect(self, path: Path, pages: int) -> None:
        """Set the estimated number of pages of a file that will be read."""
        self._total += pages - self._expected.get(path, 0)
        self._expected[path] = pages
        self._count(path, min(self._read.get(path, 0), pages))

    def listener(self, path: Path) -> PageListener:
        """Return a listener that counts the file's pages."""

        def listen(read: int, pages: int) -> None:
            if pages != self._expected.get(path):
                self.expect(path, pages)
            self._count(path, max(read, self._read.get(path, 0)))

        return listen

    def end(self, path: Path, *, is_read: bool) -> int:
        """Finish a file and return its number of pages. A file that was not read no longer counts."""
        pages = self._expected.get(path, 0)
        if pages and not is_read:
            self.expect(path, 0)
        elif pages:
            self._count(path, pages)
        self._expected.pop(path, None)
        self._read.pop(path, None)
        return pages if is_read else 0

    def _count(self, path: Path, read: int) -> None:
        self._done += read - self._read.get(path, 0)
        self._read[path] = read
        self._tell(self._done, self._total)
