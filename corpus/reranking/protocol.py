"""What every reranker keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    @property
    def name(self) -> str:
        """For a sentence to a reader: the model, or the host that is asked."""

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers, finite, in the order of the texts; only their order means something.

        Answers or fails within ten seconds, as NotConfigured, LLMError or Timeout with the cure.
        """

    async def aclose(self) -> None: ...
