"""Cache the vectors of the last queries: an answer is often requested right after a search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors

MOST = 64
"""Queries. Their vectors take about 100 KB, and a follow-up question comes within a few."""


class RememberedQueries:
    """An `Embedder` that caches another's query vectors. Failures are not cached; passages pass through."""

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder = embedder
        self._most = most
        self._vectors: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    @property
    def id(self) -> str:
        """The inner embedder's id."""
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        """The inner embedder's dimensions."""
        return self._embedder.dimensions

    async def query(self, text: str) -> Vectors:
        """Return the cached vector, read-only, or compute it. Raises as the inner embedder."""
        key = (self.id, text)
        if key not in self._vectors:
            vector = await self._embedder.query(text)
            vector.flags.writeable = False
            self._vectors[key] = vector
        vector = self._vectors[key]
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._most:
            self._vectors.popitem(last=False)
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages with the inner embedder."""
        return await self._embedder.passages(texts)

    async def aclose(self) -> None:
        """Drop the cache and close the inner embedder."""
        self._vectors.clear()
        await self._embedder.aclose()
