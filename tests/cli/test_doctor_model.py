"""`ibid doctor` tries the model that writes answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server import bootstrap
from server.commands.doctor import services
from tests.doubles.chat_service import MODEL, ChatService
from tests.doubles.embedding_service import hanging
from tests.doubles.in_thread import in_thread


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatService]:
    with in_thread(ChatService()) as service:
        monkeypatch.setenv("RAG_LLM_BASE_URL", service.base_url)
        monkeypatch.setenv("RAG_LLM_API_KEY", str(service.key))
        monkeypatch.setenv("RAG_LLM_MODEL", MODEL)
        yield service


def test_a_model_that_writes_passes(run, service: ChatService) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert f"ok       model: {MODEL} wrote in " in result.output


def test_a_rejected_key_is_a_failure_with_the_fix_and_without_the_key(
    run, service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_LLM_API_KEY", "an-old-key")
    result = run("doctor")
    assert result.exit_code == 1
    assert "failed   model: " in result.output
    assert "Check RAG_LLM_API_KEY" in result.output
    assert "an-old-key" not in result.output


def test_a_slow_model_is_a_warning(run, service: ChatService, monkeypatch: pytest.MonkeyPatch) -> None:
    service.next.append(hanging)
    monkeypatch.setattr(services, "MODEL_SECONDS", 0.2)
    result = run("doctor")
    assert result.exit_code == 0
    assert f"warning  model: {MODEL} wrote nothing" in result.output


def test_a_missing_model_is_not_reported(run) -> None:
    assert "model:" not in run("doctor").output


@pytest.mark.parametrize("address", ["", "https://api.anthropic.com"])
def test_an_anthropic_model_at_another_providers_address_is_a_failure_and_nothing_is_sent(
    run, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("RAG_LLM_MODEL", "claude-haiku-4-5")
    monkeypatch.setenv("RAG_LLM_BASE_URL", address)
    monkeypatch.setenv("RAG_LLM_API_KEY", "a-key")
    monkeypatch.setattr(bootstrap, "text_generator", pytest.fail)
    result = run("doctor")
    assert result.exit_code == 1
    assert "Set RAG_LLM_BASE_URL=https://api.anthropic.com/v1" in " ".join(result.output.split())
