"""Cache the vectors of the last queries, because an answer is often requested right after a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus.processes.lru_cache import LRUCache

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors

MAX_QUERIES = 64
"""Maximum number of cached queries. Their vectors take about 100 KB, and a follow-up question comes within a few
queries."""


class CachedQueries:
    """An `Embedder` that caches the query vectors of another embedder. Failures are not cached; passages are passed
    through."""

    def __init__(self, embedder: Embedder, most: int = MAX_QUERIES) -> None:
        self._embedder = embedder
        self._cache: LRUCache[Vectors] = LRUCache(most)

    @property
    def id(self) -> str:
        """The id of the wrapped embedder."""
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._embedder.dimensions

    async def query(self, text: str) -> Vectors:
        """Return the vector of a question, shape (dimensions,), read-only."""
        key = (self.id, text)
        vector = self._cache.get(key)
        if vector is None:
            vector = await self._embedder.query(text)
            vector.flags.writeable = False
            self._cache.put(key, vector)
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of passages, shape (texts, dimensions)."""
        return await self._embedder.passages(texts)

    async def aclose(self) -> None:
        """Drop the cache and close the embedder."""
        self._cache.clear()
        await self._embedder.aclose()
