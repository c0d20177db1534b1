"""Questions to the user by a real server process, over raw lines that no valid client would send."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.answers import failure_in
from tests.doubles.raw_client_model import DECLINES, SILENT, RawUser
from tests.doubles.raw_stdio import RawServer, environment

NAMED = {"name": "report"}


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a server whose index has two reports."""
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


@pytest.fixture(scope="module", params=["modern", "legacy"])
def user(request: pytest.FixtureRequest, env: dict[str, str]) -> Iterator[RawUser]:
    """The user of a real server process. Each test sets their answers."""
    with RawUser({}, env=env, era=request.param) as user:
        user.shake_hands()
        yield user


def choice(document: Any) -> dict[str, Any]:
    return {"action": "accept", "content": {"document": document}}


def failure(answer: dict[str, Any]) -> dict[str, Any]:
    assert "error" not in answer, answer
    return failure_in(answer["result"])


def test_the_call_continues_with_the_choice(user: RawUser) -> None:
    user.says(choice("2"))

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


def test_any_invalid_answer_of_a_client_gets_the_options(user: RawUser) -> None:
    # Before 2026-07-28 the answer is a separate message, which is invalid unless its result is an object.
    lies = [one for one in LIES if user.era == "modern" or isinstance(one, dict)]
    user.says(*lies)
    for lie in lies:
        failed = failure(user.call("rag_get_document", NAMED))
        assert failed["type"] == "AmbiguousDocument", (lie, failed)
        assert len(failed["hints"]) == 2, (lie, failed)
    assert len(user.asked) == len(lies)


@pytest.mark.parametrize("user", ["modern"], indirect=True)
def test_a_client_that_calls_again_without_an_answer_is_not_asked_again(user: RawUser) -> None:
    user.says(SILENT)

    failed = failure(user.call("rag_get_document", NAMED))

    assert failed["type"] == "AmbiguousDocument"
    assert len(user.asked) == 1


@pytest.mark.parametrize("user", ["modern"], indirect=True)
def test_an_answer_to_a_question_that_was_not_asked_is_ignored(user: RawUser) -> None:
    key = "ibid:document"
    answer = user.ask(
        "tools/call",
        {"name": "rag_get_document", "arguments": NAMED, "inputResponses": {key: choice("1")}},
    )

    assert answer["result"]["resultType"] == "input_required"
