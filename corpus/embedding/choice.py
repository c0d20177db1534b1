"""The embedder's configuration, independent of where settings come from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """`name` is one of `corpus.embedding.CHOICES`; fields that this embedder does not need are ignored.

    `dimensions` is the vector length, for models that are unknown or can be shortened. `token` returns an Azure
    OpenAI access token for each request; it is called only where there is no key.
    """

    name: str
    model: str | None = None
    dimensions: int | None = None
    base_url: str = "https://api.openai.com/v1"
    api_key: str | None = field(default=None, repr=False)
    folder: Path | None = None
    endpoint: str | None = None
    deployment: str | None = None
    api_version: str = "2024-10-21"
    token: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
