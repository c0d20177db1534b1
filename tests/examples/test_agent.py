"""The example agent over stdio with a scripted model: a run without problems, and a run with questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from examples.agent import ChatModel, EventType, create_rag_agent
from tests.doubles.agent_model import calls, gives_the_answer, results, says, synthesizes
from tests.examples.conftest import MISSION, Server, Thinking, kinds, run, told

pytestmark = pytest.mark.anyio

PLAN = {
    "query_class": "CONTENT_SEARCH",
    "steps": [
        {
            "description": "Search the Q3 report",
            "tool": "rag_semantic_search",
            "acceptance": "3 relevant blocks",
        },
        {"description": "Synthesize", "tool": "rag_synthesize", "acceptance": "each piece has a citation"},
        {"description": "Respond", "acceptance": "citations kept"},
    ],
}
SEARCH = {"query": "main risks of Project Titan", "filters": {"filename": "project-titan-q3-report.pdf"}}
TITAN = (
    calls(("plan", PLAN), saying="The content of the Q3 report answers this."),
    calls(("rag_semantic_search", SEARCH)),
    synthesizes(MISSION),
    gives_the_answer,
)


@pytest.mark.parametrize("stream", [True, False])
async def test_the_mission_is_classified_searched_synthesized_verified_and_answered(
    thinking: Thinking, server: Server, tmp_path: Path, stream: bool
) -> None:
    """Answers are streamed over stdio, and complete in process."""
    async with thinking(*TITAN) as model:
        events = await run(None if stream else server, tmp_path, llm=ChatModel(stream=stream))
    assert [one["tool"] for one in told(events, EventType.TOOL_RESULT)] == [
        "rag_semantic_search", "rag_synthesize", "rag_verify_answer",
    ]  # fmt: skip
    assert all(one["success"] for one in told(events, EventType.TOOL_RESULT))
    assert told(events, EventType.ACTION)[0]["input"] == SEARCH
    assert [one for one in told(events, EventType.THOUGHT) if one.get("todolist")] == [{"text": "", "todolist": PLAN}]
    (answer,) = told(events, EventType.COMPLETE)
    assert kinds(events)[-1] is EventType.COMPLETE
    assert "(Source: project-titan-q3-report.pdf, S. " in answer["answer"]
    assert "![" in answer["answer"]
    assert answer["todolist"] == PLAN
    check = answer["verification"]
    assert check["claims"]
    assert check["invalid_citations"] == check["unsupported_claims"] == []
    system = model.conversation(0)[0]["content"]
    assert "## Classify the question" in system
    assert "`plan`" in system


async def test_events_arrive_as_they_happen(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    """The model is asked for its next turn only after the events of the previous turn can be read."""
    async with thinking(*TITAN) as model:
        agent = create_rag_agent("Ibid", "answers", MISSION, tmp_path, server=server)
        async for event in agent.execute():
            if event.type is EventType.THOUGHT:
                assert len(model.requests) <= 2
                break


async def test_a_stopped_run_continues_where_it_was(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    async with thinking(*TITAN) as model:
        agent = create_rag_agent("Ibid", "answers", MISSION, tmp_path, server=server)
        events = agent.execute(session_id="s1")
        async for event in events:
            if event.type is EventType.TOOL_RESULT:
                break
        await events.aclose()  # type: ignore[attr-defined]
        asked = len(model.requests)
        rest = await run(server, tmp_path)
        assert [one["tool"] for one in told(rest, EventType.ACTION)][-1] == "rag_synthesize"
        assert told(rest, EventType.COMPLETE)[0]["verification"]["unsupported_claims"] == []
        assert model.conversation(asked)[:3] == model.conversation(asked - 1)[:3]
        again = await run(server, tmp_path)
    state = json.loads((tmp_path / "s1.json").read_text(encoding="utf-8"))
    assert all(key.startswith("rag.") for key in state)
    assert state["rag.todolist"] == PLAN
    assert SEARCH in [one["input"] for one in state["rag.search_history"]]
    assert kinds(again) == [EventType.COMPLETE]


async def test_a_session_is_not_resumed_for_another_user(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    async with thinking(says("Nothing is here.")):
        await run(server, tmp_path, user_context={"user_id": "ann"})
        with pytest.raises(ValueError, match="another user's"):
            await run(server, tmp_path, user_context={"user_id": "bob"})


async def test_a_further_question_continues_the_same_conversation(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    async with thinking(says("First."), says("Second.")) as model:
        await run(server, tmp_path)
        events = await run(server, tmp_path, "And the costs?")
        assert told(events, EventType.COMPLETE)[0]["answer"] == "Second."
        said = [one["content"] for one in model.conversation() if one["role"] != "system"]
        assert said == [MISSION, "First.", "And the costs?"]


QUESTION = {"question": "Which report do you mean?", "options": ["1. Q1", "2. Q3"]}


async def test_a_question_of_the_model_ends_the_run_and_the_answer_resumes_it(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    async with thinking(calls(("ask_user", QUESTION)), says("Then Q3 it is.")) as model:
        first = await run(server, tmp_path)
        assert first[-1].type is EventType.ASK_USER
        assert first[-1].data == {**QUESTION, "waits": True}
        assert kinds(await run(server, tmp_path)) == [EventType.ASK_USER]
        second = await run(server, tmp_path, "2")
        assert told(second, EventType.COMPLETE)[0]["answer"] == "Then Q3 it is."
        assert results(model.conversation()) == [{"success": True, "answer": "2"}]


async def test_a_question_of_the_server_reaches_the_user_like_one_of_the_model(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    """`Project Titan` matches three reports: the server asks by elicitation, and the call continues with the choice."""
    asked: list[tuple[str, list[str]]] = []

    async def second(question: str, options: Sequence[str]) -> str:
        asked.append((question, list(options)))
        return "2"

    async with thinking(calls(("rag_get_document", {"name": "Project Titan report"})), says("Read.")):
        events = await run(server, tmp_path, ask=second)
    ((question, options),) = asked
    assert "Which document" in question
    assert len(options) == 3
    assert [one["waits"] for one in told(events, EventType.ASK_USER)] == [False]
    got: dict[str, Any] = told(events, EventType.TOOL_RESULT)[0]
    assert got["success"]
    assert got["result"]["document"]["filename"].startswith("project-titan-q")


async def test_without_anybody_to_ask_the_model_gets_the_options(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    async with thinking(calls(("rag_get_document", {"name": "Project Titan report"})), says("Which one?")):
        events = await run(server, tmp_path)
    (result,) = told(events, EventType.TOOL_RESULT)
    assert (result["success"], result["result"]["type"]) == (False, "AmbiguousDocument")
    assert len(result["result"]["hints"]) >= 3
