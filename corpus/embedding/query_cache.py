"""Cache the vectors of the last queries, because an answer is often requested right after a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus.processes.lru_cache import LRUCache

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors

MAX_QUERIES = 64
"""Maximum number of cached queries. Their vectors need about 100 KB, and a query is repeated, if at all, within the
next few queries."""


class CachedQueries:
    """An `Embedder` that caches another embedder's query vectors. It does not cache failures or passages."""

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
        """Embed a query: a read-only vector, shape (dimensions,)."""
        key = (self.id, text)
        vector = self._cache.get(key)
        if vector is None:
            vector = await self._embedder.query(text)
            vector.flags.writeable = False
            self._cache.put(key, vector)
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: vectors, shape (len(texts), dimensions)."""
        return await self._embedder.passages(texts)

    async def aclose(self) -> None:
        """Clear the cache and close the embedder."""
        self._cache.clear()
        await self._embedder.aclose()
