"""Text from a deployment of Azure OpenAI, with a key or with the tokens of an identity."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from corpus.errors import LLMError, NotConfigured
from corpus.generation.openai_generator import AzureChat
from corpus.generation.protocol import Generated, Prompt
from corpus.model_services.service import RetryPolicy
from tests.doubles.chat_service import MODEL, ChatService
from tests.doubles.embedding_service import answering, redirecting

pytestmark = pytest.mark.anyio

AT_ONCE = RetryPolicy(whole=10, request=5, retries=1, pause=0)
ASKED = Prompt("What is a pump?", max_tokens=50)


@pytest.fixture
async def service() -> AsyncIterator[ChatService]:
    async with ChatService() as service:
        yield service


def asking(service: ChatService, api_key: str | None = None, **changes: Any) -> aclosing[AzureChat]:
    given: dict[str, Any] = {"deployment": "prod-writer", "patience": AT_ONCE}
    return aclosing(AzureChat(MODEL, service.endpoint, api_key, **given | changes))


async def test_a_key_is_sent_to_the_deployment(service: ChatService) -> None:
    async with asking(service, service.key) as writer:
        assert await writer.generate(ASKED) == Generated("Written.", False, 11, 7)
        assert writer.id == MODEL
    (request,) = service.requests
    assert request.path == "/openai/deployments/prod-writer/chat/completions"
    assert request.query == {"api-version": "2024-10-21"}
    assert request.headers["api-key"] == service.key
    assert "Authorization" not in request.headers


async def test_an_identity_token_is_requested_for_each_request(service: ChatService) -> None:
    tokens = iter([f"{service.key}", "expired"])

    async def token() -> str:
        return next(tokens)

    async with asking(service, token=token, api_version="2025-01-01") as writer:
        await writer.generate(ASKED)
        with pytest.raises(NotConfigured, match="Cognitive Services OpenAI User"):
            await writer.generate(ASKED)
    assert service.requests[0].headers["Authorization"] == f"Bearer {service.key}"
    assert "api-key" not in service.requests[0].headers
    assert service.requests[0].query == {"api-version": "2025-01-01"}


async def test_an_identity_that_cannot_sign_in_is_reported_with_the_fix(service: ChatService) -> None:
    async def token() -> str:
        raise RuntimeError("tenant 1234 said no")

    async with asking(service, token=token) as writer:
        with pytest.raises(NotConfigured, match="az login") as caught:
            await writer.generate(ASKED)
    assert "1234" not in str(caught.value)
    assert service.requests == []


def test_a_missing_key_and_identity_are_refused_immediately() -> None:
    with pytest.raises(NotConfigured, match="AZURE_OPENAI_API_KEY is not set"):
        AzureChat(MODEL, "https://acme.openai.azure.com")


async def test_the_deployment_defaults_to_the_model_name(service: ChatService) -> None:
    service.deployments[MODEL] = MODEL
    async with asking(service, service.key, deployment=None) as writer:
        await writer.generate(ASKED)
    assert service.requests[0].path == f"/openai/deployments/{MODEL}/chat/completions"


async def test_a_parameter_that_the_deployment_refuses_is_renamed(service: ChatService) -> None:
    service.refuses = {"max_tokens"}
    async with asking(service, service.key) as writer:
        await writer.generate(ASKED)
    assert service.requests[1].body["max_completion_tokens"] == 50


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        (lambda service: service.deployments.clear(), NotConfigured, "AZURE_OPENAI_CHAT_DEPLOYMENT"),
        (lambda service: setattr(service, "key", "new"), NotConfigured, "AZURE_OPENAI_API_KEY"),
        (lambda service: service.next.append(answering(403)), NotConfigured, "firewall"),
        (lambda service: service.next.append(answering(400)), NotConfigured, "prod-writer"),
        (lambda service: service.next.append(answering(400, code="content_filter")), LLMError, "filter"),
        (lambda service: service.next.append(answering(429, retry_after="99")), LLMError, "too many"),
    ],
)
async def test_a_failure_names_the_host_and_the_fix(
    service: ChatService, change: Callable[[ChatService], None], kind: type[Exception], said: str
) -> None:
    async with asking(service, service.key) as writer:
        change(service)
        with pytest.raises(kind, match=said) as caught:
            await writer.generate(ASKED)
    assert service.host in str(caught.value)
    assert "the service's own words" not in str(caught.value)


async def test_a_redirect_to_another_host_gets_neither_key_nor_text(
    service: ChatService,
) -> None:
    async with ChatService() as other:
        service.next.append(redirecting(f"{other.endpoint}/openai/deployments/prod-writer/chat/completions"))
        async with asking(service, service.key) as writer:
            with pytest.raises(NotConfigured, match="AZURE_OPENAI_ENDPOINT"):
                await writer.generate(ASKED)
        assert other.requests == []
