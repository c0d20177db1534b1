"""Local models that fastembed runs: from its model list, or any sentence model in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from corpus.embedding.known_models import known_model
from corpus.embedding.vector_checks import WrongLength, unit_rows
from corpus.errors import InternalError, NotConfigured
from corpus.model_services.lazy_model import LazyModel
from corpus.model_services.service import BadAnswer, require_package

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from numpy.typing import NDArray

    from corpus.embedding.fastembed_model import FastembedModel
    from corpus.embedding.protocol import Vectors

AT_ONCE = 16
"""Number of texts in a batch. Larger batches take more memory and save no time."""


class FastembedEmbedder:
    """An `Embedder` that loads at first use, on a worker thread. With a folder it downloads nothing; without one,
    fastembed downloads the model from `HF_ENDPOINT` to `FASTEMBED_CACHE_PATH`.

    `id` and `dimensions` import fastembed. They raise NotConfigured if neither fastembed's list nor the folder
    describes the model.
    """

    def __init__(self, model: str, folder: Path | None = None, dimensions: int | None = None) -> None:
        require_package("fastembed", extra="fastembed")
        self._name = model
        self._folder = folder
        self._requested_dimensions = dimensions
        # The model's tokenizer truncates by itself; this only bounds the cost.
        self._texts = replace(known_model(model), tokens=8191)
        self._model = LazyModel(self._load, self._cure)

    @property
    def id(self) -> str:
        """`fastembed/` and the model's name; a model in a folder adds a digest of its files."""
        return self._description.id

    @property
    def dimensions(self) -> int:
        """The length of the model's vectors."""
        return self._description.dimensions

    async def query(self, text: str) -> Vectors:
        """Embed a query: one unit vector, shape (dimensions,)."""
        vector: Vectors = (await anyio.to_thread.run_sync(self._query, self._texts.query(text)))[0]
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: unit vectors, shape (len(texts), dimensions)."""
        import numpy as np

        cut = [self._texts.passage(text) for text in texts]
        parts = [
            await anyio.to_thread.run_sync(self._passages, cut[start : start + AT_ONCE])
            for start in range(0, len(cut), AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), dtype=np.float32)

    async def aclose(self) -> None:
        """Drop the model. A later call loads it again."""
        self._model.drop()

    def _query(self, text: str) -> Vectors:
        return self._check(list(self._model.get().query_embed(text)))

    def _passages(self, texts: list[str]) -> Vectors:
        return self._check(list(self._model.get().passage_embed(texts, batch_size=AT_ONCE)))

    def _check(self, rows: Sequence[NDArray[Any]]) -> Vectors:
        try:
            return unit_rows(rows, self.dimensions)
        except WrongLength as error:
            raise NotConfigured(
                f"The model {self._name} gives {error}. Set RAG_EMBEDDER_DIMENSIONS={error.length}."
            ) from error
        except BadAnswer as error:
            raise InternalError(f"The model {self._name} gave {error}. Its files may be damaged.") from error

    @cached_property
    def _description(self) -> FastembedModel:
        from corpus.embedding.fastembed_model import find_model

        return find_model(self._name, self._folder, self._requested_dimensions)

    def _load(self) -> TextEmbedding:
        from fastembed import TextEmbedding

        return TextEmbedding(self._description.name, **self._description.options)

    def _cure(self) -> str:
        if self._folder is not None:
            return (
                f"The model {self._name} could not be loaded from RAG_EMBEDDER_FOLDER ({self._folder}). It needs the "
                "ONNX file and the tokenizer's files there, as they are published."
            )
        return (
            f"The model {self._name} could not be downloaded. Check the network of this machine, or set "
            "RAG_EMBEDDER_FOLDER to a folder with its files."
        )
