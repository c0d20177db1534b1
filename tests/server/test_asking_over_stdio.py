"""The user asked by a real server process, over lines that no proper client would send."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.doubles.raw_client_model import DECLINES, SILENT, RawUser
from tests.doubles.raw_stdio import RawServer, environment

NAMED = {"name": "report"}


@pytest.fixture(params=["modern", "legacy"])
def raw_era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a server whose index holds two reports."""
    folder = tmp_path_factory.mktemp("asking")
    documents = folder / "documents"
    documents.mkdir()
    for name in ("Report north", "Report south"):
        (documents / f"{name}.md").write_text(f"# {name}\n\nThe revenue of the {name.split()[1]} grew.\n")
    settings = environment(RAG_DATA_DIR=str(folder / "data"), RAG_EMBEDDER="none")
    code = "from server.cli import main; main()"
    command = [sys.executable, "-P", "-c", code, "ingest", str(documents)]
    with RawServer(env=settings, command=command) as ingestion:
        assert ingestion.close() == 0, ingestion.errors
    return settings


def client(env: dict[str, str], era: str, *says: Any) -> RawUser:
    made = RawUser(*says, env=env, era=era)
    made.shake_hands()
    return made


def choice(document: Any) -> dict[str, Any]:
    return {"action": "accept", "content": {"document": document}}


def failure(answer: dict[str, Any]) -> dict[str, Any]:
    assert "error" not in answer, answer
    assert answer["result"]["isError"], answer
    failed: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    return failed


def test_the_call_goes_on_with_the_choice(env: dict[str, str], raw_era: str) -> None:
    with client(env, raw_era, choice("2")) as user:
        answer = user.call("rag_get_document", NAMED)

    assert answer["result"]["structuredContent"]["document"]["title"] == "Report south"
    (form,) = user.asked
    field = form["requestedSchema"]["properties"]["document"]
    assert [one["title"][:15] for one in field["oneOf"]] == ["1. Report north", "2. Report south"]


LIES: list[Any] = [
    DECLINES, {}, None, 5, [], {"action": "accept"}, {"action": "accept", "content": 5}, {"action": "dance"},
    {"action": "accept", "content": {"document": {"a": 1}}}, {"action": "accept", "content": {"else": "1"}},
    choice("nowhere1"), choice([]), choice(None), {"action": "decline"}, {"action": "cancel", "content": {"a": 1}},
    {"role": "assistant", "content": {"type": "text", "text": "1"}, "model": "x"}, {"roots": []},
]  # fmt: skip


def test_any_lie_of_a_client_is_answered_with_the_options(env: dict[str, str], raw_era: str) -> None:
    # Before 2026-07-28 the answer is a message of its own, which is none with anything but an object in it.
    lies = [one for one in LIES if raw_era == "modern" or isinstance(one, dict)]
    with client(env, raw_era, *lies) as user:
        for lie in lies:
            failed = failure(user.call("rag_get_document", NAMED))
            assert failed["type"] == "AmbiguousDocument", (lie, failed)
            assert len(failed["hints"]) == 2, (lie, failed)
        assert len(user.asked) == len(lies)


def test_a_client_that_calls_again_without_an_answer_is_not_asked_again(env: dict[str, str]) -> None:
    with client(env, "modern", SILENT) as user:
        failed = failure(user.call("rag_get_document", NAMED))

    assert failed["type"] == "AmbiguousDocument"
    assert len(user.asked) == 1


@pytest.fixture
def forged(env: dict[str, str]) -> Iterator[RawUser]:
    with client(env, "modern", choice("1")) as user:
        yield user


def test_an_answer_to_a_question_that_was_not_asked_is_no_answer(forged: RawUser) -> None:
    key = "tools.rag_get_document:make.<locals>.chosen_by_the_user"
    answer = forged.ask(
        "tools/call",
        {"name": "rag_get_document", "arguments": NAMED, "inputResponses": {key: choice("1")}},
    )

    assert answer["result"]["resultType"] == "input_required"
