"""`ibid azure create-indexes`"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from server.commands.azure_definitions import Wanted, definitions_of, masked
from server.commands.azure_shown import in_words, reading_settings
from server.commands.running import FAILED, run, settings_and_logs
from server.commands.shown import line
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.index.azure.making import Looked
    from corpus.index.azure.schema import SearchIndex


@click.command("create-indexes")
@click.option("--dry-run", is_flag=True, help="Show what would be made, and change nothing.")
@click.option(
    "--json", "as_json", is_flag=True, help="With --dry-run: the definitions as the service takes them."
)
@click.option(
    "--semantic", is_flag=True, help="With a semantic configuration; the service must have the ranker."
)
@click.option("--analyzer", default="standard.lucene", show_default=True, metavar="NAME",
              help="How words are split and stemmed, such as de.microsoft or en.lucene.")  # fmt: skip
@click.option("--vectorizer", type=click.Choice(["azure-openai"]),
              help="Let the service embed queries itself, by the deployment of RAG_EMBEDDER=azure-openai. Its key, if "
                   "there is one, is stored in the index.")  # fmt: skip
@click.option("--no-vectors", is_flag=True, help="Without vector fields: searches are by words.")
def command(
    dry_run: bool, as_json: bool, semantic: bool, analyzer: str, vectorizer: str | None, no_vectors: bool
) -> None:
    """Make the index of blocks and the index of documents on the service of AZURE_SEARCH_ENDPOINT.

    An index that is there is left alone and compared; exit code 1 says that it does not fit. None is ever changed or
    dropped. Whose vectors they hold, and whether access lists tell kinds of principals apart, is decided by the
    settings and written into the description of both.
    """
    if as_json and not dry_run:
        raise click.UsageError("--json goes with --dry-run.")
    settings = settings_and_logs()
    wanted = Wanted(semantic, analyzer, vectorizer is not None, not no_vectors)
    definitions = definitions_of(settings, wanted)
    if as_json:
        click.echo(json.dumps([masked(one) for one in definitions], indent=2))
        return
    if dry_run:
        click.echo("\n\n".join(in_words(one) for one in definitions) + "\n")
    looked = run(lambda: _looked(settings, definitions, dry_run=dry_run))
    for one in looked:
        _say(one)
    if all(one.fits for one in looked):
        click.echo("\n" + "\n".join(line(one) for one in reading_settings(settings, looked[0].definition)))
    sys.exit(0 if all(one.fits for one in looked) else FAILED)


async def _looked(settings: Settings, definitions: list[SearchIndex], *, dry_run: bool) -> list[Looked]:
    from corpus.index.azure.connection import Connection
    from corpus.index.azure.making import look, make
    from server.wiring import azure_service

    async with Connection(azure_service(settings)) as connection:
        return [await (look if dry_run else make)(connection, one) for one in definitions]


def _say(looked: Looked) -> None:
    said = {
        "made": "made",
        "absent": "would be made",
        "there": "is there already and was left alone",
        "hidden": "is there or not: this credential may not look",
    }
    click.echo(f"Index {looked.definition.name}: {said[looked.state]}")
    for one in looked.differences:
        click.echo(f"  {'does not fit' if one.hinders else 'differs'}: {line(one.text)}")
