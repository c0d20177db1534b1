"""Which embedder, and what it needs to know: the settings, without where they came from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """A name of `corpus.embedding.CHOICES`; what the one of that name does not need is ignored.

    `dimensions` is the length of the vectors, where it is asked for or the model is not a known one.
    `token` gives an access token for Azure OpenAI, anew for each request; it is asked only where there is no key.
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
