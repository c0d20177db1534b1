"""The client's own model is asked to write. Whatever the client does, the call gets an answer in Ibid's format."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from mcp import MCPError

from tests import answers
from tests.doubles.client_model import (
    ClientModel,
    cut,
    declines,
    hangs,
    in_another_shape,
    raises,
    said,
    says_nothing,
    shows_a_picture,
)
from tests.doubles.raw_client_model import DECLINES, SILENT, RawClientModel, of_text
from tests.doubles.raw_stdio import environment
from tests.server.desk import Desk, failure_in
from tools.protocol import Models

pytestmark = pytest.mark.anyio

BY_CLIENT = Models(llm_generate="Write it.")
ASKED: dict[str, Any] = {
    "prompt": "Say hello.",
    "context": {"name": "Ann"},
    "max_tokens": 7,
    "temperature": 0.5,
}


def asking(desk: Desk, models: Models = BY_CLIENT) -> Desk:
    return Desk(desk.index, desk.library, models=models)


async def failure(desk: Desk, era: str, model: ClientModel | None, **changes: float) -> dict[str, Any]:
    async with asking(desk, replace(BY_CLIENT, **changes)).client(era, model) as client:  # type: ignore[arg-type]
        return failure_in(await client.call_tool("llm_generate", ASKED))


async def test_the_clients_model_writes_from_the_prompt(desk: Desk, era: str) -> None:
    model = ClientModel("Hello, Ann.")

    async with asking(desk).client(era, model) as client:
        result = await client.call_tool("llm_generate", ASKED)

    assert result.structured_content == {
        "success": True, "generated_text": "Hello, Ann.",
    }  # fmt: skip
    (request,) = model.requests
    assert (request.system_prompt, request.max_tokens, request.temperature) == ("Write it.", 7, 0.5)
    assert model.prompts[0].startswith("Say hello.\n")
    assert '"name": "Ann"' in model.prompts[0]


async def test_an_answer_cut_at_the_token_limit_says_so(desk: Desk, era: str) -> None:
    async with asking(desk).client(era, ClientModel(cut("Hello, A"))) as client:
        result = await client.call_tool("llm_generate", ASKED)

    assert result.structured_content
    assert "max_tokens=7" in result.structured_content["warnings"][0]


@pytest.mark.parametrize("act", [says_nothing, shows_a_picture])
async def test_an_answer_without_a_text_is_a_failure_in_our_format(
    desk: Desk, era: str, act: Callable[[Any], Awaitable[Any]]
) -> None:
    failed = await failure(desk, era, ClientModel(act))

    assert (failed["type"], failed["error"]) == ("LLMError", "The client's model gave no text.")
    assert failed["hints"]


@pytest.mark.parametrize(
    ("era", "act", "said"),
    [
        ("legacy", declines, "declined"),
        ("legacy", raises, "declined"),
        ("legacy", in_another_shape, "declined"),  # The SDK's client refuses it itself.
        ("auto", in_another_shape, "no readable answer"),
    ],
)
async def test_a_refusal_and_an_invalid_answer_are_failures_in_our_format(
    desk: Desk, era: str, act: Callable[[Any], Awaitable[Any]], said: str
) -> None:
    failed = await failure(desk, era, ClientModel(act))

    assert failed["type"] == "LLMError"
    assert said in failed["error"]
    assert "the client's own words" not in str(failed)


async def test_a_client_that_ends_the_call_when_its_model_declines_gets_the_error(desk: Desk) -> None:
    """The SDK's client does this. If it informs the server one day, the test above must also pass for it."""
    with pytest.RaisesGroup(MCPError, flatten_subgroups=True, allow_unwrapped=True):
        async with asking(desk).client("auto", ClientModel(declines)) as client:
            await client.call_tool("llm_generate", ASKED)


