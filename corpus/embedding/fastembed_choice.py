"""Find the model that fastembed is to load."""

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
    """`name` is fastembed's name of the model, `options` further arguments for loading it."""

    id: str
    dimensions: int
    name: str
    options: dict[str, Any]


def chosen_model(model: str, folder: Path | None, dimensions: int | None) -> Chosen:
    """Find the model in fastembed's list or in the folder. Raises NotConfigured where it is in neither."""
    if folder is not None and not folder.is_dir():
        raise NotConfigured(f"RAG_EMBEDDER_FOLDER ({folder}) is no folder.")
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


def _listed_model(entry: dict[str, Any], folder: Path | None, dimensions: int | None) -> Chosen:
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
    return Chosen(f"fastembed/{name}", own, name, options)


def _folder_model(model: str, folder: Path, dimensions: int | None) -> Chosen:
    """Describe a model in a folder and register it with fastembed."""
    published = found_in(folder)
    length = dimensions or published.dimensions
    if length is None:
        raise NotConfigured(
            f"The length of the vectors of {model} is not known here. "
            "Set RAG_EMBEDDER_DIMENSIONS to what its description says."
        )
    identity = f"fastembed/{model}#{published.mark}"
    # fastembed has one list for the whole process.
    name = f"{identity}/{length}/{published.file}"
    if not any(entry["model"] == name for entry in TextEmbedding.list_supported_models()):
        TextEmbedding.add_custom_model(
            name, PoolingType(published.pooling), normalization=True, sources=ModelSource(hf=model), dim=length,
            model_file=published.file,
        )  # fmt: skip
    options = {"cache_dir": str(folder), "local_files_only": True, "specific_model_path": str(folder)}
    return Chosen(identity, length, name, options)
