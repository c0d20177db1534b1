"""Creation of the model that the settings choose."""

from __future__ import annotations

import os

import pytest

from corpus.errors import NotConfigured
from corpus.generation.protocol import Prompt
from server import bootstrap
from server.settings.model import load_settings
from tests.doubles.chat_service import MODEL, ChatService

ASKED = Prompt("What is a pump?")


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.upper().startswith(("RAG_", "AZURE_"))]:
        monkeypatch.delenv(name)


def given(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_without_a_setting_no_model_writes() -> None:
    assert bootstrap.text_generator(load_settings()) is None


@pytest.mark.anyio
async def test_the_settings_of_a_service_are_passed_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ChatService() as service:
        given(
            monkeypatch, RAG_LLM_MODEL=MODEL, RAG_LLM_BASE_URL=service.base_url,
            RAG_LLM_API_KEY=str(service.key), AZURE_OPENAI_API_KEY="for another service",
        )  # fmt: skip
        writer = bootstrap.text_generator(load_settings())
        assert writer
        assert (await writer.generate(ASKED)).text == "Written."
        await writer.aclose()


@pytest.mark.anyio
@pytest.mark.parametrize("with_key", [True, False])
async def test_the_settings_of_azure_openai_are_passed_to_it(monkeypatch: pytest.MonkeyPatch, with_key: bool) -> None:
    async with ChatService() as service:

        async def token() -> str:
            return str(service.key)

        monkeypatch.setattr(bootstrap, "_openai_token", lambda: token)
        given(
            monkeypatch, RAG_LLM="azure-openai", RAG_LLM_MODEL=MODEL, RAG_LLM_API_KEY="for another service",
            AZURE_OPENAI_ENDPOINT=service.endpoint, AZURE_OPENAI_CHAT_DEPLOYMENT="prod-writer",
            **({"AZURE_OPENAI_API_KEY": str(service.key)} if with_key else {}),
        )  # fmt: skip
        writer = bootstrap.text_generator(load_settings())
        assert writer
        assert (await writer.generate(ASKED)).text == "Written."
        await writer.aclose()
        assert ("api-key" in service.requests[0].headers) is with_key


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"RAG_LLM": "azure-openai"}, "RAG_LLM_MODEL is not set"),
        ({"RAG_LLM": "azure-openai", "RAG_LLM_MODEL": MODEL}, "AZURE_OPENAI_ENDPOINT is not set"),
        ({"RAG_LLM": "anthropic"}, "'openai' or 'azure-openai'"),
    ],
)
def test_missing_settings_are_named(monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str) -> None:
    given(monkeypatch, **values)
    with pytest.raises(NotConfigured, match=said):
        load_settings()
