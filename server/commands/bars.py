"""Bars of what is done, on a terminal; elsewhere there are none, and lines alone tell."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from server.commands.layout import Part, tell, whole


class Bars:
    """A context manager around a run; what is printed meanwhile stands above the bars."""

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

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def _print(self, kind: str, style: str, what: object, detail: str) -> None:
        """One line about one thing that is done."""
        more = f": {detail}" if detail else ""
        tell(Part(f"{kind:9}", style), " ", whole(what), more, hanging=10, console=self._console)
