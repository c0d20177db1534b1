"""What an ingestion shows while it runs: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import TaskID

from corpus.ingestion.outcomes import Outcome
from server.commands.bars import Bars
from server.commands.layout import tell

_STYLES = {
    "added": "green",
    "replaced": "green",
    "failed": "bold red",
    "missing": "yellow",
    "removed": "yellow",
}


MOST_LINES = 40
"""Lines of single files that a person looks over."""

MOST_MISSING = 20
"""Of one run; a drive that is not connected can hold thousands."""


class TerminalProgress(Bars):
    """A `corpus.ingestion.outcomes.Progress` that prints; a context manager around the run.

    Unchanged files are counted, not named: in a large folder they would hide the three that failed. On a terminal the
    bar alone counts what went well too, where there are more than MOST_LINES files.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._files: TaskID | None = None
        self._pictures: TaskID | None = None
        self._vectors: TaskID | None = None
        self._said = 0
        self._missing = 0
        self._many = False

    def files_found(self, count: int) -> None:
        self._end_missing()
        self._many = count > MOST_LINES and self._console.is_terminal
        if count and self._files is None:
            self._files = self._bars.add_task("Files", total=count)
        elif self._files is not None:
            self._bars.reset(self._files, total=count)

    def file_done(self, outcome: Outcome) -> None:
        if self._files is not None and outcome.kind not in ("missing", "removed"):
            self._bars.advance(self._files)
        if outcome.kind in ("missing", "removed"):
            self._missing += 1
            if self._missing > MOST_MISSING:
                return
        if self._is_named(outcome):
            self._print(outcome.kind, _STYLES.get(outcome.kind, "default"), outcome.path, outcome.detail)

    def _is_named(self, outcome: Outcome) -> bool:
        if self._many:
            return outcome.kind in ("failed", "missing", "removed")
        return outcome.kind != "unchanged" or bool(outcome.detail)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_missing()
        super().__exit__(kind, error, trace)

    def _end_missing(self) -> None:
        more, self._missing = self._missing - MOST_MISSING, 0
        if more > 0:
            tell(f"and {more} more whose files are missing", console=self._console)

    def recognised(self, done: int, total: int) -> None:
        if self._pictures is None:
            self._pictures = self._bars.add_task("Pictures", total=total)
            pictures = "1 picture" if total == 1 else f"{total} pictures"
            tell(f"All text can be found now. {pictures} to read by text recognition.", console=self._console)
        self._bars.update(self._pictures, completed=done, total=total)

    def vectors(self, done: int, total: int) -> None:
        if self._vectors is None:
            self._vectors = self._bars.add_task("Vectors", total=total)
        self._bars.update(self._vectors, completed=done, total=total)
        if not self._console.is_terminal and total and done * 10 // total > self._said:
            self._said = done * 10 // total
            tell(f"vectors {done} of {total}", console=self._console)
