"""Several processes of one service with the same keys: a conversation continues in whichever process gets the
request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from server.http.picture_urls import Keys
from tests.doubles.in_thread import in_thread
from tests.http.raw import META, MODERN, ask, post
from tests.http.site import Site, settings
from tests.server.desk import ERAS, answer_in

KEYS = ("newest-secret-of-32-letters-or-more", "older-secret-of-32-letters-or-longer")
SAMPLING = META | {"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
QUESTION = {"name": "rag_synthesize", "arguments": {"query": "How does the pump work? impeller"}}


@pytest.mark.parametrize("other", [KEYS[0], f"{KEYS[1]},{KEYS[0]}"])
def test_a_question_of_one_process_can_be_answered_to_another(tmp_path: Path, other: str) -> None:
    """This holds also during the change to a new key."""
    with one(tmp_path / "a", KEYS[0]) as first, one(tmp_path / "b", other) as second:
        asked = called(first, {})
        answer = called(second, answered(asked))

    assert asked["resultType"] == "input_required"
    assert answer["structuredContent"]["mode"] == "llm"
    assert answer["structuredContent"]["answer"].startswith("It moves water [1].")


@pytest.mark.parametrize("other", [KEYS[1], ""])
def test_a_question_sealed_with_another_key_is_refused(tmp_path: Path, other: str) -> None:
    with one(tmp_path / "a", KEYS[0]) as first, one(tmp_path / "b", other) as second:
        refused = posted(second, answered(called(first, {})))

    assert refused["error"]["code"] == -32602
    assert "requestState" in refused["error"]["message"]


def test_a_modified_state_is_refused(tmp_path: Path) -> None:
    with one(tmp_path, KEYS[0]) as site:
        back = answered(called(site, {}))
        back["requestState"] = back["requestState"][:-3] + "AAA"

        assert posted(site, back)["error"]["code"] == -32602


@pytest.mark.anyio
async def test_without_sessions_every_process_answers_an_older_client(tmp_path: Path) -> None:
    with one(tmp_path, "", RAG_HTTP_STATELESS="true") as site:
        for era in ERAS:
            async with site.client(era) as client:
                answer = answer_in(await client.call_tool("rag_semantic_search", {"query": "impeller"}))
                assert answer["results"]


def test_each_purpose_has_its_own_key_which_is_the_same_everywhere(tmp_path: Path) -> None:
    shared = settings(tmp_path, {"RAG_HTTP_KEYS": ",".join(KEYS)})
    alone = settings(tmp_path)

    assert Keys.of(shared).derived("images") == Keys.of(shared).derived("images")
    assert len({*Keys.of(shared).derived("images"), *Keys.of(shared).derived("request-state")}) == 4
    assert Keys.of(alone).derived("images") != Keys.of(alone).derived("images")


def one(folder: Path, keys: str, **more: str) -> Any:
    return in_thread(Site(folder, {"RAG_HTTP_KEYS": keys, **more} if keys else more))


def called(site: Site, back: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = posted(site, back)["result"]
    return result


def posted(site: Site, back: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of the call, alone or with an answer to its question."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": QUESTION | dict(back) | {"_meta": SAMPLING},
    }
    named = MODERN | {"Mcp-Method": "tools/call", "Mcp-Name": QUESTION["name"]}
    reply: dict[str, Any] = json.loads(ask(site.address, post(message, named)).body)  # type: ignore[dict-item]
    return reply


def answered(asked: Mapping[str, Any]) -> dict[str, Any]:
    said = {
        "role": "assistant",
        "content": {"type": "text", "text": "It moves water [1]."},
        "model": "scripted",
    }
    return {
        "requestState": asked["requestState"],
        "inputResponses": dict.fromkeys(asked["inputRequests"], said),
    }
