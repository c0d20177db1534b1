"""Rerank the best hits with a model that reads the question and the passage together. Off by default."""

from __future__ import annotations

from corpus.errors import NotConfigured
from corpus.reranking.protocol import Reranker, RerankerChoice

__all__ = ["CHOICES", "Reranker", "RerankerChoice", "choose"]

CHOICES = ("none", "http", "fastembed")


def choose(choice: RerankerChoice) -> Reranker | None:
    """Return the configured reranker, or None for `none`. Nothing is loaded or sent.

    Raises NotConfigured for an unknown name or a missing setting.
    """
    if choice.name not in CHOICES:
        raise NotConfigured(f"There is no reranker {choice.name[:40]!r}. RAG_RERANKER is one of: {', '.join(CHOICES)}.")
    if choice.name == "none":
        return None
    if choice.name == "http":
        from corpus.reranking.rerankers import HttpReranker

        return HttpReranker(_setting_value(choice.url, "RAG_RERANKER_URL", choice), choice.model, choice.api_key)
    from corpus.reranking.rerankers import CrossEncoder

    return CrossEncoder(_setting_value(choice.model, "RAG_RERANKER_MODEL", choice), choice.folder)


def _setting_value(value: str | None, setting: str, choice: RerankerChoice) -> str:
    """Return the setting's value. Raises NotConfigured if it is not set."""
    if not value:
        raise NotConfigured(f"{setting} is not set. RAG_RERANKER={choice.name} needs it.")
    return value
