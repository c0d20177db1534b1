"""Ids, addresses, filters, queries and cursors with injected syntax: only readable documents are returned."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.answers import documents_in
from tests.http.raw import Reply, request
from tests.redteam.attacker import Attacker, answer, told
from tests.redteam.attacks import (
    ENDINGS,
    EVERY_FILTER,
    OTHER_FILTERS,
    OUTSIDE,
    PLACES,
    QUERIES,
    call,
    completed,
    read,
)
from tests.redteam.fort import FORBIDDEN

READABLE = {"pump", "north-0", "north-1", "north-2"}
NO_ANSWER = {"InvalidRequest", "DocumentNotFound", "AmbiguousDocument"}


def placed(place: str, text: str) -> tuple[str, dict[str, Any]]:
    """Return a request with the text in that position."""
    tool, _, argument = place.partition(" ")
    if tool.startswith("rag_"):
        usual = {"doc_id": "pump", "page_number": 1} if tool == "rag_show_page" else {}
        return call(tool, **{**usual, argument: text})
    if place == "prompt":
        return "prompts/get", {"name": text, "arguments": {"question": text}}
    if place == "completion":
        return completed("rag://documents/{doc_id}/pages/{page}", "page", "", doc_id=text)
    kind = {
        "resource": "rag://documents/{}", "page resource": "rag://documents/pump/pages/{}",
        "picture resource": "rag://blocks/{}/image",
    }[place]  # fmt: skip
    return read(kind.format(text))


@pytest.mark.parametrize("attack", OUTSIDE)
def test_no_id_leads_anywhere_else(bob: Attacker, attack: str) -> None:
    for place in PLACES:
        reply = bob.asks(*placed(place, OUTSIDE[attack]))
        assert b"root:" not in reply.body
        assert is_refused(reply, place), (place, reply.body[:300])
    reply = bob.sends(request("GET", f"/images/{quote(OUTSIDE[attack].encode('utf-8', 'replace'))}"))
    assert (reply.status, reply.body) == (404, b"There is no picture here, or it has expired.\n")


def is_refused(reply: Reply, place: str) -> bool:
    if place == "completion":
        return bool(told(reply)["result"]["completion"]["values"] == [])
    message = told(reply)
    if "error" in message:
        return message["error"]["code"] in (-32602, -32600, -32700, -32020)
    return answer(reply).get("type") in NO_ANSWER


@pytest.mark.parametrize("key", EVERY_FILTER)
def test_no_value_ends_its_filter(bob: Attacker, key: str) -> None:
    for ending in ENDINGS:
        for tool, more in (("rag_semantic_search", {"query": "water"}), ("rag_list_documents", {})):
            made = answer(bob.calls(tool, filters={key: ending}, **more))
            empty = not made.get("results", made.get("documents"))
            assert made.get("type") == "InvalidRequest" or empty, (ending, made)


@pytest.mark.parametrize("attack", OTHER_FILTERS)
def test_an_invalid_filter_is_refused(attacker: Attacker, attack: str) -> None:
    for tool, more in (("rag_semantic_search", {"query": "water"}), ("rag_list_documents", {})):
        failure = answer(attacker.calls(tool, filters=OTHER_FILTERS[attack], **more))
        assert failure["type"] == "InvalidRequest"
        assert len(json.dumps(failure)) < 1500


@pytest.mark.parametrize("attack", QUERIES)
def test_no_query_is_more_than_words(attacker: Attacker, attack: str) -> None:
    found = answer(attacker.calls("rag_semantic_search", query=QUERIES[attack], top_k=50))
    written = answer(attacker.calls("rag_synthesize", query=QUERIES[attack], mode="compose"))
    listed = answer(attacker.calls("rag_list_documents", query=QUERIES[attack]))

    assert documents_in(found) | documents_in(written) <= READABLE
    assert {one["doc_id"] for one in listed["documents"]} <= READABLE


def cursor(*place: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


CURSORS = {
    "after the forbidden": cursor("title", "quolltitle report", FORBIDDEN),
    "before the forbidden": cursor("title", "quolltitle", ""),
    "of another order": cursor("access_control_list", "", ""),
    "an expression": cursor("title", "' OR 1=1 --", "' OR 1=1 --"),
    "an object in it": cursor("title", {"$gt": ""}, ""),
    "null": cursor("title", None, None),
    "a number beyond all": cursor("title", 10**30, "x"),
    "a fraction without end": base64.urlsafe_b64encode(b'["title", 1e999, "x"]').decode(),
    "too few": cursor("title"),
    "too deep": base64.urlsafe_b64encode(b"[" * 3000).decode(),
    "no base64": "!!!!",
    "a pickle": base64.urlsafe_b64encode(b"cos\nsystem\n(S'id'\ntR.").decode(),
    "half a pair": base64.urlsafe_b64encode(b'["title", "\\ud800", "x"]').decode(),
    "without end": "A" * 300_000,
    "empty": "",
}


@pytest.mark.parametrize("attack", CURSORS)
def test_a_made_up_cursor_leads_to_nothing_hidden(attacker: Attacker, attack: str) -> None:
    made = answer(attacker.calls("rag_list_documents", sort_by="title", cursor=CURSORS[attack]))

    if "documents" in made:
        assert {one["doc_id"] for one in made["documents"]} <= READABLE
        assert made["total"] == len(READABLE)
    else:
        assert made["type"] == "InvalidRequest"
