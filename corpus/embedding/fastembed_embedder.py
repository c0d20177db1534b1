"""Local models run by fastembed: models from its list, and any sentence embedding model whose published files (ONNX
file, tokenizer and pooling) are in a folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
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

    from corpus.embedding.protocol import Vectors

AT_ONCE = 16
"""Number of texts in a batch. Larger batches need more memory but save no time."""


class FastembedEmbedder:
    """An `Embedder` that loads its model on first use, in a worker thread. If a folder is given, nothing is downloaded;
    otherwise fastembed downloads the model from `HF_ENDPOINT` to `FASTEMBED_CACHE_PATH`.

    Accessing `id` or `dimensions` imports fastembed, and raises NotConfigured if neither fastembed's list nor the
    folder contains the model.
    """

    def __init__(self, model: str, folder: Path | None = None, dimensions: int | None = None) -> None:
        require_package("fastembed", extra="fastembed")
        self._name = model
        self._folder = folder
        self._requested_dimensions = dimensions
        # The model's tokenizer truncates texts; this limit only bounds the cost.
        self._texts = replace(known_model(model), tokens=8191)
        self._model = LazyModel(self._load, self._cure)

    @property
    def id(self) -> str:
        """`fastembed/` and the model's name, followed by a digest of its files if the model is in a folder."""
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


_USUAL = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_PARTS = ("tokenizer.json", "tokenizer_config.json")
_ENDS = 1 << 20
"""Number of bytes to hash at each end of a file. Hashing an entire large model would take seconds at every start."""


@dataclass(frozen=True, slots=True)
class FolderModel:
    """A model in a folder. `file` is relative to the folder, and `pooling` is CLS, MEAN or LAST_TOKEN. `mark` is a
    digest that changes if the vectors may change."""

    file: str
    pooling: str
    mark: str
    dimensions: int | None


def model_in(folder: Path) -> FolderModel:
    """Describe the model in a folder. Raises NotConfigured if the folder contains no model."""
    files = [name for name in _USUAL if (folder / name).is_file()]
    if not files:
        others = sorted(path.relative_to(folder).as_posix() for path in folder.glob("**/*.onnx"))
        files = others if len(others) == 1 else []
    missing = [name for name in _PARTS if not (folder / name).is_file()]
    if not files or missing:
        raise NotConfigured(
            f"RAG_EMBEDDER_FOLDER ({folder}) holds no model: {', '.join(missing) or 'model.onnx'} is missing there."
        )
    pooling = _pooling(_json(folder / "1_Pooling" / "config.json"))
    mark = _mark(pooling, folder / files[0], folder / "tokenizer.json")
    size = _json(folder / "config.json").get("hidden_size")
    return FolderModel(files[0], pooling, mark, size if isinstance(size, int) else None)


def _pooling(config: dict[str, Any]) -> str:
    if config.get("pooling_mode_cls_token"):
        return "CLS"
    return "LAST_TOKEN" if config.get("pooling_mode_lasttoken") else "MEAN"


def _json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _mark(pooling: str, *files: Path) -> str:
    """Hash the pooling, and the size and both ends of each file. Return the digest."""
    digest = hashlib.sha256(pooling.encode())
    for path in files:
        size = path.stat().st_size
        digest.update(str(size).encode())
        with path.open("rb") as file:
            digest.update(file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class FastembedModel:
    """A model as fastembed loads it. `name` is fastembed's name for it, and `options` are further arguments for loading
    it."""

    id: str
    dimensions: int
    name: str
    options: dict[str, Any]


def find_model(model: str, folder: Path | None, dimensions: int | None) -> FastembedModel:
    """Find the model in fastembed's list or in the folder. Raises NotConfigured if neither contains it."""
    from fastembed import TextEmbedding

    if folder is not None and not folder.is_dir():
        raise NotConfigured(f"RAG_EMBEDDER_FOLDER ({folder}) is not a folder.")
    listed = {model_["model"].lower(): model_ for model_ in TextEmbedding.list_supported_models()}
    entry = listed.get(model.lower())
    if entry is not None:
        return _listed_model(entry, folder, dimensions)
    if folder is None:
        raise NotConfigured(
            f"fastembed has no model {model} in its list. Set RAG_EMBEDDER_FOLDER to the folder of its files, or "
            "RAG_EMBEDDER_MODEL to one of the list, such as sentence-transformers/"
            "paraphrase-multilingual-MiniLM-L12-v2."
        )
    return _folder_model(model, folder, dimensions)


def _listed_model(entry: dict[str, Any], folder: Path | None, dimensions: int | None) -> FastembedModel:
    """Describe a model from fastembed's list."""
    name, own = entry["model"], entry["dim"]
    if dimensions not in (None, own):
        raise NotConfigured(
            f"{name} gives vectors of {own} numbers, not of {dimensions}. Unset RAG_EMBEDDER_DIMENSIONS."
        )
    options: dict[str, Any] = {}
    if folder is not None:
        options = {"cache_dir": str(folder), "local_files_only": True}
        if (folder / entry["model_file"]).is_file():
            options["specific_model_path"] = str(folder)
    return FastembedModel(f"fastembed/{name}", own, name, options)


def _folder_model(model: str, folder: Path, dimensions: int | None) -> FastembedModel:
    """Describe a model in a folder, and register it with fastembed."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    published = model_in(folder)
    length = dimensions or published.dimensions
    if length is None:
        raise NotConfigured(
            f"The vector length of {model} is unknown. Set RAG_EMBEDDER_DIMENSIONS to the value in its description."
        )
    identity = f"fastembed/{model}#{published.mark}"
    # fastembed has one list of models for the entire process.
    name = f"{identity}/{length}/{published.file}"
    if not any(entry["model"] == name for entry in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            name, PoolingType(published.pooling), normalization=True, sources=ModelSource(hf=model), dim=length,
            model_file=published.file,
        )  # fmt: skip
    options = {"cache_dir": str(folder), "local_files_only": True, "specific_model_path": str(folder)}
    return FastembedModel(identity, length, name, options)
