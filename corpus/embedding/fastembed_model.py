"""A sentence model in a folder as its authors publish it: ONNX file, tokenizer and pooling."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

from corpus.errors import NotConfigured

_USUAL = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_PARTS = ("tokenizer.json", "tokenizer_config.json")
_ENDS = 1 << 20
"""Number of bytes hashed at each end of a file. Hashing a whole large model would take seconds at every start."""


@dataclass(frozen=True, slots=True)
class FolderModel:
    """A model in a folder. `file` is relative to the folder; `pooling` is CLS, MEAN or LAST_TOKEN; `mark` is a digest
    that changes if the vectors change."""

    file: str
    pooling: str
    mark: str
    dimensions: int | None


def model_in(folder: Path) -> FolderModel:
    """Describe the model in a folder. Raises NotConfigured if the folder contains none."""
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
    """Hash the pooling, and the size and both ends of each file."""
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
    """A model for fastembed. `name` is fastembed's name of the model; `options` are further arguments for loading
    it."""

    id: str
    dimensions: int
    name: str
    options: dict[str, Any]


def find_model(model: str, folder: Path | None, dimensions: int | None) -> FastembedModel:
    """Find the model in fastembed's list or in the folder. Raises NotConfigured if it is in neither."""
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
    """Describe a model of fastembed's list."""
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
    """Describe a model in a folder and register it with fastembed."""
    published = model_in(folder)
    length = dimensions or published.dimensions
    if length is None:
        raise NotConfigured(
            f"The length of the vectors of {model} is not known here. "
            "Set RAG_EMBEDDER_DIMENSIONS to what its description says."
        )
    identity = f"fastembed/{model}#{published.mark}"
    # fastembed has one model list for the whole process.
    name = f"{identity}/{length}/{published.file}"
    if not any(entry["model"] == name for entry in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            name, PoolingType(published.pooling), normalization=True, sources=ModelSource(hf=model), dim=length,
            model_file=published.file,
        )  # fmt: skip
    options = {"cache_dir": str(folder), "local_files_only": True, "specific_model_path": str(folder)}
    return FastembedModel(identity, length, name, options)
