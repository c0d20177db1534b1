"""Show the progress of an upload: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.progress import TaskID

from corpus.index.azure.upload.outcomes import PushOutcome
from server.commands.bars import Bars

_STYLES = {
    "pushed": "green", "updated": "green", "failed": "bold red", "refused": "yellow", "waiting": "yellow",
    "gone": "yellow", "removed": "yellow",
}  # fmt: skip


class TerminalPushProgress(Bars):
    """A `PushProgress` that prints; a context manager around the run. Unchanged documents are counted, not named."""

    def __init__(self, console: Console, *, dry_run: bool = False) -> None:
        super().__init__(console)
        self._dry_run = dry_run
        self._documents: TaskID | None = None

    def documents_found(self, count: int) -> None:
        """See `PushProgress`."""
        self._documents = self._bars.add_task("Documents", total=count)

    def document_waits(self, name: str, seconds: float) -> None:
        """See `PushProgress`."""
        detail = f"an upload of it was cut short a moment ago; going on with it in {seconds:.0f} s"
        self._print("waiting", "yellow", name, detail)

    def document_done(self, outcome: PushOutcome) -> None:
        """See `PushProgress`."""
        if self._documents is not None and outcome.kind not in ("gone", "removed"):
            self._bars.advance(self._documents)
        if outcome.kind != "unchanged":
            done = outcome.kind in ("pushed", "updated", "removed")
            kind = f"would be {outcome.kind}" if self._dry_run and done else outcome.kind
            self._print(kind, _STYLES.get(outcome.kind, "default"), outcome.name, outcome.detail)
