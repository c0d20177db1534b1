"""Which reranker, and what it needs to know: the settings, without where they came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """A name of `corpus.reranking.CHOICES`; what the one of that name does not need is ignored."""

    name: str
    model: str | None = None
    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    folder: Path | None = None
