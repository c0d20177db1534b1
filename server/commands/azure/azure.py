"""`ibid azure`: create the two indexes on Azure AI Search, and upload to them.

`ibid azure create-indexes` creates both indexes, or compares existing indexes with the settings. The index definitions
are built from options and settings, and can be printed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from corpus.errors import NotConfigured
from server.commands.azure.push import command as push
from server.commands.group import Subcommands
from server.commands.running import FAILED, failure, run, settings_and_logs
from server.commands.terminal import one_line, print_line, print_note
from server.settings.model import Settings

if TYPE_CHECKING:
    from corpus.index.azure.schema.create_indexes import InspectedIndex, SearchField, SearchIndex, Vectorizer


@dataclass(frozen=True, slots=True)
class Wanted:
    """The values of the options."""

    semantic: bool
    analyzer: str
    vectorizer: bool
    vectors: bool


def definitions_of(settings: Settings, wanted: Wanted) -> list[SearchIndex]:
    """Return the definitions of the content index and the documents index, in this order. Raise NotConfigured if the
    settings are incomplete."""
    from corpus.index.azure.schema.create_indexes import content_index, documents_index
    from corpus.index.azure.schema.index_schema import Mark

    prefixed = settings.principal_prefixes is not False
    identity = _embedder(settings) if wanted.vectors else None
    name, dimensions = identity or (None, None)
    mark = Mark(prefixed, name)
    vectorizer = _vectorizer(settings) if wanted.vectorizer and dimensions else None
    return [
        content_index(
            settings.azure_search_content_index, dimensions=dimensions, mark=mark, analyzer=wanted.analyzer,
            semantic=wanted.semantic, vectorizer=vectorizer,
        ),
        documents_index(settings.azure_search_documents_index, mark=mark, analyzer=wanted.analyzer),
    ]  # fmt: skip


def _embedder(settings: Settings) -> tuple[str, int] | None:
    from server.bootstrap import embedder

    try:
        chosen = embedder(settings)
    except NotConfigured as error:
        raise failure(error) from error
    return (chosen.id, chosen.dimensions) if chosen else None


def _vectorizer(settings: Settings) -> Vectorizer:
    from corpus.index.azure.schema.create_indexes import Vectorizer

    if settings.embedder != "azure-openai":
        raise click.UsageError(
            "--vectorizer azure-openai needs RAG_EMBEDDER=azure-openai, whose model also embeds the passages."
        )
    key = settings.azure_openai_api_key
    model = settings.embedder_model or ""
    return Vectorizer(
        settings.azure_openai_endpoint or "",
        settings.azure_openai_deployment or model,
        model,
        key.get_secret_value() if key else None,
    )


def masked(definition: SearchIndex) -> dict[str, Any]:
    """Return the definition as a dict in which the vectorizer's key is masked."""
    whole: dict[str, Any] = definition.as_dict()
    for vectorizer in (whole.get("vectorSearch") or {}).get("vectorizers") or ():
        parameters = vectorizer.get("azureOpenAIParameters") or {}
        if parameters.get("apiKey"):
            parameters["apiKey"] = "********"
    return whole


ABILITIES = ("key", "searchable", "filterable", "sortable", "facetable")


def definition_text(definition: SearchIndex) -> str:
    """Return the definition as text, with one line for each field that shows its type and its capabilities."""
    width = max(len(one.name) for one in definition.fields)
    fields = [f"  {one.name:{width}}  {_field(one)}" for one in definition.fields]
    more = []
    if definition.semantic_search and definition.semantic_search.configurations:
        names = ", ".join(one.name for one in definition.semantic_search.configurations)
        more.append(f"  Semantic configuration: {names}")
    for profile in (definition.vector_search and definition.vector_search.profiles) or ():
        asks = f", queries embedded by {profile.vectorizer_name}" if profile.vectorizer_name else ""
        more.append(f"  Vector profile: {profile.name} (HNSW, cosine{asks})")
    return "\n".join([f"Index {definition.name}", f"  {definition.description}", *fields, *more])


def _field(field: SearchField) -> str:
    from corpus.index.azure.schema.schema_diff import plain

    able = [name for name in ABILITIES if getattr(field, name)]
    able += ["hidden"] if field.retrievable is False else []
    more = [f"{field.vector_search_dimensions} dimensions"] if field.vector_search_dimensions else []
    more += [f"analyzer {plain(field.analyzer_name)}"] if field.analyzer_name else []
    more += [f"normalizer {plain(field.normalizer_name)}"] if field.normalizer_name else []
    return f"{plain(field.type)}  {', '.join([*able, *more])}".rstrip()


