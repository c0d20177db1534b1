"""Local models with fastembed, with a tiny model in a folder and without network access."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpus.embedding.fastembed_embedder import FastembedEmbedder
from corpus.errors import InternalError, NotConfigured
from corpus.model_services import service

pytest.importorskip("fastembed", reason="onnxruntime has no wheel for this platform")

from tests.embedding.tiny_model import DIMENSIONS, write_model

pytestmark = pytest.mark.anyio

LISTED = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "cache"))


async def test_a_model_in_a_folder_finds_the_passage_that_answers(tmp_path: Path) -> None:
    embedder = FastembedEmbedder("acme/tiny", write_model(tmp_path / "model"))
    vectors = await embedder.passages(["pump leaks", "grease bearing", "pump"])
    query = await embedder.query("bearing")
    assert (vectors.shape, vectors.dtype, query.shape) == ((3, DIMENSIONS), np.float32, (DIMENSIONS,))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert int(np.argmax(vectors @ query)) == 1


async def test_the_order_of_the_texts_is_kept_over_many_batches(tmp_path: Path) -> None:
    embedder = FastembedEmbedder("acme/tiny", write_model(tmp_path / "model"))
    texts = ["pump", "grease", "leaks"] * 20
    vectors = await embedder.passages(texts)
    assert np.allclose(vectors, np.concatenate([await embedder.passages([text]) for text in texts]), atol=1e-6)
    assert (await embedder.passages([])).shape == (0, DIMENSIONS)


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "a" * 100_000, "pump " * 9000, "🙂" * 9000])
async def test_any_text_gives_a_unit_vector(tmp_path: Path, text: str) -> None:
    vector = await FastembedEmbedder("acme/tiny", write_model(tmp_path / "model")).query(text)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_the_tokens_are_pooled_as_the_folder_specifies(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "first", pooling="pooling_mode_cls_token")
    embedder = FastembedEmbedder("acme/first", folder)
    assert np.allclose(await embedder.query("pump leaks"), await embedder.query("pump bearing"))
    last = FastembedEmbedder("acme/last", write_model(tmp_path / "last", pooling="pooling_mode_lasttoken", seed=2))
    assert np.allclose(await last.query("pump leaks"), await last.query("grease leaks"))


def test_other_weights_are_another_embedder(tmp_path: Path) -> None:
    one, same, other = (
        FastembedEmbedder("acme/tiny", write_model(tmp_path / name, seed=seed))
        for name, seed in (("one", 1), ("same", 1), ("other", 2))
    )
    assert one.id == same.id != other.id
    assert one.id.startswith("fastembed/acme/tiny#")


async def test_a_model_that_needs_prefixes_gets_them(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    plain = FastembedEmbedder("acme/tiny", folder)
    prefixed = FastembedEmbedder("intfloat/multilingual-e5-small", folder)
    assert np.allclose(await prefixed.query("pump"), await plain.query("query: pump"), atol=1e-6)
    (passage,) = await prefixed.passages(["pump"])
    assert np.allclose(passage, (await plain.passages(["passage: pump"]))[0], atol=1e-6)


async def test_a_listed_model_is_taken_from_the_folder(tmp_path: Path) -> None:
    """The vector length in the list differs from that of the tiny model, so the model was loaded and checked."""
    embedder = FastembedEmbedder(LISTED.upper(), write_model(tmp_path / "model"))
    assert (embedder.id, embedder.dimensions) == (f"fastembed/{LISTED}", 384)
    with pytest.raises(NotConfigured, match="vectors of 16 numbers"):
        await embedder.query("pump")


async def test_a_closed_embedder_loads_again(tmp_path: Path) -> None:
    embedder = FastembedEmbedder("acme/tiny", write_model(tmp_path / "model"))
    before = await embedder.query("pump")
    await embedder.aclose()
    assert np.array_equal(await embedder.query("pump"), before)


async def test_the_only_onnx_file_is_the_model(tmp_path: Path) -> None:
    embedder = FastembedEmbedder("acme/tiny", write_model(tmp_path / "model", file="onnx/tiny_int8.onnx"))
    assert (await embedder.query("pump")).shape == (DIMENSIONS,)


async def test_a_damaged_model_is_reported_and_not_loaded_repeatedly(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"damaged")
    embedder = FastembedEmbedder("acme/tiny", folder)
    with pytest.raises(NotConfigured, match="could not be loaded from RAG_EMBEDDER_FOLDER") as first:
        await embedder.query("pump")
    with pytest.raises(NotConfigured) as second:
        await embedder.query("pump")
    assert first.value is second.value


async def test_a_folder_without_a_listed_model_downloads_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="could not be loaded from RAG_EMBEDDER_FOLDER"):
        await FastembedEmbedder(LISTED, tmp_path).query("pump")


async def test_a_failed_download_is_reported_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NotConfigured, match=r"could not be downloaded.*RAG_EMBEDDER_FOLDER"):
        await FastembedEmbedder(LISTED).query("pump")


def _without(name: str, folder: Path) -> Path:
    (folder / name).unlink()
    return folder


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_missing_files_of_a_folder_are_named(tmp_path: Path, name: str) -> None:
    folder = _without(name, write_model(tmp_path / "model"))
    with pytest.raises(NotConfigured, match=f"{name} is missing"):
        _ = FastembedEmbedder("acme/tiny", folder).id


@pytest.mark.parametrize(
    ("model", "folder", "dimensions", "said"),
    [
        ("acme/tiny", None, None, "no model acme/tiny in its list"),
        ("acme/tiny", "nowhere", None, "is not a folder"),
        (LISTED, None, 256, "Unset RAG_EMBEDDER_DIMENSIONS"),
    ],
)
def test_an_unavailable_model_is_reported_before_anything_is_downloaded(
    tmp_path: Path, model: str, folder: str | None, dimensions: int | None, said: str
) -> None:
    with pytest.raises(NotConfigured, match=said):
        _ = FastembedEmbedder(model, tmp_path / folder if folder else None, dimensions).dimensions


async def test_an_unknown_vector_length_is_asked_for(tmp_path: Path) -> None:
    folder = _without("config.json", write_model(tmp_path / "model", seed=3))
    with pytest.raises(NotConfigured, match="Set RAG_EMBEDDER_DIMENSIONS"):
        _ = FastembedEmbedder("acme/tiny", folder).dimensions
    assert (await FastembedEmbedder("acme/tiny", folder, DIMENSIONS).query("pump")).shape == (DIMENSIONS,)


async def test_a_vector_without_a_direction_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.embedding.tiny_model.np.random.default_rng", lambda seed: _Zeros())
    with pytest.raises(InternalError, match="a vector of zeros"):
        await FastembedEmbedder("acme/zeros", write_model(tmp_path / "model")).query("pump")


class _Zeros:
    def standard_normal(self, shape: tuple[int, int]) -> np.ndarray:
        return np.zeros(shape)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "find_spec", lambda name: None)
    with pytest.raises(NotConfigured, match=r"pip install 'ibid-mcp\[fastembed\]'"):
        FastembedEmbedder(LISTED)
