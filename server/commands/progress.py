"""What an ingestion shows while it runs: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.progress import TaskID

from corpus.ingestion.outcomes import Outcome
from server.commands.bars import Bars

_STYLES = {
    "added": "green",
    "replaced": "green",
    "failed": "bold red",
    "missing": "yellow",
    "removed": "yellow",
}


class TerminalProgress(Bars):
    """A `corpus.ingestion.outcomes.Progress` that prints; a context manager around the run.

    Unchanged files are counted, not named: in a large folder they would hide the three that failed.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._files: TaskID | None = None
        self._vectors: TaskID | None = None
        self._said = 0

    def files_found(self, count: int) -> None:
        self._files = self._bars.add_task("Files", total=count)

    def file_done(self, outcome: Outcome) -> None:
        if self._files is not None and outcome.kind not in ("missing", "removed"):
            self._bars.advance(self._files)
        if outcome.kind != "unchanged" or outcome.detail:
            self._print(outcome.kind, _STYLES.get(outcome.kind, "default"), outcome.path, outcome.detail)

    def vectors(self, done: int, total: int) -> None:
        if self._vectors is None:
            self._vectors = self._bars.add_task("Vectors", total=total)
        self._bars.update(self._vectors, completed=done, total=total)
        if not self._console.is_terminal and total and done * 10 // total > self._said:
            self._said = done * 10 // total
            self._console.print(f"vectors {done} of {total}", highlight=False)
