"""Write `corpus/embedding/e5_graph.onnx`: the computation graph of the packaged model, without its weights.

    python scripts/write_e5_graph.py

Post-norm BERT as in Devlin et al. (2019): 12 layers, 12 heads, exact GELU, mean over all tokens. Weights have the names
of the weights file, with matrices transposed to (in, out); onnxruntime receives them when it loads the graph.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, LAYERS, HEADS, FEED_FORWARD = 384, 12, 12, 1536
EPSILON = 1e-12
GRAPH = Path(__file__).parents[1] / "corpus/embedding/e5_graph.onnx"


class GraphWriter:
    """Collects the nodes, the constants, and the names and shapes of the weights."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, value: object, dtype: type = np.int64) -> str:
        name = f"c{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.array(value, dtype=dtype), name))
        return name

    def weight(self, name: str, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="replaced when the graph is loaded")
        self.tensors.append(tensor)
        return name

    def linear(self, x: str, name: str, inputs: int, outputs: int) -> str:
        product = self.node("MatMul", x, self.weight(f"{name}.w", inputs, outputs))
        return self.node("Add", product, self.weight(f"{name}.b", outputs))

    def layer_norm(self, x: str, name: str) -> str:
        weight, bias = self.weight(f"{name}.w", HIDDEN), self.weight(f"{name}.b", HIDDEN)
        return self.node("LayerNormalization", x, weight, bias, axis=-1, epsilon=EPSILON)


def model() -> onnx.ModelProto:
    """Build the model. The input `x` is the sum of the word, position and type embeddings, with the shape (1, tokens,
    384). The output `mean` has the shape (1, 384)."""
    writer = GraphWriter()
    split = writer.constant([0, 0, HEADS, HIDDEN // HEADS])
    joined = writer.constant([0, 0, HIDDEN])
    scale = writer.constant((HIDDEN // HEADS) ** -0.5, np.float32)
    x = writer.layer_norm("x", "emb.ln")
    for number in range(LAYERS):
        x = _layer(writer, x, f"l{number}", split, joined, scale)
    writer.node("ReduceMean", x, writer.constant([1]), output="mean", keepdims=0)
    graph = helper.make_graph(
        writer.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "tokens", HIDDEN])],
        [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, HIDDEN])],
        writer.tensors,
    )
    # Gelu was added in opset 20; onnxruntime has read IR version 9 since 1.16.
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def _layer(writer: GraphWriter, x: str, name: str, split: str, joined: str, scale: str) -> str:
    def heads(part: str, order: list[int]) -> str:
        rows = writer.node("Reshape", writer.linear(x, f"{name}.{part}", HIDDEN, HIDDEN), split)
        return writer.node("Transpose", rows, perm=order)

    scores = writer.node("MatMul", heads("q", [0, 2, 1, 3]), heads("k", [0, 2, 3, 1]))
    weights = writer.node("Softmax", writer.node("Mul", scores, scale), axis=-1)
    mixed = writer.node("MatMul", weights, heads("v", [0, 2, 1, 3]))
    mixed = writer.node("Reshape", writer.node("Transpose", mixed, perm=[0, 2, 1, 3]), joined)
    attention = writer.linear(mixed, f"{name}.ao", HIDDEN, HIDDEN)
    x = writer.layer_norm(writer.node("Add", x, attention), f"{name}.aln")
    inner = writer.node("Gelu", writer.linear(x, f"{name}.fi", HIDDEN, FEED_FORWARD))
    outer = writer.linear(inner, f"{name}.fo", FEED_FORWARD, HIDDEN)
    return writer.layer_norm(writer.node("Add", x, outer), f"{name}.oln")


if __name__ == "__main__":
    GRAPH.write_bytes(model().SerializeToString(deterministic=True))
    print(f"{GRAPH.name}: {GRAPH.stat().st_size:,} bytes")
