"""A cross-encoder that runs here, through fastembed: one of its list, or any in a folder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from corpus.errors import LLMError, NotConfigured, Timeout
from corpus.services.loading import Loaded
from corpus.services.packages import need

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

PATIENCE = 10.0
"""Seconds for one question, the loading of the model not among them."""
AT_ONCE = 8
"""Pairs; more take memory, not less time."""


class CrossEncoder:
    """Loads at first use, in a worker thread. With a folder nothing is fetched; without one, fastembed downloads the
    model at first use."""

    def __init__(self, model: str, folder: Path | None = None) -> None:
        need("fastembed", extra="fastembed")
        self.name = model
        self._folder = folder
        self._model = Loaded(self._load, self._cure)

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """As `Reranker.scores`. The first question waits for the model."""
        late = Timeout(
            f"{self.name} took more than {PATIENCE:.0f} seconds. Fewer RAG_RERANKER_CANDIDATES take less."
        )
        await anyio.to_thread.run_sync(self._model.get)
        with anyio.move_on_after(PATIENCE + 1):
            given = await anyio.to_thread.run_sync(
                partial(self._scored, query, list(texts)), abandon_on_cancel=True
            )
            if given is not None:
                return given
        raise late

    async def aclose(self) -> None:
        self._model.drop()

    def listed(self) -> str:
        """The name under which fastembed knows the model; that of a folder is told to it. Loads nothing. Raises
        NotConfigured for one that is nowhere."""
        from fastembed.common.model_description import ModelSource
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        known = {one["model"].lower(): one["model"] for one in TextCrossEncoder.list_supported_models()}
        if self._folder is None:
            if self.name.lower() in known:
                return str(known[self.name.lower()])
            raise NotConfigured(
                f"fastembed has no reranker {self.name} in its list. Set RAG_RERANKER_FOLDER to a folder with it."
            )
        # The list of fastembed is one for the whole process.
        name = f"{self.name}@{self._folder}"
        if name.lower() not in known:
            TextCrossEncoder.add_custom_model(
                name, sources=ModelSource(hf=self.name), model_file=_file(self._folder)
            )
        return name

    def _scored(self, query: str, texts: list[str]) -> list[float] | None:
        """None where there was no time for all: between two batches the clock is looked at, so that a thread whose
        caller has gone ends soon."""
        ends = monotonic() + PATIENCE
        found: list[float] = []
        for start in range(0, len(texts), AT_ONCE):
            if monotonic() > ends:
                return None
            some = texts[start : start + AT_ONCE]
            found += (float(score) for score in self._model.get().rerank(query, some, batch_size=AT_ONCE))
        if len(found) != len(texts) or not all(map(math.isfinite, found)):
            raise LLMError(
                f"The model {self.name} gave something that is no score. Its files may be damaged."
            )
        return found

    def _load(self) -> TextCrossEncoder:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        return TextCrossEncoder(self.listed(), **self._options())

    def _options(self) -> dict[str, Any]:
        if self._folder is None:
            return {}
        folder = str(self._folder)
        return {"cache_dir": folder, "local_files_only": True, "specific_model_path": folder}

    def _cure(self) -> str:
        if self._folder is not None:
            return (
                f"The reranker {self.name} could not be loaded from RAG_RERANKER_FOLDER ({self._folder}). It needs the "
                "ONNX file and the tokenizer's files there, as they are published."
            )
        return (
            f"The reranker {self.name} could not be downloaded. Check the network of this machine, or set "
            "RAG_RERANKER_FOLDER to a folder with its files."
        )


def _file(folder: Path) -> str:
    usual = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
    found = next((name for name in usual if (folder / name).is_file()), None)
    if found is None:
        raise NotConfigured(f"RAG_RERANKER_FOLDER ({folder}) holds no model: model.onnx is missing there.")
    return found
