"""A large ingestion on a terminal: what failed is not lost among what went well."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from pathlib import Path

from rich.console import Console

from corpus.ingestion.outcomes import Outcome, Report
from server.commands.ingest_told import tell_report
from server.commands.progress import MOST_LINES, TerminalProgress

CLEARED = "\x1b[2K"


def shown(outcomes: list[Outcome]) -> list[str]:
    """The lines of a terminal of 80 columns, without its bars."""
    console = Console(file=StringIO(), force_terminal=True, color_system=None, width=80)
    with TerminalProgress(console) as progress:
        progress._bars.disable = True
        progress.files_found(len(outcomes))
        for outcome in outcomes:
            progress.file_done(outcome)
    tell_report(Report(tuple(outcomes), Counter()), (), console)
    assert isinstance(console.file, StringIO)
    return [line.removeprefix(CLEARED) for line in console.file.getvalue().splitlines()]


def outcomes(good: int) -> list[Outcome]:
    bad = Outcome("failed", Path("secret.pdf"), detail="encrypted, needs a password")
    return [bad, *(Outcome("added", Path(f"good-{n}.pdf"), detail="A remark.") for n in range(good))]


def test_of_many_files_only_those_that_failed_are_named_and_last_of_all() -> None:
    lines = shown(outcomes(MOST_LINES))
    assert not [line for line in lines if "good-" in line]
    assert lines[-1] == "failed secret.pdf: encrypted, needs a password"
    assert f"There is something to know of {MOST_LINES} of them: `ibid status` tells." in lines


def test_of_a_few_files_each_is_named_once() -> None:
    lines = shown(outcomes(3))
    assert sum("good-" in line for line in lines) == 3
    assert sum("secret.pdf" in line for line in lines) == 1
