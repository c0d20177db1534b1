"""llm_generate with a real local model service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import structlog

from corpus.generation.openai_generator import ChatEndpoint
from corpus.model_services.service import RetryPolicy
from tests.doubles.chat_service import MODEL, ChatService, said_to
from tests.doubles.client_model import ClientModel
from tests.doubles.embedding_service import Act, answering, hanging, saying
from tests.server.desk import Desk, failure_in
from tools.llm_generate import MAX_READ
from tools.protocol import Models

pytestmark = pytest.mark.anyio

QUICK = RetryPolicy(whole=1, request=0.5, retries=1, pause=0)


@pytest.fixture
async def service() -> AsyncIterator[ChatService]:
    async with ChatService() as service:
        yield service


@pytest.fixture
async def writing(desk: Desk, service: ChatService) -> AsyncIterator[Desk]:
    endpoint = ChatEndpoint(MODEL, service.base_url, service.key, patience=QUICK)
    yield Desk(desk.index, desk.library, models=Models(endpoint, llm_generate="Write it."))
    await endpoint.aclose()


async def test_the_endpoint_writes_and_its_tokens_are_reported(writing: Desk, service: ChatService, era: str) -> None:
    answer = await writing.call("llm_generate", era, prompt="Say hello.")

    assert answer == {
        "success": True, "generated_text": "Written.",
        "tokens_used": 18, "prompt_tokens": 11, "completion_tokens": 7,
    }  # fmt: skip
    (request,) = service.requests
    assert (request.body["max_tokens"], request.body["temperature"]) == (500, 0.7)
    assert request.body["messages"] == [
        {"role": "system", "content": "Write it."},
        {"role": "user", "content": "Say hello."},
    ]


async def test_the_context_follows_the_prompt_between_lines_that_it_cannot_contain(
    writing: Desk, service: ChatService, era: str
) -> None:
    documents = [{"title": "Pump\u202e\u200b manual", "chunk_count": 214}]
    await writing.call("llm_generate", era, prompt="List them.", context={"documents": documents})

    ((_, message),) = said_to(service)
    prompt, rest = message["content"].split("\n\nContext:\n")
    first, *data, last = rest.splitlines()
    assert prompt == "List them."
    assert first == last
    assert first.startswith("<<")
    assert first not in data
    assert '"title": "Pump manual",' in "".join(data)
    assert len(data) > 4  # Readable: one member per line.


async def test_a_context_as_json_text_is_accepted_too(writing: Desk, service: ChatService, era: str) -> None:
    await writing.call("llm_generate", era, prompt="List them.", context='{"title": "Manual"}')

    assert '"title": "Manual"' in said_to(service)[0][1]["content"]


async def test_a_context_beyond_its_limit_is_cut_with_a_warning(writing: Desk, service: ChatService, era: str) -> None:
    answer = await writing.call(
        "llm_generate", era, prompt="Sum it up.", context={"first": "kept", "text": "word " * 20_000}
    )

    sent = said_to(service)[0][1]["content"]
    assert "kept" in sent
    assert len(sent) < 30_000
    assert "end was dropped" in answer["warnings"][0]


async def test_a_text_cut_at_the_token_limit_is_reported_with_a_hint(
    writing: Desk, service: ChatService, era: str
) -> None:
    service.ends = "length"

    answer = await writing.call("llm_generate", era, prompt="Say it all.", max_tokens=3)

    (warning,) = answer["warnings"]
    assert warning.startswith("The text was cut off at its token limit (max_tokens=3). Ask again with a greater")


async def test_a_model_that_ignores_the_limit_is_cut_to_a_clients_maximum(
    writing: Desk, service: ChatService, era: str
) -> None:
    service.says = lambda body: "漢字 " * 20_000

    answer = await writing.call("llm_generate", era, prompt="Go on.")

    assert len(answer["generated_text"]) < 12_000
    assert answer["warnings"] == ["The text is cut to fit."]


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (answering(500), "LLMError", "failed to give the text"),
        (answering(429), "LLMError", "too many"),
        (answering(400, code="content_filter"), "LLMError", "content filter"),
        (answering(401), "NotConfigured", "RAG_LLM_API_KEY"),
        (hanging, "Timeout", "in time"),
        (saying("<html>"), "NotConfigured", "RAG_LLM_BASE_URL"),
    ],
)
async def test_each_failure_of_the_model_has_our_format_and_says_what_to_do(
    writing: Desk, service: ChatService, era: str, act: Act, kind: str, said: str
) -> None:
    service.next.extend([act, act])

    failed = await writing.failure("llm_generate", era, prompt="Say hello.")

    assert failed["type"] == kind
    assert said in failed["error"]
    assert failed["hints"]
    assert "the service's own words" not in str(failed)


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"prompt": ""}, {"prompt": " \u200b"}, {"prompt": "x" * 20_001},
        {"prompt": "x", "max_tokens": True}, {"prompt": "x", "temperature": "warm"},
        {"prompt": "x", "context": "not an object"}, {"prompt": "x", "context": [1]}, {"prompt": "x", "model": "m"},
    ],
)  # fmt: skip
async def test_malformed_arguments_are_refused_and_sent_nowhere(
    writing: Desk, service: ChatService, era: str, arguments: dict[str, Any]
) -> None:
    failed = await writing.failure("llm_generate", era, **arguments)

    assert failed["type"] == "InvalidRequest"
    assert service.requests == []


async def test_amounts_beyond_their_limits_are_sent_as_the_limits(
    writing: Desk, service: ChatService, era: str
) -> None:
    answer = await writing.call("llm_generate", era, prompt="x", max_tokens=100_000, temperature=3)

    assert (service.requests[0].body["max_tokens"], service.requests[0].body["temperature"]) == (4000, 2)
    assert answer["warnings"] == [
        "max_tokens=100000 is beyond the maximum; 4000 was used.",
        "temperature=3 is beyond the maximum; 2 was used.",
    ]


async def test_the_configured_model_is_used_and_not_the_clients(writing: Desk, service: ChatService, era: str) -> None:
    model = ClientModel("Not this.")

    async with writing.client(era, model) as client:
        result = await client.call_tool("llm_generate", {"prompt": "Say hello."})

    assert result.structured_content
    assert result.structured_content["generated_text"] == "Written."
    assert model.requests == []


async def test_the_log_has_one_line_with_lengths_and_tokens_and_no_word_of_either_text(writing: Desk, era: str) -> None:
    with structlog.testing.capture_logs() as logged:
        await writing.call("llm_generate", era, prompt="Say hello.", context={"name": "Ann"})

    (line,) = [one for one in logged if one["event"] == "tool.call"]
    assert line["tool"] == "llm_generate"
    assert line["prompt_length"] == len("Say hello.")
    assert line["context_size"] == len('{\n "name": "Ann"\n}')
    assert line["tokens_used"] == 18
    assert line["latency_ms"] == line["duration_ms"] > 0
    assert not any(word in str(logged) for word in ("hello", "Ann", "Written"))


async def test_of_an_endless_context_no_more_is_read_than_is_shown(writing: Desk, era: str) -> None:
    context = {"numbers": list(range(500_000))}
    with structlog.testing.capture_logs() as logged:
        answer = await writing.call("llm_generate", era, prompt="Say hello.", context=context)

    (line,) = [one for one in logged if one["event"] == "tool.call"]
    assert line["context_size"] <= MAX_READ
    assert "its end was dropped" in answer["warnings"][0]


async def test_the_tool_is_listed_with_its_purpose_and_honest_annotations(writing: Desk, desk: Desk, era: str) -> None:
    async with writing.client(era) as client:
        listed = (await client.list_tools()).tools
    async with desk.client(era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        failed = failure_in(await client.call_tool("llm_generate", {"prompt": "x"}))

    tool = listed[-1]
    assert tool.name == "llm_generate"
    assert set(tool.input_schema["properties"]) == {"prompt", "context", "max_tokens", "temperature"}
    assert all("description" in one for one in tool.input_schema["properties"].values())
    assert tool.annotations
    assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, True)
    assert not tool.annotations.idempotent_hint
    assert len(tool.model_dump_json(by_alias=True, exclude_none=True)) < 1_400
    assert "llm_generate" not in names
    assert failed["type"] == "InvalidRequest"
