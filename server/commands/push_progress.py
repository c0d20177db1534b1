"""What an upload shows while it runs: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from corpus.index.azure.push_outcomes import PushOutcome
from server.commands.shown import marked_up

_STYLES = {
    "pushed": "green", "updated": "green", "failed": "bold red", "refused": "yellow", "waiting": "yellow",
    "gone": "yellow", "removed": "yellow",
}  # fmt: skip


class TerminalPushProgress:
    """A `PushProgress` that prints; a context manager around the run. Unchanged documents are counted, not named."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=console, disable=not console.is_terminal,
        )  # fmt: skip
        self._documents: TaskID | None = None

    def __enter__(self) -> TerminalPushProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def documents_found(self, count: int) -> None:
        self._documents = self._bars.add_task("Documents", total=count)

    def document_done(self, outcome: PushOutcome) -> None:
        if self._documents is not None and outcome.kind not in ("gone", "removed"):
            self._bars.advance(self._documents)
        if outcome.kind != "unchanged":
            self._console.print(_line(outcome), soft_wrap=True, highlight=False)


def _line(outcome: PushOutcome) -> str:
    style = _STYLES.get(outcome.kind, "default")
    detail = f": {marked_up(outcome.detail)}" if outcome.detail else ""
    return f"[{style}]{outcome.kind:9}[/] {marked_up(outcome.name)}{detail}"
