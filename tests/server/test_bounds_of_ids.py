"""Ids and names of any length cost no more than a refusal."""

from __future__ import annotations

import pytest

from tests.server.desk import Desk, failure_in

pytestmark = pytest.mark.anyio

LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("rag_get_document", {"doc_id": LONG}, "DocumentNotFound"),
        ("rag_get_document", {"name": LONG}, "DocumentNotFound"),
        ("rag_show_page", {"doc_id": LONG, "page_number": 1}, "DocumentNotFound"),
        ("rag_synthesize", {"query": "?", "block_ids": [LONG] * 50}, None),
        ("rag_synthesize", {"query": "?", "block_ids": ["a"] * 51}, "InvalidRequest"),
        ("rag_list_documents", {"cursor": LONG}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {"filename": LONG}}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {"author": ["a"] * 101}}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "filters": {"author": [[["a"]]]}}, "InvalidRequest"),
        ("rag_semantic_search", {"query": "?", "top_k": 51}, "InvalidRequest"),
    ],
)
async def test_what_is_beyond_a_bound_is_refused_in_a_short_answer(
    desk: Desk, tool: str, arguments: dict[str, object], kind: str | None
) -> None:
    async with desk.client() as client:
        result = await client.call_tool(tool, arguments)

    assert len(str(result.content)) < 4000
    assert kind is None or failure_in(result)["type"] == kind
