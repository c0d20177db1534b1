"""Build the definitions of both indexes from options and settings, and print them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from corpus.errors import NotConfigured
from server.commands.running import failure
from server.settings.model import Settings

if TYPE_CHECKING:
    from corpus.index.azure.schema.create_indexes import SearchField, SearchIndex, Vectorizer


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options say."""

    semantic: bool
    analyzer: str
    vectorizer: bool
    vectors: bool


def definitions_of(settings: Settings, wanted: Wanted) -> list[SearchIndex]:
    """The definitions of the content index and the documents index, in this order. Raises NotConfigured."""
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
            "--vectorizer azure-openai needs RAG_EMBEDDER=azure-openai, whose model also makes the vectors of passages."
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
    """Without the key of a vectorizer."""
    whole: dict[str, Any] = definition.as_dict()
    for vectorizer in (whole.get("vectorSearch") or {}).get("vectorizers") or ():
        parameters = vectorizer.get("azureOpenAIParameters") or {}
        if parameters.get("apiKey"):
            parameters["apiKey"] = "********"
    return whole


ABILITIES = ("key", "searchable", "filterable", "sortable", "facetable")


def definition_text(definition: SearchIndex) -> str:
    """One field a line, with its type and what it can do."""
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
    """The lines of a client's configuration for a reader with a query key, whom settings must tell what such a key may
    not see. Who asks, and the key, are left to fill in."""
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
    head = "The entry of a client that reads with a query key; put that key and who asks in the two places:"
    return [head, *entry.splitlines()]
