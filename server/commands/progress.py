"""Show the progress of an ingestion, with one estimate of the time left. On a terminal, each stage has a bar;
otherwise, plain lines are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from corpus.ingestion.report import Outcome
from corpus.ingestion.time_left import TimeLeft, in_words
from server.commands.terminal import Part, print_line, unbroken


class Bars:
    """A context manager that shows progress bars around a run. Lines that are printed meanwhile appear above the bars.
    `footer` returns a line to show below the bars, or an empty string. With a footer, the bars disappear when the run
    ends."""

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
        """Print a line about a finished item."""
        more = f": {detail}" if detail else ""
        print_line(Part(f"{kind:9}", style), " ", unbroken(what), more, hanging=10, console=self._console)


class _WithFooter(Progress):
    footer: Callable[[], str] = staticmethod(lambda: "")

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if footer := self.footer():
            yield Text(footer, style="dim", no_wrap=True, overflow="ellipsis")


_STYLES = {
    "added": "green",
    "replaced": "green",
    "failed": "bold red",
    "missing": "yellow",
    "removed": "yellow",
}


MAX_LINES = 40
"""Maximum number of lines about single files, because nobody reads more."""

MAX_MISSING = 20
"""Maximum number of missing files that a run lists. If a drive is not connected, thousands of files can be missing."""

FIRST_LINE_SECONDS, LINE_SECONDS = 2.0, 10.0
"""Seconds until the first progress line, and between further lines, if the output is not a terminal."""


@dataclass
class _Stage:
    bar: TaskID
    total: int = 0
    count: str = ""


class TerminalProgress(Bars):
    """A `corpus.ingestion.report.Progress` that prints the progress. It is also the context manager for the run.
    `time_left` must be updated before each call of a method of this object.

    Unchanged files are counted, not listed: in a large folder, they would hide the few files that failed. With more
    than MAX_LINES files on a terminal, successful files are not listed either.
    """

    def __init__(self, console: Console, time_left: TimeLeft, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(console, TextColumn("{task.fields[count]}"), footer=self._footer)
        self._time_left = time_left
        self._clock = clock
        self._next_line = clock() + FIRST_LINE_SECONDS
        self._files: int | None = None
        self._stages = {
            name: _Stage(self._bars.add_task(name, count="", visible=False)) for name in ("Reading", "Scans", "Vectors")
        }
        self._missing = 0
        self._many = False

    def file_total(self, count: int) -> None:
        """See `Progress`."""
        self._end_missing()
        self._files = count
        self._many = count > MAX_LINES and self._console.is_terminal

    def file_done(self, outcome: Outcome) -> None:
        """See `Progress`."""
        if outcome.kind in ("missing", "removed"):
            self._missing += 1
            if self._missing > MAX_MISSING:
                return
        if self._has_own_line(outcome):
            self._print(outcome.kind, _STYLES.get(outcome.kind, "default"), outcome.path, outcome.detail)
        self._show_or_hide()

    def pages(self, done: int, total: int) -> None:
        """See `Progress`."""
        self._stage("Reading", done, total, f"{done:,}/{total:,} pages")

    def recognised(self, done: int, total: int) -> None:
        """See `Progress`."""
        self._stage("Scans", done, total, f"{done:,}/{total:,} pictures")

    def vectors(self, done: int, total: int) -> None:
        """See `Progress`."""
        expected = max(self._time_left.expected_passages, total)
        known = f"{total:,}" if expected == total else f"~{_rounded(expected):,}"
        self._stage("Vectors", done, expected if total else 0, f"{done:,}/{known} passages")
        if 0 < done == total and not self._time_left.is_at_work:
            print_line(f"Semantic search is ready: {total:,} vectors created.", console=self._console)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_missing()
        super().__exit__(kind, error, trace)

    def _has_own_line(self, outcome: Outcome) -> bool:
        if self._many:
            return outcome.kind in ("failed", "missing", "removed")
        return outcome.kind != "unchanged" or bool(outcome.detail)

    def _end_missing(self) -> None:
        more, self._missing = self._missing - MAX_MISSING, 0
        if more > 0:
            print_line(f"and {more} more with missing files", console=self._console)

    def _stage(self, name: str, done: int, total: int, count: str) -> None:
        stage = self._stages[name]
        stage.total, stage.count = total, count
        self._bars.update(stage.bar, completed=done, total=total, count=count)
        self._show_or_hide()
        if not self._console.is_terminal and self._time_left.is_at_work and self._clock() >= self._next_line:
            self._next_line = self._clock() + LINE_SECONDS
            print_line(self._line(), console=self._console)

    def _show_or_hide(self) -> None:
        """Show the bars, or hide them while there is nothing to do, as with --watch."""
        for stage in self._stages.values():
            self._bars.update(stage.bar, visible=self._time_left.is_at_work and stage.total > 0)

    def _line(self) -> str:
        stages = ", ".join(f"{name.lower()} {stage.count}" for name, stage in self._stages.items() if stage.total)
        seconds = self._time_left.seconds()
        return stages.capitalize() + ("" if seconds is None else f", {in_words(seconds)}")

    def _footer(self) -> str:
        if self._files is None:
            return "Looking for files"
        if not self._time_left.is_at_work:
            return ""
        seconds = self._time_left.seconds()
        left = "" if seconds is None else f"{in_words(seconds).capitalize()}. "
        if not any(stage.total for stage in self._stages.values()):
            return f"Looking at {self._files:,} {'file' if self._files == 1 else 'files'}"
        return f"{left}Keyword search works {'as soon as a file is read' if self._time_left.reads_texts else 'now'}."


def _rounded(count: int) -> int:
    """Return the count rounded to two significant digits, which is precise enough for an estimate."""
    return round(count, 2 - len(str(count)))
