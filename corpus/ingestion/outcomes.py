"""What became of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

OutcomeKind = Literal["added", "replaced", "unchanged", "missing", "removed", "failed"]
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
