"""`ibid status`"""

from __future__ import annotations

import click

from corpus.index.promise import Counts
from server.commands.running import run, settings_and_logs
from server.commands.shown import line
from server.deadlines import limit_of
from server.settings import Settings, where


@click.command("status")
def command() -> None:
    """Say what the index holds, over what you may read, and how current it is."""
    settings = settings_and_logs()
    counts, stale = run(lambda: _look(settings), seconds=limit_of(settings))
    click.echo(f"Index        {line(where(settings))}")
    click.echo(f"Documents    {counts.documents}")
    click.echo(f"Blocks       {counts.blocks}, {counts.images} of them figures")
    click.echo(f"Vectors      {_vectors(settings, counts)}")
    for note in stale:
        click.echo(f"Note: {line(note)}")


async def _look(settings: Settings) -> tuple[Counts, tuple[str, ...]]:
    from corpus.search import Listing
    from corpus.staleness import stale_warnings
    from server.wiring import caller, library

    async with library(settings) as shelf:
        who = caller(settings)
        listed = await shelf.list_documents(Listing(limit=100_000), who)
        return await shelf.counts(who), stale_warnings(listed.documents)


def _vectors(settings: Settings, counts: Counts) -> str:
    if settings.backend == "azure":
        return "kept by the service; `ibid doctor` says how searches use them"
    if settings.embedder == "none":
        return "off (RAG_EMBEDDER=none): search is by words"
    if not counts.without_vector:
        return "complete"
    return f"{counts.without_vector} of {counts.blocks} to come: run `ibid ingest` on any indexed folder to go on"
