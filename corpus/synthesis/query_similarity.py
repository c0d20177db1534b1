"""Cosine similarity of texts to a question, with a cache of text vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import anyio
import structlog

from corpus.embedding.protocol import Embedder
from corpus.processes.lru_cache import LRUCache
from corpus.synthesis.extractive.meanings import COMMON_WORDS, Compared, Similarities

if TYPE_CHECKING:
    from corpus.embedding.protocol import Vectors

MAX_VECTORS = 4000
"""Maximum number of cached vectors, about 6 MB. The same texts recur in repeated requests and in every round of a
call."""

log = structlog.stdlib.get_logger("ibid")


class QuerySimilarity:
    """Compares texts with questions by their embeddings."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: LRUCache[Vectors] = LRUCache(MAX_VECTORS)
        self._under_way: dict[str, anyio.Event] = {}

    async def cosines(self, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine of each text with the question, by text. Return an empty mapping without an embedder, or if
        the embedder fails."""
        if self._embedder is None or not texts:
            return {}
        try:
            return await self._compare(self._embedder, question, texts)
        except Exception:
            log.warning("synthesis.nearness_unknown", exc_info=True)
            return {}

    async def between(self, compared: Compared) -> Similarities:
        """Return the centred cosine of each word with each text. Return an empty mapping without an embedder, words or
        texts, or if the embedder fails."""
        if self._embedder is None or not (compared.words and compared.texts):
            return {}
        texts = dict.fromkeys((*COMMON_WORDS, *compared.words, *compared.texts))
        try:
            vectors = await self._vectors_of(self._embedder, tuple(texts))
        except Exception:
            log.warning("synthesis.meanings_unknown", exc_info=True)
            return {}
        centre = sum(vectors[word] for word in COMMON_WORDS) / len(COMMON_WORDS)
        centred = {text: (vector - centre) / _length(vector - centre) for text, vector in vectors.items()}
        return {
            word: {text: float(centred[word] @ centred[text]) for text in compared.texts} for word in compared.words
        }

    async def _compare(self, embedder: Embedder, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        vectors = await self._vectors_of(embedder, texts)
        query = await embedder.query(question)
        return {text: float(vector @ query) for text, vector in vectors.items()}

    async def _vectors_of(self, embedder: Embedder, texts: Sequence[str]) -> dict[str, Vectors]:
        vectors = dict[str, "Vectors"]()
        while missing := self._missing(texts, vectors):
            own = [text for text in missing if text not in self._under_way]
            if own:
                vectors |= await self._embed(embedder, own)
            else:
                await self._under_way[missing[0]].wait()
        return vectors

    def _missing(self, texts: Sequence[str], vectors: dict[str, Vectors]) -> list[str]:
        """Add the cached vectors to `vectors`, and return the distinct texts that still lack a vector."""
        vectors |= {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        return [text for text in dict.fromkeys(texts) if text not in vectors]

    async def _embed(self, embedder: Embedder, texts: Sequence[str]) -> dict[str, Vectors]:
        """Embed texts and cache their vectors. Concurrent calls for the same texts wait for these vectors."""
        done = anyio.Event()
        self._under_way |= dict.fromkeys(texts, done)
        try:
            vectors = dict(zip(texts, await embedder.passages(texts), strict=True))
        finally:
            for text in texts:
                del self._under_way[text]
            done.set()
        for text, vector in vectors.items():
            self._vectors.put(text, vector)
        return vectors


def _length(vector: Vectors) -> float:
    return float(vector @ vector) ** 0.5 or 1.0
