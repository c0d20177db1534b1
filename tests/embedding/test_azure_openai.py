"""Vectors from a deployment of Azure OpenAI, with a key or with the tokens of an identity."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import numpy as np
import pytest

from corpus.embedding.openai_embedder import AzureOpenAIEmbedder, OpenAIEmbedder
from corpus.errors import LLMError, NotConfigured
from tests.doubles.embedding_service import EmbeddingService, answering, redirecting

pytestmark = pytest.mark.anyio

MODEL = "text-embedding-3-small"


def asking(service: EmbeddingService, api_key: str | None = None, **changes: Any) -> aclosing[AzureOpenAIEmbedder]:
    given = {"deployment": "prod-embeddings"} | changes
    return aclosing(AzureOpenAIEmbedder(MODEL, service.endpoint, api_key, **given))


async def test_a_key_is_sent_to_the_deployment(service: EmbeddingService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "of-another-resource")
    async with asking(service, service.key) as embedder:
        vectors = await embedder.passages(["The pump leaks.", "Grease the bearing."])
    request = service.requests[0]
    assert request.path == "/openai/deployments/prod-embeddings/embeddings"
    assert request.query == {"api-version": "2024-10-21"}
    assert request.headers["api-key"] == service.key
    assert "Authorization" not in request.headers
    assert np.allclose(vectors[1], await service.vector("Grease the bearing."), atol=1e-6)


async def test_an_identity_token_is_requested_for_each_request(service: EmbeddingService) -> None:
    tokens = iter([f"{service.key}", f"{service.key}", "expired"])

    async def token() -> str:
        return next(tokens)

    async with asking(service, token=token, api_version="2025-01-01") as embedder:
        await embedder.query("pump")
        await embedder.query("pump")
        with pytest.raises(NotConfigured, match="Cognitive Services OpenAI User"):
            await embedder.query("pump")
    assert [one.headers["Authorization"] for one in service.requests][1:] == [
        f"Bearer {service.key}",
        "Bearer expired",
    ]
    assert service.requests[0].query == {"api-version": "2025-01-01"}
    assert "api-key" not in service.requests[0].headers


async def test_an_identity_that_cannot_sign_in_is_reported_with_the_fix(service: EmbeddingService) -> None:
    async def token() -> str:
        raise RuntimeError("tenant 1234 said no")

    async with asking(service, token=token) as embedder:
        with pytest.raises(NotConfigured, match="az login") as caught:
            await embedder.query("pump")
    assert "1234" not in str(caught.value)
    assert service.requests == []


async def test_with_a_key_no_identity_is_used(service: EmbeddingService) -> None:
    async def token() -> str:
        raise AssertionError("asked")

    async with asking(service, service.key, token=token) as embedder:
        assert (await embedder.query("pump")).shape == (1536,)


def test_a_missing_key_and_identity_are_refused_immediately() -> None:
    with pytest.raises(NotConfigured, match="AZURE_OPENAI_API_KEY is not set"):
        AzureOpenAIEmbedder(MODEL, "https://acme.openai.azure.com")


async def test_the_deployment_defaults_to_the_model_name(service: EmbeddingService) -> None:
    service.deployments[MODEL] = MODEL
    async with asking(service, service.key, deployment=None, dimensions=256) as embedder:
        assert (await embedder.query("pump")).shape == (256,)
    assert service.requests[0].path == f"/openai/deployments/{MODEL}/embeddings"
    assert service.requests[0].body["dimensions"] == 256


@pytest.mark.parametrize("dimensions", [None, 256])
def test_the_same_model_is_the_same_embedder_wherever_it_runs(dimensions: int | None) -> None:
    here = AzureOpenAIEmbedder(MODEL, "https://acme.openai.azure.com", "k", dimensions, deployment="prod")
    there = OpenAIEmbedder(MODEL, api_key="k", dimensions=dimensions)
    assert here.id == there.id


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (lambda service: service.deployments.clear(), NotConfigured, "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"),
        (lambda service: setattr(service, "key", "new"), NotConfigured, "AZURE_OPENAI_API_KEY"),
        (lambda service: service.next.append(answering(403)), NotConfigured, "firewall"),
        (lambda service: service.next.append(answering(429, retry_after="99")), LLMError, "too many"),
    ],
)
async def test_a_failure_names_the_host_and_the_fix(
    service: EmbeddingService, change: Callable[[EmbeddingService], None], kind: type[Exception], said: str
) -> None:
    async with asking(service, service.key) as embedder:
        change(service)
        with pytest.raises(kind, match=said) as caught:
            await embedder.query("pump")
    assert service.host in str(caught.value)
    assert "the service's own words" not in str(caught.value)


async def test_a_redirect_to_another_host_gets_neither_key_nor_text(
    service: EmbeddingService,
) -> None:
    async with EmbeddingService() as other:
        service.next.append(redirecting(f"{other.endpoint}/openai/deployments/prod-embeddings/embeddings"))
        async with asking(service, service.key) as embedder:
            with pytest.raises(NotConfigured, match="AZURE_OPENAI_ENDPOINT"):
                await embedder.query("pump")
        assert other.requests == []
