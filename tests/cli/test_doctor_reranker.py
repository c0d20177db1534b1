"""`ibid doctor` tries the reranker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.in_thread import in_thread
from tests.doubles.reranking_service import RerankingService, saying


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RerankingService]:
    with in_thread(RerankingService("the-key")) as service:
        monkeypatch.setenv("RAG_RERANKER", "http")
        monkeypatch.setenv("RAG_RERANKER_URL", service.url)
        monkeypatch.setenv("RAG_RERANKER_API_KEY", "the-key")
        yield service


def test_a_reranker_that_answers_passes(run, service: RerankingService) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert "ok       reranker: 127.0.0.1:" in result.output


def test_a_reranker_that_rejects_the_key_or_ranks_nothing_is_a_failure_with_the_fix(
    run, service: RerankingService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.next.append(saying("{}"))
    assert "is not a ranking of the given texts. Check RAG_RERANKER_URL" in run("doctor").output
    monkeypatch.setenv("RAG_RERANKER_API_KEY", "an-old-key")
    result = run("doctor")
    assert result.exit_code == 1
    assert "failed   reranker: " in result.output
    assert "Check RAG_RERANKER_API_KEY" in result.output
    assert "an-old-key" not in result.output


def test_a_local_model_is_looked_for_and_nothing_is_downloaded(
    run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("fastembed", reason="onnxruntime has no wheel for this platform")
    monkeypatch.setenv("RAG_RERANKER", "fastembed")
    monkeypatch.setenv("RAG_RERANKER_MODEL", "BAAI/bge-reranker-base")
    assert "note     reranker: BAAI/bge-reranker-base runs locally, and was not tested" in run("doctor").output
    monkeypatch.setenv("RAG_RERANKER_MODEL", "nobody/knows-it")
    assert "failed   reranker: fastembed has no reranker nobody/knows-it" in run("doctor").output
    monkeypatch.setenv("RAG_RERANKER_FOLDER", str(tmp_path))
    assert "model.onnx is missing there" in run("doctor").output


def test_a_missing_reranker_is_not_reported(run) -> None:
    assert "reranker:" not in run("doctor").output
