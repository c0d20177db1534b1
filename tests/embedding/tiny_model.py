"""A sentence model of a few kilobytes, in the format of published models: each word has its own direction."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = ("[PAD]", "[UNK]", "pump", "leaks", "grease", "bearing", "query", "passage", ":")
DIMENSIONS = 16


def write_model(folder: Path, *, file: str = "model.onnx", seed: int = 1, pooling: str | None = None) -> Path:
    """Write the model into the folder, with word vectors from `seed`."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(seed).standard_normal((len(WORDS), DIMENSIONS)).astype(np.float32)
    onnx.save(_graph(table), folder / file)
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    _write(folder / "tokenizer_config.json", {"model_max_length": 64, "pad_token": "[PAD]"})
    _write(folder / "special_tokens_map.json", {"pad_token": "[PAD]", "unk_token": "[UNK]"})
    _write(folder / "config.json", {"hidden_size": DIMENSIONS, "pad_token_id": 0})
    if pooling:
        _write(folder / "1_Pooling" / "config.json", {pooling: True})
    return folder


def _graph(table: np.ndarray) -> onnx.ModelProto:
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "words"])
        for name in ("input_ids", "attention_mask")
    )
    out = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "words", table.shape[1]])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "tiny", [ids, mask], [out], [numpy_helper.from_array(table, "table")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def _write(path: Path, said: dict[str, object]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(said), encoding="utf-8")
