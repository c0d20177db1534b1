"""The vectors of the last questions, kept: an answer is often asked for right after the search for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors

MOST = 64


class RememberedQueries:
    """An `Embedder` in front of another. What failed is not kept; passages go through."""

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def query(self, text: str) -> Vectors:
        key = (self.id, text)
        if key not in self._kept:
            vector = await self._embedder.query(text)
            vector.flags.writeable = False
            self._kept[key] = vector
        vector = self._kept[key]
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embedder.passages(texts)

    async def aclose(self) -> None:
        self._kept.clear()
        await self._embedder.aclose()
