"""Creation of the embedder that the settings choose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpus.embedding import EmbedderChoice, choose
from corpus.embedding.fastembed_embedder import FastembedEmbedder
from corpus.embedding.openai_embedder import AzureOpenAIEmbedder, OpenAIEmbedder
from corpus.errors import NotConfigured
from server.settings.model import load_settings
from tests.doubles.embedding_service import EmbeddingService

MODEL = "text-embedding-3-small"


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [one for one in os.environ if one.upper().startswith(("RAG_", "AZURE_"))]:
        monkeypatch.delenv(name)


def test_packaged_is_the_default() -> None:
    assert load_settings().choice() == EmbedderChoice("packaged")
    assert type(choose(EmbedderChoice("packaged"))) is type(choose("packaged"))
    assert choose(EmbedderChoice("none")) is choose("none") is None


@pytest.mark.anyio
async def test_the_settings_of_a_service_are_passed_to_it(
    monkeypatch: pytest.MonkeyPatch, service: EmbeddingService
) -> None:
    for name, value in {
        "RAG_EMBEDDER": "openai",
        "RAG_EMBEDDER_MODEL": MODEL,
        "RAG_EMBEDDER_BASE_URL": service.base_url + "/",
        "RAG_EMBEDDER_API_KEY": str(service.key),
        "RAG_EMBEDDER_DIMENSIONS": "256",
    }.items():
        monkeypatch.setenv(name, value)
    embedder = choose(load_settings().choice())
    assert isinstance(embedder, OpenAIEmbedder)
    assert (await embedder.query("pump")).shape == (256,)
    await embedder.aclose()
    assert embedder.id == f"{MODEL}@256"


@pytest.mark.anyio
@pytest.mark.parametrize("with_key", [True, False])
async def test_the_settings_of_azure_openai_are_passed_to_it(
    monkeypatch: pytest.MonkeyPatch, service: EmbeddingService, with_key: bool
) -> None:
    async def token() -> str:
        return str(service.key)

    for name, value in {
        "RAG_EMBEDDER": "azure-openai",
        "RAG_EMBEDDER_MODEL": MODEL,
        "RAG_EMBEDDER_API_KEY": "for another service",
        "AZURE_OPENAI_ENDPOINT": service.endpoint,
        "AZURE_OPENAI_EMBEDDING_DEPLOYMENT": "prod-embeddings",
    }.items():
        monkeypatch.setenv(name, value)
    if with_key:
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", str(service.key))
    embedder = choose(load_settings().choice(token))
    assert isinstance(embedder, AzureOpenAIEmbedder)
    assert (await embedder.query("pump")).shape == (1536,)
    await embedder.aclose()
    assert ("api-key" in service.requests[0].headers) is with_key


def test_a_folder_is_passed_to_fastembed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    for name, value in {
        "RAG_EMBEDDER": "fastembed",
        "RAG_EMBEDDER_MODEL": "acme/tiny",
        "RAG_EMBEDDER_FOLDER": str(tmp_path / "nowhere"),
    }.items():
        monkeypatch.setenv(name, value)
    embedder = choose(load_settings().choice())
    assert isinstance(embedder, FastembedEmbedder)
    with pytest.raises(NotConfigured, match="nowhere"):
        _ = embedder.id


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"name": "openai"}, "RAG_EMBEDDER_MODEL is not set"),
        ({"name": "fastembed"}, "RAG_EMBEDDER_MODEL is not set"),
        ({"name": "azure-openai", "model": MODEL, "api_key": "k"}, "AZURE_OPENAI_ENDPOINT is not set"),
    ],
)
def test_missing_settings_are_named(choice: dict[str, Any], said: str) -> None:
    with pytest.raises(NotConfigured, match=said):
        choose(EmbedderChoice(**choice))


def test_the_repr_of_a_choice_hides_its_key() -> None:
    assert "secret" not in repr(EmbedderChoice("openai", MODEL, api_key="secret"))
