"""Placeholders for optional parts that cannot be created, because a package is missing or a setting is invalid.

Each placeholder fails only when it is used, like a service that is down, and its error says how to fix the cause.
Callers already handle such failures: a search falls back to keywords, hits keep the order of the index, an answer is
composed from excerpts. Everything else works.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from corpus.errors import NotConfigured

if TYPE_CHECKING:
    from corpus.embedding.protocol import Vectors
    from corpus.generation.protocol import Generated, Prompt


@dataclass(frozen=True, slots=True)
class _Unavailable:
    """A placeholder for a part. `id` is the part's name in warnings. `reason` is the cause, with advice on how to fix
    it."""

    id: str
    reason: str

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""

    def _fail(self) -> NoReturn:
        raise NotConfigured(self.reason)


@dataclass(frozen=True, slots=True)
class UnavailableGenerator(_Unavailable):
    """A placeholder for a `TextGenerator`."""

    async def generate(self, prompt: Prompt) -> Generated:
        """Raise NotConfigured."""
        self._fail()


@dataclass(frozen=True, slots=True)
class UnavailableEmbedder(_Unavailable):
    """A placeholder for an `Embedder`. Its id matches no index."""

    dimensions: int = 0

    async def query(self, text: str) -> Vectors:
        """Raise NotConfigured."""
        self._fail()

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Raise NotConfigured."""
        self._fail()


@dataclass(frozen=True, slots=True)
class UnavailableReranker(_Unavailable):
    """A placeholder for a `Reranker`."""

    @property
    def name(self) -> str:
        """Return the name of the model that cannot be created."""
        return self.id

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raise NotConfigured."""
        self._fail()
