"""`ibid ingest` with a model that adds to documents: the sent data, the stored data, and messages about wrong
settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.chat_service import MODEL, ChatService
from tests.doubles.in_thread import in_thread

MANUAL = Path(__file__).parents[2] / "examples" / "documents" / "xyz-pumpe-wartungshandbuch.pdf"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    with in_thread(ChatService()) as service:
        monkeypatch.setenv("RAG_LLM_BASE_URL", service.base_url)
        monkeypatch.setenv("RAG_LLM_API_KEY", str(service.key))
        monkeypatch.setenv("RAG_LLM_MODEL", MODEL)
        monkeypatch.setenv("RAG_EMBEDDER", "none")
        yield service


def test_without_the_option_nothing_is_sent_anywhere(run, service: ChatService) -> None:
    assert run("ingest", MANUAL).exit_code == 0
    assert service.requests == []


def test_figures_are_found_by_the_models_description(
    run, service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_DESCRIBE_FIGURES", "true")
    service.says = lambda body: "Ein Flugzeug über den Wolken."
    assert run("ingest", MANUAL).exit_code == 0
    assert "[figure] Abbildung 1" in run("search", "Flugzeug Wolken").output


def test_the_summary_is_the_models_and_marked_as_such(
    run, service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_MODEL_SUMMARIES", "true")
    service.says = lambda body: "BRIEF: Wartung einer Pumpe.\n\nSTANDARD: Wie eine Pumpe gewartet wird."
    result = run("ingest", MANUAL)
    assert f"The summary was written by {MODEL}." in result.output


def test_a_newly_set_option_reads_known_documents_again(
    run, service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", MANUAL)
    monkeypatch.setenv("RAG_MODEL_SUMMARIES", "true")
    service.says = lambda body: "BRIEF: Wartung.\n\nSTANDARD: Wartung einer Pumpe."
    assert "1 replaced" in run("ingest", MANUAL).output
    assert "1 unchanged" in run("ingest", MANUAL).output


def test_a_wrong_key_ends_the_run_and_names_the_setting(
    run, service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_DESCRIBE_FIGURES", "true")
    monkeypatch.setenv("RAG_LLM_API_KEY", "wrong")
    result = run("ingest", MANUAL)
    assert result.exit_code == 2
    assert "RAG_LLM_API_KEY" in result.output


def test_an_option_without_a_model_is_refused_with_the_setting(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_DESCRIBE_FIGURES", "true")
    result = run("ingest", MANUAL)
    assert result.exit_code == 2
    assert "RAG_LLM_MODEL is not set" in result.output
