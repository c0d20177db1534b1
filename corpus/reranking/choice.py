"""The reranker's configuration, independent of where settings come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """`name` is one of `corpus.reranking.CHOICES`; fields that this reranker does not need are ignored."""

    name: str
    model: str | None = None
    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    folder: Path | None = None
