"""Arguments that are unknown or malformed, and tools that do not exist."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from corpus.filters import KEYS
from tests.server.desk import Desk

pytestmark = pytest.mark.anyio

REFUSED: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("rag_semantic_search", {"querry": "x"}, ("'querry'", "Did you mean 'query'?")),
    (
        "rag_semantic_search",
        {"query": "x", "user_context": {"id": "root"}},
        ("'user_context'", "takes: query"),
    ),
    ("rag_semantic_search", {"query": "x", "ctx": 1}, ("'ctx'",)),
    ("rag_semantic_search", {}, ("'query' is missing",)),
    ("rag_semantic_search", {"query": 5}, ("'query' is 5", "string")),
    ("rag_semantic_search", {"query": None}, ("'query' is None",)),
    ("rag_semantic_search", {"query": "  "}, ("query is empty",)),
    ("rag_semantic_search", {"query": "x", "top_k": "many"}, ("'top_k' is 'many'", "integer")),
    ("rag_semantic_search", {"query": "x", "top_k": True}, ("'top_k' is True", "integer")),
    ("rag_semantic_search", {"query": "x", "filters": {"page_number": True}}, ("page_number",)),
    ("rag_list_documents", {"limit": True}, ("'limit' is True", "integer")),
    ("rag_show_page", {"doc_id": "pump", "page_number": True}, ("'page_number' is True", "integer")),
    ("rag_synthesize", {"query": "x", "top_k": False}, ("'top_k' is False", "integer")),
    (
        "rag_synthesize",
        {"query": "x", "observations": [{"tool": "w", "text": "x"}]},
        ("'observations[0].tool' is unknown", "takes: text, url, title"),
    ),
    ("rag_synthesize", {"query": "x", "history": [{"role": "user"}]}, ("'history[0].text' is missing",)),
    ("rag_semantic_search", {"query": "x", "filters": ["a"]}, ("'filters'", "object")),
    ("rag_semantic_search", {"query": "x", "filters": {"auther": "Kim"}}, ("'auther'", "'author'")),
    ("rag_semantic_search", {"query": "x", "filters": {"author": "Kym"}}, ("'Kym'", "'Kim'")),
    ("rag_semantic_search", {"query": "x", "filters": {"page_number": -1}}, ("page_number",)),
    ("rag_semantic_search", {"query": "x", "filters": {"uploaded_after": "soon"}}, ("2026-03-31",)),
    ("rag_list_documents", {"sort_by": "size"}, ("'sort_by' is 'size'", "upload_date")),
    ("rag_get_document", {"doc_id": "pump", "name": "pump"}, ("doc_id or name",)),
    ("rag_get_document", {"doc_id": "pump", "pages": "9-3"}, ("'9-3'",)),
    ("rag_get_document", {"doc_id": "pump", "page": "3"}, ("'page'", "Did you mean 'pages'?")),
    ("rag_show_page", {"doc_id": "pump"}, ("'page_number' is missing",)),
    ("rag_show_page", {"page_number": 1}, ("'doc_id' is missing", "block_id")),
    ("rag_synthesize", {"query": "x", "block_ids": [1]}, ("'block_ids[0]' is 1",)),
    ("rag_synthesize", {"query": "x", "block_ids": ["a"] * 51}, ("'block_ids'", "50")),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), REFUSED)
async def test_an_invalid_argument_is_named_with_the_fix(
    stocked: Desk, era: str, tool: str, arguments: dict[str, Any], said: tuple[str, ...]
) -> None:
    failure = await stocked.failure(tool, era, **arguments)

    assert failure["type"] == "InvalidRequest"
    for part in said:
        assert part in failure["error"]
    assert "pydantic" not in failure["error"]
    assert len(failure["error"]) < 700


async def test_an_unknown_tool_names_the_similar_one(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_semantic_serch", era, query="x")

    assert failure["type"] == "InvalidRequest"
    assert "Did you mean 'rag_semantic_search'?" in failure["error"]


async def test_a_filter_value_that_only_others_may_read_is_like_any_unknown_value(stocked: Desk, era: str) -> None:
    hidden = await stocked.failure("rag_semantic_search", era, query="x", filters={"author": "Lee"})
    missing = await stocked.failure("rag_semantic_search", era, query="x", filters={"author": "Lef"})

    assert hidden["error"].replace("Lee", "Lef") == missing["error"]


CALLS: dict[str, dict[str, Any]] = {
    "rag_semantic_search": {"query": "pump impeller"},
    "rag_list_documents": {},
    "rag_get_document": {"doc_id": "pump"},
    "rag_show_page": {"doc_id": "pump", "page_number": 1},
    "rag_synthesize": {"query": "pump impeller"},
    "rag_verify_answer": {"answer": "The impeller turns (Source: pump.md, lines 1-3)."},
}


@pytest.mark.parametrize("empty", [None, ""])
async def test_an_argument_that_is_null_or_empty_counts_as_omitted(stocked: Desk, era: str, empty: str | None) -> None:
    async with stocked.client(era) as client:
        for tool in (await client.list_tools()).tools:
            call = CALLS[tool.name]
            assert set(tool.input_schema.get("required", ())) <= set(call)
            without = await client.call_tool(tool.name, call)
            optional = {name: empty for name in tool.input_schema["properties"] if name not in call}
            for empties in [optional, *({name: empty} for name in optional)]:
                result = await client.call_tool(tool.name, call | empties)
                assert result.content == without.content, (tool.name, empties)


@pytest.mark.parametrize("empty", [None, "", []])
async def test_a_filter_that_is_null_or_empty_counts_as_omitted(stocked: Desk, era: str, empty: object) -> None:
    plain = await stocked.call("rag_semantic_search", era, query="pump impeller")
    filters = dict.fromkeys(KEYS, empty)

    assert await stocked.call("rag_semantic_search", era, query="pump impeller", filters=filters) == plain


async def test_a_null_within_an_argument_counts_as_omitted(stocked: Desk, era: str) -> None:
    answer = await stocked.call(
        "rag_verify_answer",
        era,
        answer="The pump moves water [1].",
        sources=[{"citation_number": 1, "block_id": "pump-p1-1", "text": None, "url": None, "title": None}],
    )
    assert len(answer["claims"]) == 1


@pytest.mark.parametrize(
    ("tool", "arguments", "warning"),
    [
        (
            "rag_semantic_search",
            {"query": "pump", "top_k": 51},
            "top_k=51 is beyond the maximum; 50 was used.",
        ),
        ("rag_semantic_search", {"query": "pump", "top_k": 0}, "top_k=0 is beyond the minimum; 1 was used."),
        (
            "rag_semantic_search",
            {"query": "pump", "top_k": "99"},
            "top_k=99 is beyond the maximum; 50 was used.",
        ),
        ("rag_list_documents", {"limit": 1000}, "limit=1000 is beyond the maximum; 50 was used."),
        ("rag_synthesize", {"query": "pump", "top_k": 50}, "top_k=50 is beyond the maximum; 20 was used."),
        (
            "rag_synthesize",
            {"query": "pump", "max_tokens": 10**12},
            "max_tokens=1000000000000 is beyond the maximum; 4000 was used.",
        ),
        (
            "rag_synthesize",
            {"query": "pump", "max_tokens": 5},
            "max_tokens=5 is beyond the minimum; 100 was used.",
        ),
    ],
)
async def test_an_amount_beyond_its_limit_becomes_the_limit_and_the_result_says_so(
    stocked: Desk, era: str, tool: str, arguments: dict[str, Any], warning: str
) -> None:
    answer = await stocked.call(tool, era, **arguments)

    assert answer["warnings"].count(warning) == 1


async def test_integers_are_written_without_a_decimal_point(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        result = await client.call_tool("rag_synthesize", {"query": "what does zymurgy mean?"})

    text = result.content[0].text  # type: ignore[union-attr]
    assert re.search('"confidence":0[,}]', text)
    assert ".0," not in json.dumps(result.structured_content)
    assert json.loads(text) == result.structured_content


async def test_a_required_argument_that_is_null_is_reported(stocked: Desk, era: str) -> None:
    failure = await stocked.failure("rag_semantic_search", era, query=None)
    assert "'query'" in failure["error"]
