"""Creation of the writing models of the tools, from the settings."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest

from corpus.errors import NotConfigured
from corpus.generation.protocol import Prompt
from corpus.model_services import service as packages
from server.serving import LazyModels
from server.settings.model import load_settings
from tests.doubles.chat_service import MODEL, ChatService
from tools import makers
from tools.protocol import Models


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.upper().startswith(("RAG_", "AZURE_"))]:
        monkeypatch.delenv(name)


def handed(monkeypatch: pytest.MonkeyPatch, values: Mapping[str, str]) -> Models:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return LazyModels(load_settings()).handed


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        ({}, False),
        ({"RAG_LLM_MODEL": MODEL}, True),
        ({"RAG_LLM_MODEL": MODEL, "RAG_LLM_GENERATE": "false"}, False),
        ({"RAG_LLM_GENERATE": "true"}, True),
        ({"RAG_LLM_MODEL": MODEL, "RAG_LLM_GENERATE": "true", "RAG_SAMPLING": "off"}, True),
    ],
)
def test_llm_generate_is_listed_if_a_model_is_configured_or_if_it_is_enabled(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], listed: bool
) -> None:
    titles = [maker.title for maker in makers(handed(monkeypatch, values))]

    assert ("Write text" in titles) is listed


def test_sampling_is_allowed_unless_it_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handed(monkeypatch, {}).sampling
    assert not handed(monkeypatch, {"RAG_SAMPLING": "off"}).sampling


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"RAG_LLM_GENERATE": "true", "RAG_SAMPLING": "off"}, "Set RAG_LLM_MODEL, or RAG_SAMPLING=auto"),
        ({"RAG_SAMPLING": "on"}, "'auto' or 'off'"),
        ({"RAG_VERIFIER": "model"}, "Set RAG_LLM_MODEL, or RAG_VERIFIER=words"),
        ({"RAG_VERIFIER": "llm"}, "'words' or 'model'"),
        ({"RAG_LLM_GENERATE": "maybe"}, "true or false"),
    ],
)
def test_an_unworkable_configuration_is_refused_with_the_fix(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str
) -> None:
    with pytest.raises(NotConfigured, match=said):
        handed(monkeypatch, values)


@pytest.mark.anyio
async def test_a_missing_package_is_reported_at_the_first_prompt_and_not_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    endpoint = handed(monkeypatch, {"RAG_LLM_MODEL": MODEL}).endpoint

    assert endpoint
    with pytest.raises(NotConfigured, match=r"ibid-mcp\[llm\]"):
        await endpoint.generate(Prompt("x"))


@pytest.mark.anyio
async def test_opened_models_are_closed_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ChatService(key=None) as service:
        monkeypatch.setenv("RAG_LLM_MODEL", MODEL)
        monkeypatch.setenv("RAG_LLM_BASE_URL", service.base_url)
        async with LazyModels(load_settings()) as models:
            assert models.handed.endpoint
            assert models.handed.endpoint.id == MODEL
            assert (await models.handed.endpoint.generate(Prompt("x"))).text == "Written."
