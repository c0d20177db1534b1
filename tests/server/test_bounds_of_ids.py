"""Ids and names of any length cost no more than a refusal."""

from __future__ import annotations

import time

import pytest

from tests.server.desk import Desk, failure_in

pytestmark = pytest.mark.anyio

LONG = "x" * 1_000_000
MOST_SECONDS = 10.0
"""Maximum CPU seconds of both sides. The SDK alone would write out a million errors."""


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("rag_get_document", {"doc_id": LONG}, "InvalidRequest"),
        ("rag_get_document", {"name": LONG}, "InvalidRequest"),
        ("rag_show_page", {"doc_id": LONG, "page_number": 1}, "InvalidRequest"),
        ("rag_synthesize", {"query": "?", "block_ids": [LONG] * 50}, "InvalidRequest"),
        ("rag_synthesize", {"query": "?", "block_ids": [1] * 1_000_000}, "InvalidRequest"),
        ("rag_synthesize", {"query": "?", "observations": [{}] * 500_000}, "InvalidRequest"),
        ("rag_synthesize", {"query": "?", "observations": [{"text": LONG}]}, "InvalidRequest"),
        ("rag_semantic_search", {"query": LONG}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {LONG: "a"}}, "InvalidRequest"),
        ("rag_list_documents", {"query": "x" * 5_000}, "InvalidRequest"),
        ("rag_synthesize", {"query": "?", "block_ids": ["a"] * 51}, "InvalidRequest"),
        ("rag_list_documents", {"cursor": LONG}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {"filename": LONG}}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {"author": ["a"] * 101}}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {"author": [[["a"]]]}}, "InvalidRequest"),
    ],
)
async def test_an_argument_beyond_a_limit_is_refused_in_a_short_answer(
    desk: Desk, tool: str, arguments: dict[str, object], kind: str
) -> None:
    before = time.process_time()
    async with desk.client() as client:
        result = await client.call_tool(tool, arguments)

    assert len(str(result.content)) < 4000
    assert failure_in(result)["type"] == kind
    assert time.process_time() - before < MOST_SECONDS
