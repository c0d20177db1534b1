"""A large ingestion on a terminal: failures stay visible among the successes."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from corpus.ingestion.report import Outcome, Report
from corpus.ingestion.run_log import RunLogProgress
from corpus.ingestion.time_left import TimeLeft
from server.commands.ingest import tell_report
from server.commands.progress import MAX_LINES, TerminalProgress
from tests.packaging.test_scripts import script

RECORDER = script(Path(__file__).parents[2], "record_session")


def shown(outcomes: list[Outcome]) -> list[str]:
    """Return the last lines of a run on a terminal of 80 columns."""
    console = Console(file=StringIO(), force_terminal=True, color_system=None, width=80)
    with TerminalProgress(console, TimeLeft()) as progress:
        progress.file_total(len(outcomes))
        for outcome in outcomes:
            progress.file_done(outcome)
    tell_report(Report(tuple(outcomes), Counter()), (), console)
    assert isinstance(console.file, StringIO)
    lines: list[str] = RECORDER.shown(console.file.getvalue())
    return [line for line in lines if line.strip()]


def outcomes(good: int) -> list[Outcome]:
    bad = Outcome("failed", Path("secret.pdf"), detail="encrypted, needs a password")
    return [bad, *(Outcome("added", Path(f"good-{n}.pdf"), detail="A remark.") for n in range(good))]


def test_of_many_files_only_failed_ones_are_listed_and_at_the_end() -> None:
    lines = shown(outcomes(MAX_LINES))
    assert not [line for line in lines if "good-" in line]
    assert lines[-1] == "failed secret.pdf: encrypted, needs a password"
    assert f"{MAX_LINES} of them have notes: `ibid status` shows them." in lines


def test_of_a_few_files_each_is_listed_once() -> None:
    lines = shown(outcomes(3))
    assert sum("good-" in line for line in lines) == 3
    assert sum("secret.pdf" in line for line in lines) == 1


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Run:
    """A run shown on a console of a fixed size, with a clock that moves only by hand."""

    def __init__(self, folder: Path, *, width: int = 80, terminal: bool) -> None:
        self.clock = Clock()
        self.console = Console(file=StringIO(), force_terminal=terminal, color_system=None, width=width)
        time_left = TimeLeft("model", cores=2, clock=self.clock)
        self.progress = TerminalProgress(self.console, time_left, clock=self.clock)
        self.recording = RunLogProgress(folder, self.progress, None, time_left, clock=self.clock)

    def read(self, pages: int, *, seconds: float = 0.1) -> None:
        """Report a file of this many pages as read."""
        self.recording.file_total(1)
        for done in range(pages + 1):
            self.recording.pages(done, pages)
            self.clock.now += seconds
        self.recording.file_done(Outcome("added", Path("manual.pdf"), pages=pages))

    def embed(self, passages: int) -> None:
        for done in range(0, passages + 1, 4):
            self.recording.vectors(done, passages)
            self.clock.now += 0.2

    @property
    def screen(self) -> list[str]:
        with self.console.capture() as captured:
            self.console.print(self.progress._bars.get_renderable())
        return [line.rstrip() for line in captured.get().splitlines() if line.strip()]

    @property
    def lines(self) -> list[str]:
        assert isinstance(self.console.file, StringIO)
        return self.console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_a_bar_for_each_stage_and_one_time_left(tmp_path: Path, width: int) -> None:
    run = Run(tmp_path, width=width, terminal=True)
    assert run.screen == ["Looking for files"]
    run.recording.file_total(2)
    assert run.screen == ["Looking at 2 files"]
    for done in range(413):
        run.recording.pages(done, 1508)
        run.clock.now += 0.1
    reading, footer = run.screen
    assert reading[2:].startswith("Reading ")  # after a spinner
    assert reading.endswith(" 412/1,508 pages")
    assert footer == "About 6 minutes left. Keyword search works as soon as a file is read."
    run.recording.file_done(Outcome("added", Path("one.pdf"), pages=412))
    run.recording.recognised(3, 40)
    run.recording.vectors(64, 1400)
    _, scans, vectors, _ = run.screen
    assert scans.endswith(" 3/40 pictures")
    assert vectors.endswith(" 64/~5,500 passages")


def test_no_bar_remains_at_the_end(tmp_path: Path) -> None:
    run = Run(tmp_path, terminal=True)
    run.read(10)
    assert run.screen[-1].endswith("Keyword search works now.")
    run.embed(40)
    assert run.screen == []
    assert "Semantic search is ready: 40 vectors created." in run.lines


def test_without_a_terminal_a_line_comes_soon_and_then_every_ten_seconds(tmp_path: Path) -> None:
    run = Run(tmp_path, terminal=False)
    run.read(300)
    first, *more = [line for line in run.lines if line.startswith("Reading")]
    assert first.startswith("Reading 20/300 pages")
    assert len(more) == 2
    assert more[-1].endswith("/300 pages, about 50 seconds left")


def test_a_short_run_prints_only_its_result(tmp_path: Path) -> None:
    run = Run(tmp_path, terminal=False)
    run.read(3)
    assert run.lines == ["added     manual.pdf"]
