"""Build the definitions of both indexes from options and settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from corpus.errors import NotConfigured
from server.commands.running import failure
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.index.azure.schema import SearchIndex, Vectorizer


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options say."""

    semantic: bool
    analyzer: str
    vectorizer: bool
    vectors: bool


def definitions_of(settings: Settings, wanted: Wanted) -> list[SearchIndex]:
    """The definitions of the content index and the documents index, in this order. Raises NotConfigured."""
    from corpus.index.azure.mark import Mark
    from corpus.index.azure.schema import content_index, documents_index

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
    from server.wiring import embedder

    try:
        chosen = embedder(settings)
    except NotConfigured as error:
        raise failure(error) from error
    return (chosen.id, chosen.dimensions) if chosen else None


def _vectorizer(settings: Settings) -> Vectorizer:
    from corpus.index.azure.schema import Vectorizer

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
