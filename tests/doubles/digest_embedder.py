"""An embedder whose vectors come from a digest of the words, so that texts with common words are close."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from corpus.embedding.protocol import Vectors


class DigestEmbedder:
    """An embedder with the same vectors in every process. Each word has its own direction, and a text is the sum of its
    words."""

    def __init__(self, name: str = "digest-1", dimensions: int = 64) -> None:
        self._name = name
        self._dimensions = dimensions

    @property
    def id(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        return 400

    async def query(self, text: str) -> Vectors:
        return self._vector(text)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._dimensions), dtype=np.float32)

    async def aclose(self) -> None:
        """Do nothing, because it has no resources."""

    def _vector(self, text: str) -> Vectors:
        words = re.findall(r"\w+", text.lower()) or [text]
        total = np.sum([_direction(self._name, word, self._dimensions) for word in words], axis=0, dtype=np.float64)
        return (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)


@lru_cache(maxsize=10_000)
def _direction(name: str, word: str, dimensions: int) -> Vectors:
    seed = int.from_bytes(hashlib.blake2b(f"{name} {word}".encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)
