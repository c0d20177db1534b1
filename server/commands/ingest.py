"""`ibid ingest`"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from corpus.access import Caller
from corpus.documents import DOCUMENT_TYPES
from corpus.embedding.promise import Embedder
from corpus.index.promise import WritableIndex
from corpus.ingestion.ingest import Ingestion, Wishes
from corpus.ingestion.outcomes import Report, summary
from corpus.ingestion.vectors import embed_pending
from server.commands.progress import TerminalProgress
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.shown import marked_up, output
from server.settings import Settings

PER_SECOND = 5
"""Passages a second and core that the packaged model embeds; for the estimate before the first batch."""


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--allow", multiple=True, metavar="PRINCIPAL",
              help="Who may read these documents, such as user:ann or department:hr. May be repeated. "
                   "Without it new documents are public and known ones keep their list.")  # fmt: skip
@click.option("--department", help="The department these documents belong to.")
@click.option("--type", "document_type", type=click.Choice(DOCUMENT_TYPES, case_sensitive=False),
              help="What kind of documents these are. Without it the kind is guessed.")  # fmt: skip
@click.option("--prune", is_flag=True, help="Remove documents whose files have vanished.")
@click.option(
    "--no-vectors", is_flag=True, help="Leave vectors for a later run; search is by words until then."
)
def command(
    paths: tuple[Path, ...],
    allow: tuple[str, ...],
    department: str | None,
    document_type: str | None,
    prune: bool,
    no_vectors: bool,
) -> None:
    """Read files and folders into the index. Unchanged files cost nothing; a failed one stops no other.

    Exit code 1 says that some files failed; each is named with its reason.
    """
    settings = settings_and_logs(local=True)
    wishes = Wishes(allow=allow or None, department=department, document_type=document_type, prune=prune)
    console = output()
    report = run(lambda: _ingest(settings, paths, wishes, console, vectors=not no_vectors))
    _say(report, allow, console)
    sys.exit(FAILED if report.failed else 0)


async def _ingest(
    settings: Settings, paths: tuple[Path, ...], wishes: Wishes, console: Console, *, vectors: bool
) -> Report:
    from server.wiring import workshop

    async with workshop(settings) as place:
        with TerminalProgress(console) as progress:
            ingestion = Ingestion(
                place.index,
                place.reading,
                readable=place.readable,
                reader_version=place.reader_version,
                progress=progress,
                wishes=wishes,
                at_once=place.at_once,
            )
            report = await ingestion.run(paths)
            if vectors and place.embedder:
                await _embed(place.index, place.embedder, console, progress)
    return report


async def _embed(
    index: WritableIndex, embedder: Embedder, console: Console, progress: TerminalProgress
) -> None:
    counts = await index.counts(Caller(unfiltered=True))
    if not counts.without_vector:
        return
    minutes = counts.without_vector / PER_SECOND / 60
    about = "less than a minute" if minutes < 1 else f"about {minutes:.0f} minutes on one core"
    console.print(
        f"Searchable by words now. Vectors for {counts.without_vector} passages: {about}.", highlight=False
    )
    await embed_pending(index, embedder, progress, counts.without_vector)


def _say(report: Report, allow: tuple[str, ...], console: Console) -> None:
    console.print(f"{summary(report)}.", highlight=False)
    if readable := _readable_by(report, allow):
        console.print(marked_up(readable), highlight=False)
    if report.passed_over:
        kinds = ", ".join(f"{suffix} {count}" for suffix, count in report.passed_over.most_common(8))
        console.print(f"Left alone, kinds that are not read: {marked_up(kinds)}.", highlight=False)
    for outcome in report.failed if len(report.outcomes) > 20 else ():
        console.print(
            f"[bold red]failed[/] {marked_up(outcome.path)}: {marked_up(outcome.detail)}", soft_wrap=True
        )


def _readable_by(report: Report, allow: tuple[str, ...]) -> str:
    """Who may read what this run took in: nobody should find out later that a document is public."""
    if allow:
        known = (
            "1 known document" if report.access_changed == 1 else f"{report.access_changed} known documents"
        )
        changed = f"; changed for {known}" if report.access_changed else ""
        return f"Readable by {', '.join(allow)}{changed}."
    added = report.count("added")
    if not added:
        return ""
    return (
        f"New: {added}. Everybody may read what is new, except a copy of a document that not everybody may read: "
        "it has that document's readers. --allow says otherwise."
    )