def reading_entry(settings: Settings, content: SearchIndex) -> list[str]:
    """Return the lines of a client configuration for a person who searches with a query key. They contain the settings
    that Ibid cannot read from the service with such a key. The user must fill in the caller's identity and the key."""
    from corpus.index.azure.schema.index_schema import mark_in, shape_of
    from server.bootstrap import picture_container

    shape = shape_of(content.name, content)
    mark = mark_in(shape.description)
    vectors = [name for name, one in shape.fields.items() if one.dimensions]
    vectorized = any(shape.fields[name].vectorized for name in vectors)
    container = picture_container(settings)
    values = {
        "RAG_BACKEND": "azure",
        "AZURE_SEARCH_ENDPOINT": settings.azure_search_endpoint,
        "AZURE_SEARCH_API_KEY": "QUERY_KEY",
        "AZURE_SEARCH_CONTENT_INDEX": settings.azure_search_content_index,
        "AZURE_SEARCH_DOCUMENTS_INDEX": settings.azure_search_documents_index,
        "RAG_AZURE_VECTOR_FIELDS": ",".join(vectors) or "none",
        "RAG_AZURE_SEMANTIC_CONFIG": next(iter(shape.semantic), "none"),
        "RAG_AZURE_EMBEDDER": ("vectorizer" if vectorized else mark and mark.embedder) if vectors else None,
        "RAG_PRINCIPAL_PREFIXES": str(mark.prefixed).lower() if mark else None,
        "AZURE_STORAGE_CONTAINER_URL": container.address if container else None,
        "RAG_USER_ID": "WHO_ASKS",
    }
    server = {"command": "ibid", "args": ["serve"], "env": {name: one for name, one in values.items() if one}}
    entry = json.dumps({"mcpServers": {"ibid": server}}, indent=2, ensure_ascii=False)
    head = "Configuration entry for a client that reads with a query key; fill in that key and the user id:"
    return [head, *entry.splitlines()]


NO_VECTORS = {
    "absent": "RAG_EMBEDDER provides no vectors here, so the index gets no vector fields.",
    "made": "RAG_EMBEDDER provides no vectors here, so the index has no vector fields.",
    "there": "RAG_EMBEDDER provides no vectors here, so vector fields of the index were not compared.",
}
"""Messages about missing vectors, by the state of the index."""
OTHERS = "Name other indexes (AZURE_SEARCH_CONTENT_INDEX, AZURE_SEARCH_DOCUMENTS_INDEX), or adapt the settings."
LABELS = {"unusable": "does not fit", "worse": "works less well", "choice": "differs"}


@click.command("create-indexes")
@click.option("--dry-run", is_flag=True, help="Show what would be created, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="With --dry-run: print the definitions as JSON for the service.")
@click.option("--semantic", is_flag=True, help="Add a semantic configuration; the service must have the ranker.")
@click.option("--analyzer", default="standard.lucene", show_default=True, metavar="NAME",
              help="Analyzer that splits and stems words, such as de.microsoft or en.lucene.")  # fmt: skip
@click.option("--vectorizer", type=click.Choice(["azure-openai"]),
              help="Let the service embed queries itself, with the deployment of RAG_EMBEDDER=azure-openai. Its key, "
                   "if any, is stored in the index.")  # fmt: skip
@click.option("--no-vectors", is_flag=True, help="Omit vector fields; only keyword search works.")
def create_indexes(
    dry_run: bool, as_json: bool, semantic: bool, analyzer: str, vectorizer: str | None, no_vectors: bool
) -> None:
    """Create the content index and the documents index on the service of AZURE_SEARCH_ENDPOINT.

    An existing index is never changed or dropped, only compared. A difference that "does not fit" prevents searches or
    uploads with these settings, and leads to exit code 1. A feature that "works less well" is missing or slower. A
    setting that "differs" is a choice of the index owner. The settings determine the embedder, and whether access lists
    distinguish kinds of principals; the descriptions of both indexes record this.
    """
    if as_json and not dry_run:
        raise click.UsageError("--json requires --dry-run.")
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
    elif looked[0].state != "hidden":  # if it is hidden, the definition of the existing index is unknown
        click.echo("\n" + "\n".join(one_line(result) for result in reading_entry(settings, looked[0].definition)))
    sys.exit(0 if fit else FAILED)


async def _looked(settings: Settings, definitions: list[SearchIndex], *, dry_run: bool) -> list[InspectedIndex]:
    from corpus.index.azure.schema.create_indexes import create_index, inspect_index
    from corpus.index.azure.service.azure_errors import MAKING
    from corpus.index.azure.service.connection import Connection
    from server.bootstrap import azure_service

    service = azure_service(settings, role=MAKING, key_kind="an admin key")
    async with Connection(service) as connection:
        return [await (inspect_index if dry_run else create_index)(connection, one) for one in definitions]


def _print_comparison(looked: InspectedIndex) -> None:
    states = {
        "made": "created",
        "absent": "would be created",
        "there": "already exists and was left unchanged",
        "hidden": "may or may not exist: this credential may not look",
    }
    click.echo(f"Index {looked.definition.name}: {states[looked.state]}")
    for difference in looked.differences:
        print_line(f"  {LABELS[difference.kind]}: {difference.text}", hanging=4)


@click.group("azure", cls=Subcommands)
def command() -> None:
    """Create the indexes on Azure AI Search, and upload the local index to them.

    Start with: ibid azure create-indexes, then: ibid azure push. Both need an admin key or the roles Search Service
    Contributor and Search Index Data Contributor; searching afterwards needs only a query key.
    """


command.add_command(create_indexes)
command.add_command(push)
