"""Print the report of an ingestion."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from corpus.ingestion.report import KINDS, Report, summary
from server.commands.ingest.ingest_progress import MAX_LINES
from server.commands.terminal.terminal_wrap import Part, print_line, unbroken

MAX_LINKS = 8


def tell_report(report: Report, allow: tuple[str, ...], console: Console) -> None:
    """Print the counts, who may read the documents, and what was left alone."""
    print_line(f"{summary(report)}.", console=console)
    if readable := _readable_by(report, allow):
        print_line(readable, console=console)
    if report.passed_over:
        kinds = ", ".join(f"{suffix} {count}" for suffix, count in report.passed_over.most_common(8))
        print_line(f"Left alone, kinds that are not read: {kinds}.", console=console)
    if report.outside:
        links = ", ".join(map(str, report.outside[:MAX_LINKS]))
        more = f" and {len(report.outside) - MAX_LINKS} more" if len(report.outside) > MAX_LINKS else ""
        text = f"Left alone, links that lead out of the folder: {links}{more}. --follow-links reads them."
        print_line(text, console=console)
    _tell_last(report, console)


def _tell_last(report: Report, console: Console) -> None:
    """Repeat the failures on a terminal, where their lines may have scrolled away. A pipe has each of them once."""
    changes = [outcome for outcome in report.outcomes if outcome.kind != "unchanged"]
    if len(changes) <= MAX_LINES or not console.is_terminal:
        return
    remarks = sum(bool(outcome.detail) for outcome in changes if outcome.kind in ("added", "replaced"))
    if remarks:
        print_line(f"There is something to know of {remarks} of them: `ibid status` tells.", console=console)
    for outcome in report.failed:
        failed = Part("failed", "bold red"), " ", unbroken(outcome.path), f": {outcome.detail}"
        print_line(*failed, hanging=7, console=console)


def _readable_by(report: Report, allow: tuple[str, ...]) -> str:
    """Who may read what this run took in: nobody should find out later that a document is public."""
    if allow:
        known = "1 known document" if report.access_changed == 1 else f"{report.access_changed} known documents"
        changed = f"; changed for {known}" if report.access_changed else ""
        return f"Readable by {', '.join(allow)}{changed}."
    added = report.count("added")
    if not added:
        return ""
    return f"New: {added}. Everybody may read what is new; --allow says otherwise."


def report_as_json(report: Report) -> dict[str, Any]:
    """A run as JSON."""
    return {
        "counts": {kind: report.count(kind) for kind in KINDS},
        "files": [
            {"path": str(one.path), "outcome": one.kind, "doc_id": one.doc_id, "detail": one.detail}
            for one in report.outcomes
        ],
        "passed_over": dict(report.passed_over),
        "outside": [str(one) for one in report.outside],
        "access_changed": report.access_changed,
    }
