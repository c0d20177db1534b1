"""The protocol of rerankers, and their configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class Reranker(Protocol):
    """A model that scores texts against a query."""

    @property
    def name(self) -> str:
        """The name of the model or host, for messages to the user."""

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one finite score for each text, in the order of the texts. Only the ranking of the scores is
        meaningful.

        Returns or raises within ten seconds. Raises NotConfigured, LLMError or Timeout, each with a fix.
        """

    async def aclose(self) -> None:
        """Release models and connections."""


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """Configuration of a reranker. `name` is one of `corpus.reranking.CHOICES`; fields that the reranker does not need
    are ignored."""

    name: str
    model: str | None = None
    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    folder: Path | None = None
