"""Cosine similarity of texts to a question, with a cache of text vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import structlog

from corpus.embedding.protocol import Embedder
from corpus.processes.lru_cache import LRUCache

if TYPE_CHECKING:
    from corpus.embedding.protocol import Vectors

MAX_VECTORS = 2000
"""Cached vectors, about 3 MB. Answers are requested again, and every round of a call compares the same texts."""

log = structlog.stdlib.get_logger("ibid")


class QuerySimilarity:
    """Compares texts with questions by an embedder."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: LRUCache[Vectors] = LRUCache(MAX_VECTORS)

    async def cosines(self, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        """The cosine of each text with the question, by text. Empty without an embedder and where it fails."""
        if self._embedder is None or not texts:
            return {}
        try:
            return await self._compare(self._embedder, question, texts)
        except Exception:
            log.warning("synthesis.nearness_unknown", exc_info=True)
            return {}

    async def _compare(self, embedder: Embedder, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        vectors = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        for text, vector in zip(missing, await embedder.passages(missing) if missing else (), strict=True):
            vectors[text] = vector
            self._vectors.put(text, vector)
        query = await embedder.query(question)
        return {text: float(vector @ query) for text, vector in vectors.items()}
