"""Report what became of each file, and how far a run has come."""

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
    """`detail` is a reason for what failed, else something worth knowing (pages without text, a move). `pages` were
    read for it; a file without pages has as many as its size makes."""

    kind: OutcomeKind
    path: Path
    doc_id: str | None = None
    detail: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Every file's outcome in the order in which they ended; `passed_over` counts files of unread kinds,
    `access_changed` documents that were there before and now have another access list, and `outside` names links that
    lead out of what was ingested and were not followed."""

    outcomes: tuple[Outcome, ...]
    passed_over: Counter[str]
    access_changed: int = 0
    outside: tuple[Path, ...] = ()

    def count(self, kind: OutcomeKind) -> int:
        return sum(1 for outcome in self.outcomes if outcome.kind == kind)

    def with_details(self, again: Iterable[Outcome]) -> Report:
        """With what is worth knowing of documents as of the time when they were read again."""
        details = {one.path: one.detail for one in again if one.kind == "replaced"}
        outcomes = (replace(one, detail=details.get(one.path, one.detail)) for one in self.outcomes)
        return replace(self, outcomes=tuple(outcomes))

    @property
    def failed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.kind == "failed")


def grouped(warnings: Iterable[str]) -> list[str]:
    """Warnings in order, of those that differ in their numbers alone the first, with how many more there are.

    Two stay as they are: a count would save nothing.
    """
    alike: dict[str, list[str]] = {}
    for warning in warnings:
        alike.setdefault(_NUMBERS.sub("0", warning), []).append(warning)
    lines = []
    for first, *more in alike.values():
        lines += [f"{first} (and {len(more)} more like this)"] if len(more) > 1 else [first, *more]
    return lines


class Progress(Protocol):
    """Told what happens while it happens, on the event loop; it must not block."""

    def files_found(self, count: int) -> None: ...

    def file_done(self, outcome: Outcome) -> None: ...

    def pages(self, done: int, total: int) -> None:
        """Read, of all files that are not as they were; the total is corrected as files are opened."""

    def recognised(self, done: int, total: int) -> None:
        """Pages and figures that are pictures, read by text recognition."""

    def vectors(self, done: int, total: int) -> None:
        """Passages; the total grows as files are read. The same numbers twice say that work on the next begins."""


class Silence:
    """A Progress that tells nobody."""

    def files_found(self, count: int) -> None:
        pass

    def file_done(self, outcome: Outcome) -> None:
        pass

    def pages(self, done: int, total: int) -> None:
        pass

    def recognised(self, done: int, total: int) -> None:
        pass

    def vectors(self, done: int, total: int) -> None:
        pass


def summary(report: Report) -> str:
    """`3 added, 1 failed`, the kinds that did not occur left out."""
    counts: Sequence[tuple[str, int]] = [(kind, report.count(kind)) for kind in KINDS]
    return ", ".join(f"{count} {kind}" for kind, count in counts if count) or "no files"


_BYTES_OF_TEXT = 3_000
"""Of a page of plain text: about what a page of a PDF holds."""
_BYTES = 20_000
"""Of a page in other formats. Markup makes it longer and compression shorter, and pictures much longer."""
_TEXTS = MARKDOWN | PLAIN_TEXT | TABLES | JSON | CODE


def estimated_pages(path: Path, size: int) -> int:
    """By kind and size; what has to be opened is corrected later."""
    suffix = path.suffix.lower()
    if suffix in IMAGES:
        return 1
    return max(1, round(size / (_BYTES_OF_TEXT if suffix in _TEXTS else _BYTES)))


class PageTally:
    """Tells how many pages are read of how many, whenever either changes. Files not expected count nothing."""

    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self._tell = tell
        self._expected: dict[Path, int] = {}
        self._read: dict[Path, int] = {}
        self._done = self._total = 0

    def expect(self, path: Path, pages: int) -> None:
        """A file that is to be read has so many pages, as far as is known now."""
        self._total += pages - self._expected.get(path, 0)
        self._expected[path] = pages
        self._count(path, min(self._read.get(path, 0), pages))

    def listener(self, path: Path) -> PageListener:
        """Takes the pages of the file as they are read."""

        def listen(read: int, pages: int) -> None:
            if pages != self._expected.get(path):
                self.expect(path, pages)
            self._count(path, max(read, self._read.get(path, 0)))

        return listen

    def end(self, path: Path, *, is_read: bool) -> int:
        """A file is done with. What was not read counts as nothing to read. How many pages it had."""
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
