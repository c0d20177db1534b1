"""Vectors from Azure OpenAI without a key: the process signs in with its Azure identity, at a loopback endpoint."""

from __future__ import annotations

import pytest

from server.bootstrap import embedder
from server.settings.model import load_settings
from tests.azure.identity_endpoint import identity_endpoint
from tests.doubles.embedding_service import EmbeddingService

pytestmark = pytest.mark.anyio


async def test_a_token_is_requested_once_and_sent_with_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with identity_endpoint() as identity:
        async with EmbeddingService(identity.token) as service:
            settings = {
                "RAG_EMBEDDER": "azure-openai",
                "RAG_EMBEDDER_MODEL": "text-embedding-3-small",
                "AZURE_OPENAI_ENDPOINT": service.endpoint,
                "AZURE_OPENAI_EMBEDDING_DEPLOYMENT": "prod-embeddings",
            }
            for name, value in (settings | identity.environment).items():
                monkeypatch.setenv(name, value)
            found = embedder(load_settings())
            assert found is not None
            first, second = await found.query("pump"), await found.query("valve")
            await found.aclose()
            asked = len(service.requests)

    assert found.id == "text-embedding-3-small"
    assert first.shape == second.shape == (1536,)
    assert asked == 2
    assert identity.resources == ["https://cognitiveservices.azure.com"]