async def test_a_hanging_model_is_a_timeout(desk: Desk) -> None:
    failed = await failure(desk, "legacy", ClientModel(hangs), sampling_seconds=0.1)

    assert failed["type"] == "Timeout"
    assert failed["hints"]


async def test_a_client_without_a_model_is_told_the_alternatives(desk: Desk, era: str) -> None:
    failed = await failure(desk, era, None)

    assert failed["type"] == "NotConfigured"
    assert "RAG_LLM_MODEL" in failed["error"]
    assert failed["hints"] == ["Write the text yourself."]


async def test_with_sampling_off_no_client_is_asked(desk: Desk, era: str) -> None:
    model = ClientModel("Hello.")

    async with asking(desk, replace(BY_CLIENT, sampling=False)).client(era, model) as client:
        failed = failure_in(await client.call_tool("llm_generate", ASKED))

    assert failed["type"] == "NotConfigured"
    assert "RAG_SAMPLING=off" in failed["error"]
    assert model.requests == []


async def test_a_client_answer_cannot_be_passed_as_an_argument(desk: Desk, era: str) -> None:
    answer = said("Forged.").model_dump(mode="json")
    async with asking(desk).client(era, ClientModel("Hello.")) as client:
        failed = failure_in(await client.call_tool("llm_generate", ASKED | {"sampled": answer}))

    assert failed["type"] == "InvalidRequest"


@pytest.fixture(scope="module", params=["modern", "legacy"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClientModel]:
    """A client of a real server process. Each test sets the answers of its model."""
    folder = str(tmp_path_factory.mktemp("data"))
    env = environment(RAG_DATA_DIR=folder, RAG_EMBEDDER="none", RAG_LLM_GENERATE="true")
    with RawClientModel("", env=env, era=request.param) as client:
        client.shake_hands()
        yield client
        client.close()
        assert b"Hello" not in client.errors
        assert b"Say hello" not in client.errors


def test_over_real_pipes_the_clients_model_writes_too(client: RawClientModel) -> None:
    client.says("Hello, Ann.")

    answer = client.call("llm_generate", ASKED)

    assert answer["result"]["structuredContent"]["generated_text"] == "Hello, Ann."
    assert len(client.asked) == 1


def test_a_text_in_several_parts_is_joined(client: RawClientModel) -> None:
    client.says(of_text("", content=[{"type": "text", "text": "Hello, "}, {"type": "text", "text": "Ann."}]))

    answer = client.call("llm_generate", ASKED)

    assert answer["result"]["structuredContent"]["generated_text"] == "Hello, Ann."


LIES: list[Any] = [
    DECLINES, {}, None, 5, [], {"role": "assistant"}, {"content": None}, {"action": "decline"},
    {"roots": []}, of_text("", content=[]), of_text("", content=[5]), of_text("", content={"type": "image"}),
    of_text("", content={"type": "tool_use", "id": "1", "name": "x", "input": {}}), of_text("x", model=5),
    {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
]  # fmt: skip


def test_any_invalid_answer_of_a_client_is_a_failure_in_our_format(client: RawClientModel) -> None:
    # Before 2026-07-28 the answer is a separate message, which is invalid unless its result is an object.
    lies = [one for one in LIES if client.era == "modern" or isinstance(one, dict)]
    client.says(*lies)
    for lie in lies:
        answer = client.call("llm_generate", ASKED)
        assert "error" not in answer, (lie, answer)
        assert answer["result"]["isError"], (lie, answer)
        failed = answers.failure_in(answer["result"])
        assert failed["type"] == "LLMError", (lie, failed)
    assert len(client.asked) == len(lies)


@pytest.mark.parametrize("client", ["modern"], indirect=True)
def test_a_client_that_calls_again_without_an_answer_is_not_asked_again(client: RawClientModel) -> None:
    client.says(SILENT)

    answer = client.call("llm_generate", ASKED)

    failed = answers.failure_in(answer["result"])
    assert failed["error"] == "The client's model gave no readable answer."
    assert len(client.asked) == 1
