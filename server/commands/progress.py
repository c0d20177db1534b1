"""What an ingestion shows while it runs: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from corpus.ingestion.outcomes import Outcome
from server.commands.shown import marked_up

_STYLES = {
    "added": "green",
    "replaced": "green",
    "failed": "bold red",
    "missing": "yellow",
    "removed": "yellow",
}


class TerminalProgress:
    """A `corpus.ingestion.outcomes.Progress` that prints; a context manager around the run.

    Unchanged files are counted, not named: in a large folder they would hide the three that failed.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._files: TaskID | None = None
        self._vectors: TaskID | None = None
        self._said = 0

    def __enter__(self) -> TerminalProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def files_found(self, count: int) -> None:
        self._files = self._bars.add_task("Files", total=count)

    def file_done(self, outcome: Outcome) -> None:
        if self._files is not None and outcome.kind not in ("missing", "removed"):
            self._bars.advance(self._files)
        if outcome.kind != "unchanged" or outcome.detail:
            self._console.print(_line(outcome), soft_wrap=True, highlight=False)

    def vectors(self, done: int, total: int) -> None:
        if self._vectors is None:
            self._vectors = self._bars.add_task("Vectors", total=total)
        self._bars.update(self._vectors, completed=done, total=total)
        if not self._console.is_terminal and total and done * 10 // total > self._said:
            self._said = done * 10 // total
            self._console.print(f"vectors {done} of {total}", highlight=False)


def _line(outcome: Outcome) -> str:
    style = _STYLES.get(outcome.kind, "default")
    detail = f": {marked_up(outcome.detail)}" if outcome.detail else ""
    return f"[{style}]{outcome.kind:9}[/] {marked_up(outcome.path)}{detail}"
