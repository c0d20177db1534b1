"""The example agent with a model that makes the usual mistakes of models."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from examples.agent import ChatModel, EventType, ModelFailed, SessionUnusable
from examples.agent.calls import ALIKE, MOST_ALIKE, NO_JSON
from examples.agent.ibid import no_server
from examples.agent.run import LAST_STEP, NOT_WRITTEN
from examples.agent.state import Session
from tests.doubles.agent_model import (
    AgentModel,
    breaking_off,
    calls,
    gives_the_answer,
    refuses,
    results,
    says,
    synthesizes,
    too_long,
)  # fmt: skip
from tests.doubles.embedding_service import answering, hanging
from tests.doubles.in_thread import in_thread
from tests.doubles.raw_stdio import environment
from tests.examples.conftest import MISSION, ROOT, Server, Thinking, kinds, run, told
from tests.examples.test_agent import PLAN, SEARCH, TITAN
from tests.patience import PATIENCE

pytestmark = pytest.mark.anyio

SEARCHES = calls(("rag_semantic_search", SEARCH))


async def test_a_looping_model_is_told_so_and_stopped(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    async with thinking(SEARCHES) as model:
        events = await run(server, tmp_path, max_steps=6)
        assert len(model.requests) == 6
        assert model.conversation()[-1]["content"] == LAST_STEP
        assert "tools" not in model.requests[-1].body
    results_told = told(events, EventType.TOOL_RESULT)
    assert [one["success"] for one in results_told[:MOST_ALIKE]] == [True] * MOST_ALIKE
    assert {one["result"]["error"] for one in results_told[MOST_ALIKE:-1]} == {ALIKE}
    assert events[-1].data == {"message": "No answer within 6 steps."}


async def test_invalid_calls_are_returned_with_the_fix(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    wrong = calls(
        ("rag_search", {"query": "x"}),
        ("rag_semantic_search", {"query": "x", "limit": 3}),
        ("rag_semantic_search", '{"query": '),
    )
    async with thinking(wrong, says("I give up.")) as model:
        events = await run(server, tmp_path)
        unknown, argument, broken = results(model.conversation())
    assert "Unknown tool 'rag_search'" in unknown["error"]
    assert (argument["type"], "'limit'" in argument["error"]) == ("InvalidRequest", True)
    assert broken["error"] == NO_JSON
    assert events[-1].type is EventType.COMPLETE


async def test_a_conversation_that_is_too_long_drops_old_results_and_continues(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    async with thinking(SEARCHES, says("Nothing more.")) as model:
        model.next.extend([lambda service, answer: None, too_long(5_000), too_long(5_000)])
        events = await run(server, tmp_path)
        (result,) = [one["content"] for one in model.conversation() if one["role"] == "tool"]
    assert events[-1].type is EventType.COMPLETE
    assert result.endswith("(cut)")


async def test_a_conversation_that_stays_too_long_ends_with_the_reason(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    async with thinking(says("Never.")) as model:
        model.next.append(too_long(-1))
        events = await run(server, tmp_path)
    assert kinds(events) == [EventType.ERROR]
    assert "maximum context length" in events[0].data["message"]


async def test_an_answer_that_breaks_off_is_requested_again(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    async with thinking(says("Never read."), says("The whole answer.")) as model:
        model.next.append(breaking_off)
        events = await run(server, tmp_path)
    assert told(events, EventType.COMPLETE)[0]["answer"] == "The whole answer."


async def test_after_the_model_died_the_run_resumes_with_its_finished_work(
    thinking: Thinking, server: Server, tmp_path: Path
) -> None:
    async with thinking(*TITAN[:2], *TITAN[2:]) as model:
        model.next.extend([lambda service, answer: None] * 2 + [answering(401)])
        first = await run(server, tmp_path)
        assert first[-1].type is EventType.ERROR
        model.turns = [synthesizes(MISSION), gives_the_answer]
        model._done = 0
        second = await run(server, tmp_path)
    assert [one["tool"] for one in told(second, EventType.ACTION)] == ["rag_synthesize"]
    assert told(second, EventType.COMPLETE)[0]["todolist"] == PLAN


async def test_a_refusal_is_passed_on_as_a_refusal(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    async with thinking(SEARCHES, refuses("I cannot help with that.")):
        events = await run(server, tmp_path)
    (answer,) = told(events, EventType.COMPLETE)
    assert (answer["answer"], answer["refused"]) == ("I cannot help with that.", True)


async def test_an_unsupported_claim_is_sent_back_once(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    wrong = says("Project Titan has 97 cranes on the Moon [1]. And more [99].")
    async with thinking(SEARCHES, wrong, wrong) as model:
        events = await run(server, tmp_path)
        said = model.conversation(2)[-1]["content"]
        assert len(model.requests) == 3
    assert "do not stand in the sources" in said
    assert "- 99" in said
    check = told(events, EventType.COMPLETE)[0]["verification"]
    assert check["unsupported_claims"]


async def test_a_claim_without_a_source_is_sent_back_once(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    claim = "The control valves are late by many weeks"
    async with thinking(SEARCHES, says(f"{claim}."), says(f"{claim} [1].")) as model:
        events = await run(server, tmp_path)
        said = model.conversation(2)[-1]["content"]
    assert f"These claims cite no source:\n- {claim}" in said
    assert told(events, EventType.COMPLETE)[0]["verification"]["uncited_claims"] == []


async def test_an_empty_answer_is_sent_back(thinking: Thinking, server: Server, tmp_path: Path) -> None:
    async with thinking(says(""), says("Here.")) as model:
        await run(server, tmp_path)
        assert model.conversation()[-1]["content"] == NOT_WRITTEN


async def test_a_session_cannot_leave_its_folder(settings: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no session_id"):
        Session(tmp_path, "../else")


@pytest.mark.skipif(os.name == "nt", reason="rights and links of POSIX")
def test_a_session_is_readable_only_by_its_owner_and_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "else").write_text("mine")
    for name in ("s1.new", ".s1.new", "s1.json.new"):
        (tmp_path / name).symlink_to(tmp_path / "else")
    (tmp_path / "s1.json").write_text("{}")
    (tmp_path / "s1.json").chmod(0o644)
    before = {*tmp_path.iterdir()}
    Session(tmp_path, "s1").save()
    assert stat.S_IMODE((tmp_path / "s1.json").stat().st_mode) == 0o600
    assert (tmp_path / "else").read_text() == "mine"
    assert {*tmp_path.iterdir()} == before


@pytest.mark.parametrize("held", [b"", b"[]", b"null", b'{"rag.mission": ', b"\xff", b"[" * 200_000])
def test_a_file_that_is_not_a_session_is_named_and_left_alone(tmp_path: Path, held: bytes) -> None:
    file = tmp_path / "s1.json"
    file.write_bytes(held)
    with pytest.raises(ValueError, match=r"s1\.json is no JSON object"):
        Session(tmp_path, "s1")
    assert file.read_bytes() == held


@pytest.mark.slow
def test_a_killed_run_continues_in_the_terminal(samples: dict[str, str], tmp_path: Path) -> None:
    """The agent is killed while the model works on its third turn."""
    command = [sys.executable, "-m", "examples.agent", MISSION, "--work-dir", str(tmp_path)]
    model = AgentModel(*TITAN)
    model.next.extend([lambda service, answer: None] * 2 + [hanging])
    with in_thread(model):
        env = environment(**samples, **model.environment)
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as first:
            assert first.stderr is not None
            for line in first.stderr:
                if b"rag_semantic_search: ok" in line:
                    break
            first.send_signal(signal.SIGKILL)
        state = json.loads((tmp_path / "session-1.json").read_text(encoding="utf-8"))
        assert state["rag.todolist"] == PLAN
        model.next.clear()
        model.turns, model._done = [synthesizes(MISSION), gives_the_answer], 0
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "(Source: project-titan-q3-report.pdf, S. " in done.stdout
    assert "rag_synthesize: ok" in done.stderr


@pytest.mark.parametrize("held", ['{"rag.messages": 3}', '{"rag.messages": [1]}', '{"rag.answer": "x"}'])
def test_a_file_with_other_content_than_a_session_is_named(tmp_path: Path, held: str) -> None:
    (tmp_path / "one.json").write_text(held)
    with pytest.raises(SessionUnusable, match=r"one\.json holds no session: rag\.(messages|answer)"):
        Session(tmp_path, "one")


async def test_an_unreachable_model_and_a_missing_key_name_the_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = ChatModel("any", base_url="http://ann:hush@127.0.0.1:1/v1", api_key="none", max_retries=0)
    with pytest.raises(ModelFailed, match=r"^127\.0\.0\.1:1 is not reached.*OPENAI_BASE_URL"):
        await away.reply([{"role": "user", "content": "x"}], [])
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelFailed, match="OPENAI_API_KEY is not set"):
        await ChatModel("any").reply([{"role": "user", "content": "x"}], [])


def test_a_missing_server_is_reported_with_the_fix() -> None:
    inner = ExceptionGroup("x", [FileNotFoundError("ibid")])
    assert "pip install ibid-mcp" in no_server(ExceptionGroup("y", [inner]))
    assert "`ibid doctor`" in no_server(ExceptionGroup("y", [OSError("closed")]))


def test_the_terminal_reports_an_unusable_session_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("[")
    command = [
        sys.executable, "-m", "examples.agent", "Mission", "--session", "one", "--work-dir", str(tmp_path),
    ]  # fmt: skip
    env = {**os.environ, "OPENAI_MODEL": "any"}
    run = subprocess.run(command, env=env, cwd=Path(__file__).parents[2], capture_output=True, timeout=60, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(b"Error: ")
    assert run.stderr.count(b"\n") == 1
