"""`ibid azure create-indexes`: create both indexes, or compare them with the settings."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from server.commands.azure.definitions import Wanted, definition_text, definitions_of, masked, reading_entry
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.terminal.terminal_escape import one_line
from server.commands.terminal.terminal_wrap import print_line, print_note
from server.settings.model import Settings

if TYPE_CHECKING:
    from corpus.index.azure.schema.create_indexes import InspectedIndex, SearchIndex

NO_VECTORS = {
    "absent": "RAG_EMBEDDER gives no vectors here, so the index gets no vector fields.",
    "made": "RAG_EMBEDDER gives no vectors here, so the index has no vector fields.",
    "there": "RAG_EMBEDDER gives no vectors here, so vector fields of the index were not compared.",
}
"""By what became of the index."""
OTHERS = "Name other indexes (AZURE_SEARCH_CONTENT_INDEX, AZURE_SEARCH_DOCUMENTS_INDEX), or set what fits these."
LABELS = {"unusable": "does not fit", "worse": "works less well", "choice": "differs"}


@click.command("create-indexes")
@click.option("--dry-run", is_flag=True, help="Show what would be created, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="With --dry-run: the definitions as the service takes them.")
@click.option("--semantic", is_flag=True, help="With a semantic configuration; the service must have the ranker.")
@click.option("--analyzer", default="standard.lucene", show_default=True, metavar="NAME",
              help="How words are split and stemmed, such as de.microsoft or en.lucene.")  # fmt: skip
@click.option("--vectorizer", type=click.Choice(["azure-openai"]),
              help="Let the service embed queries itself, by the deployment of RAG_EMBEDDER=azure-openai. Its key, if "
                   "there is one, is stored in the index.")  # fmt: skip
@click.option("--no-vectors", is_flag=True, help="Without vector fields: searches are by words.")
def command(
    dry_run: bool, as_json: bool, semantic: bool, analyzer: str, vectorizer: str | None, no_vectors: bool
) -> None:
    """Create the index of blocks and the index of documents on the service of AZURE_SEARCH_ENDPOINT.

    An index that is there is left alone and compared. What "does not fit" keeps it from being searched or filled with
    these settings, and gives exit code 1; what "works less well" is left out or slower; what "differs" is a choice of
    its owner. None is ever changed or dropped. Whose vectors they hold, and whether access lists tell kinds of
    principals apart, is decided by the settings and written into the description of both.
    """
    if as_json and not dry_run:
        raise click.UsageError("--json goes with --dry-run.")
    settings = settings_and_logs(azure=True)
    wanted = Wanted(semantic, analyzer, vectorizer is not None, not no_vectors)
    definitions = definitions_of(settings, wanted)
    lacks_vectors = wanted.vectors and definitions[0].vector_search is None
    if as_json:
        if lacks_vectors:
            print_note(NO_VECTORS["absent"])
        click.echo(json.dumps([masked(result) for result in definitions], indent=2))
        return
    if dry_run:
        click.echo("\n\n".join(definition_text(result) for result in definitions) + "\n")
    looked = run(lambda: _looked(settings, definitions, dry_run=dry_run))
    if lacks_vectors and (remark := NO_VECTORS.get(looked[0].state)):
        print_note(remark)
    for result in looked:
        _print_comparison(result)
    fit = all(result.fits for result in looked)
    if not fit:
        click.echo()
        print_line(OTHERS)
    elif looked[0].state != "hidden":  # then nobody knows what the one in force holds
        click.echo("\n" + "\n".join(one_line(result) for result in reading_entry(settings, looked[0].definition)))
    sys.exit(0 if fit else FAILED)


async def _looked(settings: Settings, definitions: list[SearchIndex], *, dry_run: bool) -> list[InspectedIndex]:
    from corpus.index.azure.schema.create_indexes import create_index, inspect_index
    from corpus.index.azure.service.connection import Connection
    from corpus.index.azure.service.failures import MAKING
    from server.bootstrap import azure_service

    service = azure_service(settings, role=MAKING, key_kind="an admin key")
    async with Connection(service) as connection:
        return [await (inspect_index if dry_run else create_index)(connection, one) for one in definitions]


def _print_comparison(looked: InspectedIndex) -> None:
    states = {
        "made": "made",
        "absent": "would be made",
        "there": "is there already and was left alone",
        "hidden": "is there or not: this credential may not look",
    }
    click.echo(f"Index {looked.definition.name}: {states[looked.state]}")
    for difference in looked.differences:
        print_line(f"  {LABELS[difference.kind]}: {difference.text}", hanging=4)
