"""Text requests to a chat service, and the handling of any answer."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
import structlog

from corpus.documents.block import Picture
from corpus.errors import LLMError, NotConfigured, Timeout
from corpus.generation.openai_generator import ChatEndpoint
from corpus.generation.protocol import Generated, Prompt
from corpus.model_services import service as packages
from corpus.model_services.service import RetryPolicy
from tests.doubles.chat_service import MODEL, ChatService, dripping, huge, said_to, saying_of
from tests.doubles.embedding_service import Act, Body, answering, dropped, hanging, redirecting, saying

pytestmark = pytest.mark.anyio

AT_ONCE = RetryPolicy(whole=10, request=5, retries=1, pause=0)
ASKED = Prompt("What is a pump?", system="Answer briefly.", max_tokens=50, temperature=0.1)


@pytest.fixture
async def service() -> AsyncIterator[ChatService]:
    async with ChatService() as service:
        yield service


def asking(service: ChatService, **changes: Any) -> aclosing[ChatEndpoint]:
    given: dict[str, Any] = {"base_url": service.base_url, "api_key": service.key, "patience": AT_ONCE}
    return aclosing(ChatEndpoint(MODEL, **given | changes))


async def test_the_prompt_is_sent_and_the_text_is_returned_with_its_token_count(service: ChatService) -> None:
    service.says = lambda body: " A machine.\n"
    async with asking(service) as endpoint:
        assert await endpoint.generate(ASKED) == Generated("A machine.", False, 11, 7)
        assert endpoint.id == MODEL
    (request,) = service.requests
    assert request.body["messages"] == [
        {"role": "system", "content": "Answer briefly."},
        {"role": "user", "content": "What is a pump?"},
    ]
    assert (request.body["max_tokens"], request.body["temperature"]) == (50, 0.1)


async def test_pictures_are_sent_with_the_text(service: ChatService) -> None:
    async with asking(service) as endpoint:
        await endpoint.generate(Prompt("What is this?", pictures=(Picture(b"bytes", "image/png"),)))
    ((message,),) = said_to(service)
    text, picture = message["content"]
    assert text == {"type": "text", "text": "What is this?"}
    encoded = base64.b64encode(b"bytes").decode()
    assert picture["image_url"]["url"] == f"data:image/png;base64,{encoded}"


async def test_text_cut_at_the_token_limit_is_marked_as_cut(service: ChatService) -> None:
    service.ends = "length"
    async with asking(service) as endpoint:
        assert (await endpoint.generate(ASKED)).cut


async def test_refused_parameters_are_renamed_or_left_out_and_not_tried_again(
    service: ChatService,
) -> None:
    service.refuses = {"max_tokens", "temperature"}
    async with asking(service) as endpoint:
        assert (await endpoint.generate(ASKED)).text == "Written."
        await endpoint.generate(ASKED)
    assert len(service.requests) == 2 + 1 + 1
    for request in service.requests[2:]:
        assert request.body["max_completion_tokens"] == 50
        assert not request.body.keys() & {"max_tokens", "temperature"}


@pytest.mark.parametrize("act", [answering(429), answering(500), answering(503, retry_after="0"), dropped])
async def test_a_temporary_failure_is_retried_once(service: ChatService, act: Act) -> None:
    service.next.append(act)
    async with asking(service) as endpoint:
        assert (await endpoint.generate(ASKED)).text == "Written."
    service.next.extend([act, act])
    async with asking(service) as endpoint:
        with pytest.raises(LLMError):
            await endpoint.generate(ASKED)


@pytest.mark.parametrize(
    ("act", "failure", "says"),
    [
        (answering(401), NotConfigured, "RAG_LLM_API_KEY"),
        (answering(403), NotConfigured, "RAG_LLM_API_KEY"),
        (answering(404), NotConfigured, "RAG_LLM_MODEL"),
        (answering(400), NotConfigured, "a model that sees"),
        (answering(429, code="insufficient_quota"), NotConfigured, "billing"),
        (saying("<html>proxy</html>"), NotConfigured, "RAG_LLM_BASE_URL"),
        (saying("[1]", "application/json"), NotConfigured, "is no text of a chat model"),
        (saying(json.dumps({"choices": []}), "application/json"), NotConfigured, "RAG_LLM_BASE_URL"),
        (saying('{"choices": [{"message": {"content": 5}}]}', "application/json"), LLMError, "no text"),
        (saying('{"choices": [{"message": {"content": null}}]}', "application/json"), LLMError, "declined"),
        (saying('{"choices": [[1]]}', "application/json"), NotConfigured, "is no text of a chat model"),
        (saying("[" * 100_000, "application/json"), NotConfigured, "is no text of a chat model"),
        (huge(), NotConfigured, "is no text of a chat model"),
        (huge(packed=True), NotConfigured, "is no text of a chat model"),
        (huge(500), NotConfigured, "is no text of a chat model"),
        (answering(400, code="content_filter"), LLMError, "content filter"),
        (answering(400, code="context_length_exceeded"), LLMError, "longer than"),
    ],
)
async def test_each_refusal_and_each_false_answer_is_an_error_with_its_fix(
    service: ChatService, act: Act, failure: type[Exception], says: str
) -> None:
    service.next.append(act)
    async with asking(service) as endpoint:
        with pytest.raises(failure, match=says) as caught:
            await endpoint.generate(ASKED)
        assert "the service's own words" not in str(caught.value)
        assert str(service.key) not in str(caught.value)
        assert (await endpoint.generate(ASKED)).text == "Written."


async def test_a_hanging_service_is_a_timeout(service: ChatService) -> None:
    service.next.extend([hanging, hanging])
    async with asking(service, patience=RetryPolicy(whole=0.3, request=0.2, retries=1, pause=0)) as endpoint:
        with pytest.raises(Timeout, match="did not give the text in time"):
            await endpoint.generate(ASKED)


async def test_a_dripping_service_is_a_timeout(service: ChatService) -> None:
    service.next.extend([dripping, dripping])
    async with asking(service, patience=RetryPolicy(whole=0.3, request=0.2, retries=1, pause=0)) as endpoint:
        with pytest.raises(Timeout):
            await endpoint.generate(ASKED)


@pytest.mark.parametrize(
    "usage", [None, [], "many", {"prompt_tokens": -1}, {"prompt_tokens": "11", "completion_tokens": True}]
)
async def test_a_text_with_a_wrong_token_count_is_accepted(service: ChatService, usage: object) -> None:
    def change(answer: Body) -> None:
        answer["usage"] = usage

    service.next.append(saying_of(change))
    async with asking(service) as endpoint:
        assert await endpoint.generate(ASKED) == Generated("Written.")


async def test_the_reasoning_of_a_model_is_left_out(service: ChatService) -> None:
    service.says = lambda body: "<think>\nA pump? Hm.\n</think>\n\nA machine with a <think> mark."
    async with asking(service) as endpoint:
        assert (await endpoint.generate(ASKED)).text == "A machine with a <think> mark."


async def test_a_model_that_reasons_until_its_tokens_end_is_distinguished_from_one_that_declines(
    service: ChatService,
) -> None:
    service.says, service.ends = lambda body: "<think>A pump? Hm, let me", "length"
    async with asking(service) as endpoint:
        with pytest.raises(LLMError, match="greater max_tokens"):
            await endpoint.generate(ASKED)


async def test_a_pause_longer_than_the_time_limit_is_not_waited_for(service: ChatService) -> None:
    service.next.append(answering(429, retry_after="3600"))
    async with asking(service) as endpoint:
        with pytest.raises(LLMError, match="too many"):
            await endpoint.generate(ASKED)
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_to_another_host_gets_neither_key_nor_text(service: ChatService, status: int) -> None:
    async with ChatService() as other:
        service.next.append(redirecting(f"{other.base_url}/chat/completions", status))
        async with asking(service) as endpoint:
            with pytest.raises(NotConfigured, match="Set RAG_LLM_BASE_URL to the intended address"):
                await endpoint.generate(ASKED)
        assert other.requests == []


async def test_an_unreachable_service_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    async with aclosing(ChatEndpoint(MODEL, address, patience=AT_ONCE)) as endpoint:
        with pytest.raises(LLMError, match="Nothing listens"):
            await endpoint.generate(ASKED)


async def test_the_log_has_the_token_counts_and_no_text_of_prompt_or_answer(service: ChatService) -> None:
    with structlog.testing.capture_logs() as logged:
        async with asking(service) as endpoint:
            await endpoint.generate(ASKED)
    (line,) = [one for one in logged if one["event"] == "llm.request"]
    assert (line["prompt_tokens"], line["completion_tokens"], line["outcome"]) == (11, 7, "ok")
    assert "pump" not in str(line)
    assert "Written" not in str(line)


async def test_without_a_key_no_key_is_sent() -> None:
    async with ChatService(key=None) as service, asking(service, api_key=None) as endpoint:
        await endpoint.generate(ASKED)
        assert "Authorization" not in service.requests[0].headers


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(NotConfigured, match=r"ibid-mcp\[llm\]"):
        ChatEndpoint(MODEL, "http://127.0.0.1/v1")
