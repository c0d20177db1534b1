"""The cache of recent query vectors: each is requested once, and the cache is bounded."""

from __future__ import annotations

import pytest

from corpus.embedding.protocol import Vectors
from corpus.embedding.query_cache import CachedQueries
from corpus.errors import Timeout
from tests.doubles.digest_embedder import DigestEmbedder

pytestmark = pytest.mark.anyio


class Counting(DigestEmbedder):
    def __init__(self, *failing: str) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.failing = [*failing]

    async def query(self, text: str) -> Vectors:
        self.asked.append(text)
        if text in self.failing:
            self.failing.remove(text)
            raise Timeout("The embedding service did not answer.")
        return await super().query(text)


async def test_a_recent_query_is_embedded_once() -> None:
    embedder = Counting()
    remembered = CachedQueries(embedder, most=2)
    for text in ("pump", "oil", "pump", "valve", "pump", "oil"):
        assert (await remembered.query(text) == await DigestEmbedder().query(text)).all()
    assert embedder.asked == ["pump", "oil", "valve", "oil"]


async def test_a_failed_query_is_embedded_again() -> None:
    embedder = Counting("pump")
    remembered = CachedQueries(embedder)
    with pytest.raises(Timeout):
        await remembered.query("pump")
    assert (await remembered.query("pump")).any()
    assert embedder.asked == ["pump", "pump"]


async def test_nobody_can_change_a_shared_vector() -> None:
    vector = await CachedQueries(Counting()).query("pump")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 0.0
