"""Malformed input to the view: none of it prevents the rest from being shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evidence_view.answers import EACH, given
from tests.evidence_view.host_server import Server
from tests.evidence_view.host_tab import Host

pytestmark = pytest.mark.slow

SENTENCE = "The discharge pressure must rise within five seconds."


@pytest.fixture(scope="module")
def result(server: Server) -> dict[str, Any]:
    return server.call("rag_verify_answer", given(server))


def test_lists_passed_as_text_are_accepted_as_by_the_server(server: Server, host: Host) -> None:
    asked = given(server)
    as_text = {**asked, "block_ids": json.dumps(asked["block_ids"])}
    host.show(server.call("rag_verify_answer", as_text), as_text)
    assert host.text("#text mark") == SENTENCE
    assert len(host.texts("#source-list li")) == 2
    source = {"citation_number": 3, "text": "The tank holds 40 litres. It stands in the yard."}
    handed = {"answer": "The tank holds 40 litres [3].", "sources": json.dumps([source])}
    host.show(server.call("rag_verify_answer", handed), handed)
    assert host.text("#text") == source["text"]


def test_a_client_that_passes_only_the_text_gets_the_same_view(
    server: Server, host: Host, result: dict[str, Any]
) -> None:
    host.show({key: value for key, value in result.items() if key != "structuredContent"}, given(server))
    assert host.texts("#claim-list .text") == [claim for claim, _, _ in EACH]
    assert host.text("#text mark") == SENTENCE
    host.see("document.querySelector('#whole').open = true")
    assert host.text("#answer").strip() == given(server)["answer"].strip()


@pytest.mark.parametrize(
    "odd",
    [
        {"structuredContent": {"claims": [None, {"text": 5, "verdict": {}, "missing": "x", "evidence": 1}]}},
        {"structuredContent": {"sources": [None, 7, {"citation_number": 1, "block_id": 4}], "warnings": "abc"}},
        {"structuredContent": [1, 2], "content": {"a": 1}},
        {"_meta": {"ibid/evidence": {"claims": [None, [], [0, 9, "constructor", 1, 9, 0, 0]], "blocks": 5}}},
        {"_meta": "x", "structuredContent": {"answer": 5, "contradictions": [1, None]}},
    ],
    ids=["claims", "sources", "no object", "places", "no places"],
)  # fmt: skip
def test_an_invalid_answer_of_the_server_leaves_no_view_waiting(
    host: Host, result: dict[str, Any], odd: dict[str, Any]
) -> None:
    host.tab.complaints.clear()
    host.show({**result, **odd}, {"answer": 5, "block_ids": {"a": 1}, "sources": [None, "x"]})
    assert host.text("#wait") == ""
    assert host.tab.complaints == []
    host.tell("tool-result", result)
    host.until("document.querySelectorAll('#claim-list li').length === 7")
    host.drawn()
    assert host.text("#text mark") == SENTENCE


def test_if_no_answer_could_be_written_the_hits_are_shown(server: Server, host: Host) -> None:
    found = {"block_id": server.block("p2-2"), "content": SENTENCE, "citation": "(Source: pump.pdf, S. 2)"}
    held = {"success": True, "answer": "", "mode": "none", "sources": [], "raw_chunks": [found]}
    host.show({"content": [{"type": "text", "text": json.dumps(held)}], "structuredContent": held})
    assert host.texts("#source-list li") == ["[1] pump.pdf, S. 2"]
    assert host.text("#page-at").startswith("Page 2 of ")
    assert host.see("document.querySelector('#whole').hidden") is True


def test_of_many_quick_choices_the_last_is_shown_and_few_are_requested(
    server: Server, host: Host, result: dict[str, Any]
) -> None:
    host.show(result, given(server))
    before = len(host.heard("tools/call"))
    host.see("[...document.querySelectorAll('#claim-list button')].forEach(one => one.click())")
    host.drawn()
    assert host.text("#claim") == EACH[-1][0]
    assert host.text("#text mark").startswith("Expect some leakage")
    assert len(host.heard("tools/call")) - before <= 2


def test_a_long_name_does_not_hide_its_page(host: Host) -> None:
    source = {"citation_number": 1, "citation": f"(Source: {'long-' * 50}name.pdf, S. 31)"}
    held = {"success": True, "answer": "See [1].", "sources": [source]}
    host.show({"content": [], "structuredContent": held})
    (listed,) = host.texts("#source-list li")
    assert listed.startswith("[1] long-long-")
    assert listed.endswith("-long-name.pdf, S. 31")
    assert len(listed) < 100
    assert host.text("#citation") == f"{'long-' * 50}name.pdf, S. 31"
