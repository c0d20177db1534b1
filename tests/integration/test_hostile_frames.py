"""A hundred queries that no valid client would send, as raw frames: each is answered, and so is the next request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from server.sdk_gaps.stdio_descriptors import MAX_LINE_BYTES
from tests.answers import failure_in
from tests.doubles.raw_stdio import ENVELOPE, RawServer

QUERIES = [
    '"', "'", '"""', "a AND", "OR", "NOT", "AND OR NOT", "a AND (b OR", "(((", ")))", "a:b", "content:pump", ":", "::",
    "*", "?", "a*", "*a", "[a TO b]", "[* TO *]", "{a TO b}", "a^5", "a^", "a~2", "~", "+a -b", "--", "&&", "||", "!",
    "\\", "\\\\", "\\\"", "/a/", "/.*/", "<a>", "a=b", "; DROP TABLE blocks;--", "' OR '1'='1", "NEAR(a b)",
    "a NEAR/3 b",
    "{}", "[]", "{{7*7}}", "${x}", "%s %d", "%00", "../../etc/passwd", "rag://documents/pump", "https://example.com",
    "\n", "\r\n", "\t", " ", "", "\u0000", "a\u0000b", "\u0001\u0002", "\u001b[31m", "\u007f", "\u0085",
    "\ufeff", "\ufffe",
    "\u200b", "\u200d", "\u202e reversed", "\u2066x\u2069", "\U000e0041", "e\u0301", "\u0301", "é", "ß", "İ", "ŉ", "ﬁ",
    "🙂", "👩‍👩‍👧‍👦", "🇩🇪", "漢字", "ポンプはどう動く", "펌프", "泵的工作原理是什么",
    "كيف تعمل المضخة", "איך המשאבה עובדת", "पंप", "ปั๊ม", "насос",
    "Kreiselpumpe", "Donaudampfschifffahrtsgesellschaft", "a" * 100_000, "pump " * 20_000, "漢" * 100_000,
    "🙂" * 20_000,
    "\u0301" * 10_000, '"' * 10_000, "(" * 10_000, "0" * 1000, "1e309", "NaN", "null", "-1", "pump\u2028water",
    "ﷺ" * 1000, "Z̵̨͎a̷͇͝l̴̟͌g̶̠̈́o̵͇͛",
]  # fmt: skip
ESCAPED = ["\\ud800", "\\udc00x", "a\\ud83d", "\\ud800\\ud800", "\\udfff pump"]


@pytest.fixture(scope="module", params=["modern", "legacy"])
def server(request: pytest.FixtureRequest, env: dict[str, str]) -> Iterator[RawServer]:
    with RawServer(env=env | {"RAG_LOG_LEVEL": "ERROR"}, era=request.param) as running:
        running.shake_hands()
        yield running
        assert running.close() == 0
        assert b"Traceback" not in running.errors


def answered(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call: an answer, or a failure in Ibid's format."""
    result: dict[str, Any] = answer["result"]
    if result.get("isError"):
        failure = failure_in(result)
        assert failure["type"] == "InvalidRequest", failure
    else:
        assert result["structuredContent"]["success"] is True
    return result


def still_works(server: RawServer) -> None:
    answer = answered(server.call("rag_semantic_search", {"query": "centrifugal impeller"}))
    assert answer["structuredContent"]["documents"][0]["doc_id"] == "pump"


def test_there_are_a_hundred_queries() -> None:
    assert len(QUERIES) + len(ESCAPED) >= 100


@pytest.mark.parametrize("tool", ["rag_semantic_search", "rag_list_documents", "rag_synthesize"])
def test_a_hostile_query_is_answered(server: RawServer, tool: str) -> None:
    for query in QUERIES:
        answered(server.call(tool, {"query": query}))
    still_works(server)


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("rag_get_document", "name"),
        ("rag_get_document", "doc_id"),
        ("rag_list_documents", "cursor"),
        ("rag_get_document", "pages"),
    ],
)
def test_a_hostile_argument_is_answered(server: RawServer, tool: str, argument: str) -> None:
    for text in QUERIES:
        result = server.call(tool, {argument: text})["result"]
        if result.get("isError"):
            failure = failure_in(result)
            assert failure["type"] in ("InvalidRequest", "DocumentNotFound"), (text[:80], failure)
    still_works(server)


def test_a_hostile_filter_is_answered(server: RawServer) -> None:
    for text in QUERIES:
        answered(server.call("rag_semantic_search", {"query": "pump", "filters": {"author": text}}))
        answered(server.call("rag_semantic_search", {"query": "pump", "filters": {text: "x"}}))
        answered(server.call("rag_semantic_search", {"query": "pump", text or "x": "x"}))
    still_works(server)


@pytest.mark.parametrize("text", ESCAPED)
def test_a_lone_surrogate_is_answered(server: RawServer, text: str) -> None:
    meta = f', "_meta": {json.dumps(ENVELOPE)}' if server.era == "modern" else ""
    frame = (
        '{"jsonrpc": "2.0", "id": "half", "method": "tools/call", "params": {"name": "rag_semantic_search", '
        f'"arguments": {{"query": "{text}"}}{meta}}}}}'
    )

    answered(server.ask_raw(frame.encode(), "half"))
    still_works(server)


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"not json",
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
        b'"text"',
        b"[" * 50_000,
        b'{"jsonrpc": "1.0", "id": null}',
    ],
)
def test_a_broken_line_gets_an_error_and_the_next_is_answered(server: RawServer, line: bytes) -> None:
    assert server.ask_raw(line, None)["error"]["code"] in (-32700, -32600)
    still_works(server)


def test_a_line_beyond_the_limit_gets_an_error_and_the_next_is_answered(server: RawServer) -> None:
    assert server.ask_raw(b"x" * (MAX_LINE_BYTES + 100), None)["error"]["code"] == -32600
    frame = b'{"jsonrpc": "2.0", "method": "tools/list", "params": {"x": "%s"}, "id": "long"}'
    assert server.ask_raw(frame % (b"x" * MAX_LINE_BYTES), "long")["error"]["code"] == -32600
    still_works(server)


def test_a_deeply_nested_argument_gets_an_error_and_the_next_is_answered(server: RawServer) -> None:
    meta = f', "_meta": {json.dumps(ENVELOPE)}' if server.era == "modern" else ""
    deep = '{"a":' * 300 + "1" + "}" * 300
    frame = (
        '{"jsonrpc": "2.0", "id": "deep", "method": "tools/call", "params": {"name": "rag_semantic_search", '
        f'"arguments": {{"query": "x", "filters": {deep}}}{meta}}}}}'
    )

    answer = server.ask_raw(frame.encode(), "deep")
    assert "error" in answer or answer["result"]["isError"]
    still_works(server)


def test_blank_lines_are_ignored(server: RawServer) -> None:
    server.send(b"\n\r\n   \n")
    still_works(server)
