"""A sentence model in a folder as its authors publish it: ONNX file, tokenizer and pooling."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.errors import NotConfigured

_USUAL = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx")
_PARTS = ("tokenizer.json", "tokenizer_config.json")
_ENDS = 1 << 20
"""Bytes hashed at each end of a file. The whole of a large model would take seconds at every start."""


@dataclass(frozen=True, slots=True)
class FolderModel:
    """`file` is relative to the folder, `pooling` one of CLS, MEAN and LAST_TOKEN. `mark` is a digest that changes
    with the vectors."""

    file: str
    pooling: str
    mark: str
    dimensions: int | None


def found_in(folder: Path) -> FolderModel:
    """Describe the model in a folder. Raises NotConfigured where the folder holds none."""
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
    """Hash the pooling, and size and both ends of each file."""
    digest = hashlib.sha256(pooling.encode())
    for path in files:
        size = path.stat().st_size
        digest.update(str(size).encode())
        with path.open("rb") as file:
            digest.update(file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    return digest.hexdigest()[:12]
