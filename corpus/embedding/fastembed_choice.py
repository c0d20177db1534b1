"""Which model fastembed is to load, and from where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType

from corpus.embedding.model_folder import found_in
from corpus.errors import NotConfigured


@dataclass(frozen=True, slots=True)
class Chosen:
    """`name` is what fastembed calls the model, `options` what it is given beside that."""

    id: str
    dimensions: int
    name: str
    options: dict[str, Any]


def chosen_model(model: str, folder: Path | None, dimensions: int | None) -> Chosen:
    """Raises NotConfigured for a model that is neither in the list of fastembed nor in the folder."""
    if folder is not None and not folder.is_dir():
        raise NotConfigured(f"RAG_EMBEDDER_FOLDER ({folder}) is no folder.")
    listed = {one["model"].lower(): one for one in TextEmbedding.list_supported_models()}
    described = listed.get(model.lower())
    if described is not None:
        return _listed(described, folder, dimensions)
    if folder is None:
        raise NotConfigured(
            f"fastembed has no model {model} in its list. Set RAG_EMBEDDER_FOLDER to the folder of its files, or "
            "RAG_EMBEDDER_MODEL to one of the list, such as sentence-transformers/"
            "paraphrase-multilingual-MiniLM-L12-v2."
        )
    return _custom(model, folder, dimensions)


def _listed(described: dict[str, Any], folder: Path | None, dimensions: int | None) -> Chosen:
    name, own = described["model"], described["dim"]
    if dimensions not in (None, own):
        raise NotConfigured(
            f"{name} gives vectors of {own} numbers, not of {dimensions}. Unset RAG_EMBEDDER_DIMENSIONS."
        )
    options: dict[str, Any] = {}
    if folder is not None:
        options = {"cache_dir": str(folder), "local_files_only": True}
        if (folder / described["model_file"]).is_file():
            options["specific_model_path"] = str(folder)
    return Chosen(f"fastembed/{name}", own, name, options)


def _custom(model: str, folder: Path, dimensions: int | None) -> Chosen:
    found = found_in(folder)
    length = dimensions or found.dimensions
    if length is None:
        raise NotConfigured(
            f"The length of the vectors of {model} is not known here. "
            "Set RAG_EMBEDDER_DIMENSIONS to what its description says."
        )
    identity = f"fastembed/{model}#{found.mark}"
    # The list of fastembed is one for the whole process.
    name = f"{identity}/{length}/{found.file}"
    if not any(one["model"] == name for one in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            name, PoolingType(found.pooling), normalization=True, sources=ModelSource(hf=model), dim=length,
            model_file=found.file,
        )  # fmt: skip
    options = {"cache_dir": str(folder), "local_files_only": True, "specific_model_path": str(folder)}
    return Chosen(identity, length, name, options)
