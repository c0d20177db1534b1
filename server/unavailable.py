"""Stand-ins for optional parts that cannot be created: a package is missing, or a setting does not fit.

Each fails only when it is used, as a service that is down fails, and its error says how to repair it. Their callers
already handle that: a search continues by words, the order of the index stays, an answer is composed. Everything else
works meanwhile.
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
    """A stand-in for a part. `id` is the part's name in warnings. `reason` is the cause, with the way to repair it."""

    id: str
    reason: str

    async def aclose(self) -> None:
        """Close nothing."""

    def _fail(self) -> NoReturn:
        raise NotConfigured(self.reason)


@dataclass(frozen=True, slots=True)
class UnavailableGenerator(_Unavailable):
    """A `TextGenerator`."""

    async def generate(self, prompt: Prompt) -> Generated:
        """Raise NotConfigured."""
        self._fail()


@dataclass(frozen=True, slots=True)
class UnavailableEmbedder(_Unavailable):
    """An `Embedder` whose id matches no index."""

    dimensions: int = 0

    async def query(self, text: str) -> Vectors:
        """Raise NotConfigured."""
        self._fail()

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Raise NotConfigured."""
        self._fail()


@dataclass(frozen=True, slots=True)
class UnavailableReranker(_Unavailable):
    """A `Reranker`."""

    @property
    def name(self) -> str:
        """Return the name of the model that cannot be created."""
        return self.id

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Raise NotConfigured."""
        self._fail()
