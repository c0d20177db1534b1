"""A local cross-encoder: a tiny one in a folder, without network access."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpus.errors import IbidError, NotConfigured, Timeout
from corpus.reranking import RerankerChoice, choose, rerankers
from corpus.reranking.rerankers import CrossEncoder

pytest.importorskip("fastembed", reason="onnxruntime has no wheel for this platform")

import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.embedding.tiny_model import WORDS, write_model

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cross-encoder in the published format, whose score is the sum of the weights of the words in the pair."""
    place = write_model(tmp_path / "model")
    weights = np.array([[{"pump": 3.0, "leaks": 2.0}.get(word, 0.0)] for word in WORDS], dtype=np.float32)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "words"])
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "axes"], ["logits"], keepdims=0),
    ]
    held = [numpy_helper.from_array(weights, "table"), numpy_helper.from_array(np.array([1]), "axes")]
    graph = helper.make_graph(nodes, "tiny", [ids], [out], held)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9),
        place / "model.onnx",
    )
    return place


async def test_a_model_in_a_folder_scores_query_and_text_together(folder: Path) -> None:
    reranker = choose(RerankerChoice("fastembed", "acme/tiny-cross", folder=folder))
    assert reranker is not None
    texts = ["grease bearing", "pump leaks", "pump"] * 5
    assert await reranker.scores("bearing", texts) == pytest.approx([0.0, 5.0, 3.0] * 5)
    assert await reranker.scores("leaks", texts[:2]) == pytest.approx([2.0, 7.0])
    await reranker.aclose()


async def test_a_folder_without_a_model_reports_the_missing_files(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match=r"model\.onnx is missing"):
        await CrossEncoder("acme/nothing", tmp_path).scores("pump", ["a", "b"])


async def test_a_damaged_model_is_reported_and_not_loaded_again(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no model")
    reranker = CrossEncoder("acme/damaged", folder)
    with pytest.raises(NotConfigured, match="could not be loaded") as first:
        await reranker.scores("pump", ["a", "b"])
    with pytest.raises(NotConfigured) as second:
        await reranker.scores("pump", ["a", "b"])
    assert first.value is second.value


async def test_an_unlisted_model_needs_a_folder() -> None:
    with pytest.raises(NotConfigured, match="RAG_RERANKER_FOLDER"):
        await CrossEncoder("acme/unheard-of").scores("pump", ["a", "b"])


async def test_a_reranker_that_takes_too_long_is_abandoned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerankers, "LOCAL_TIMEOUT_SECONDS", -0.5)
    with pytest.raises(Timeout, match="RAG_RERANKER_CANDIDATES"):
        await CrossEncoder("acme/tiny-cross", folder).scores("pump", ["a", "b"])


@pytest.mark.parametrize(
    ("choice", "named"),
    [
        (RerankerChoice("http"), "RAG_RERANKER_URL"),
        (RerankerChoice("fastembed"), "RAG_RERANKER_MODEL"),
        (RerankerChoice("magic"), "none, http, fastembed"),
        (RerankerChoice("http", url="http://127.0.0.1/rerank", api_key="a\nb"), "RAG_RERANKER_API_KEY"),
    ],
)
def test_missing_settings_of_a_reranker_are_named(choice: RerankerChoice, named: str) -> None:
    with pytest.raises(IbidError, match=named):
        choose(choice)


def test_the_default_is_no_reranker() -> None:
    assert choose(RerankerChoice("none")) is None
