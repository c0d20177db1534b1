"""If a client's model does not answer, or answers too late, the call ends with the composed answer and other calls
continue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.raw_client_model import DECLINES, SILENT, RawClientModel, of_text
from tests.doubles.raw_stdio import environment

QUESTION = {"query": "How does the centrifugal impeller work?"}
IMPATIENT = (
    "import server.serving; from tools.protocol import Models; "
    "server.serving.Models = lambda *given: Models(*given[:3], 0.2); from server.stdio import main; main()"
)
LATE: list[Any] = ["The pump moves water [1].", DECLINES, {"no": "answer"}, of_text("", stopReason=7)]


@pytest.fixture
def env(filled: Path) -> dict[str, str]:
    return environment(RAG_DATA_DIR=str(filled), RAG_EMBEDDER="none", RAG_KEEP_ANSWERS="0")


def synthesized(client: RawClientModel) -> dict[str, Any]:
    result = client.call("rag_synthesize", QUESTION)["result"]
    assert not result.get("isError"), result
    return dict(result["structuredContent"])


@pytest.mark.parametrize(
    ("era", "why"),
    [("legacy", "it did not answer in time."), ("modern", "it gave no readable answer.")],
)
def test_a_hanging_model_costs_only_its_text(env: dict[str, str], era: str, why: str) -> None:
    with RawClientModel(SILENT, env=env, era=era, code=IMPATIENT) as client:
        client.shake_hands()
        answer = synthesized(client)
        assert answer["mode"] == "compose"
        assert "centrifugal impeller" in answer["answer"]
        assert f"The client's model wrote no answer: {why}" in answer["warnings"]
        assert len(client.asked) == 1
        assert client.close() == 0


def test_an_answer_after_the_end_of_its_call_disturbs_nothing(env: dict[str, str]) -> None:
    good = "The pump moves water with a centrifugal impeller [1]."
    for late in LATE:
        with RawClientModel(SILENT, env=env, era="legacy", code=IMPATIENT) as client:
            client.shake_hands()
            client.says(SILENT, good)
            assert synthesized(client)["mode"] == "compose", late
            client.answers_late(late)
            after = synthesized(client)
            assert after["mode"] == "compose", late
            assert any("not asked again" in warning for warning in after["warnings"]), late
            assert client.close() == 0
        answered = [message["id"] for line in client.lines if "method" not in (message := json.loads(line))]
        assert len(answered) == len(set(answered))
        assert b"Traceback" not in client.errors


def test_a_client_that_never_calls_again_or_sends_an_invalid_state_keeps_its_connection(
    env: dict[str, str],
) -> None:
    good = "The pump moves water with a centrifugal impeller [1]."
    with RawClientModel(good, env=env, era="modern") as client:
        client.shake_hands()
        call = {"name": "rag_synthesize", "arguments": QUESTION}
        asked = client.ask("tools/call", call)["result"]
        assert asked["resultType"] == "input_required"
        (key,) = asked["inputRequests"]
        said = {"inputResponses": {key: of_text(good)}}
        broken = client.ask("tools/call", call | said | {"requestState": asked["requestState"][:-8] + "AAAAAAAA"})
        assert "requestState" in broken["error"]["message"]
        late = client.ask("tools/call", call | said | {"requestState": asked["requestState"]})
        assert late["result"]["structuredContent"]["mode"] == "llm"
        assert synthesized(client)["mode"] == "llm"
        assert client.close() == 0
    assert b"Traceback" not in client.errors
