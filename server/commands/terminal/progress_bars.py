"""Progress bars on a terminal; elsewhere there are lines alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from server.commands.terminal.terminal_wrap import Part, print_line, unbroken


class Bars:
    """A context manager around a run; what is printed meanwhile stands above the bars. `footer` gives a line below
    them, empty for none; with it the bars go when the run ends."""

    def __init__(self, console: Console, *columns: ProgressColumn, footer: Callable[[], str] | None = None) -> None:
        self._console = console
        self._bars = _WithFooter(
            SpinnerColumn(finished_text=" "),
            TextColumn("{task.description}"),
            BarColumn(),
            *(columns or (MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())),
            console=console,
            disable=not console.is_terminal,
            transient=footer is not None,
        )
        self._bars.footer = footer or (lambda: "")

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
        print_line(Part(f"{kind:9}", style), " ", unbroken(what), more, hanging=10, console=self._console)


class _WithFooter(Progress):
    footer: Callable[[], str] = staticmethod(lambda: "")

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if footer := self.footer():
            yield Text(footer, style="dim", no_wrap=True, overflow="ellipsis")
