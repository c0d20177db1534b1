"""The information that a client gets about the server before its first call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.types import CallToolResult

from corpus.filters import KEYS
from server.mcp_prompts import ARGUMENTS
from tests.server.desk import Desk, answer_in, manual, passage
from tools.protocol import Models

pytestmark = pytest.mark.anyio

NAMES = [
    "rag_semantic_search", "rag_list_documents", "rag_get_document", "rag_show_page", "rag_synthesize",
    "rag_verify_answer",
]  # fmt: skip


async def listed(desk: Desk, era: str) -> str:
    async with desk.client(era) as client:
        return (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)


async def test_the_list_of_tools_stays_under_16_kilobytes(desk: Desk, era: str) -> None:
    every_tool = Desk(desk.index, desk.library, models=Models(llm_generate="Write."))
    assert len((await listed(every_tool, era)).encode()) < 16_000


async def test_the_list_of_tools_is_the_same_each_time(desk: Desk, era: str) -> None:
    before = await listed(desk, era)
    await desk.put(manual(), [passage("Text.")])

    assert await listed(desk, era) == before


async def test_every_tool_is_read_only_titled_and_described(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert tool.title
        assert tool.description
        assert "\n" not in tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
        assert tool.annotations.destructive_hint is False
        Draft202012Validator.check_schema(tool.input_schema)
        if tool.output_schema:
            Draft202012Validator.check_schema(tool.output_schema)


async def test_every_argument_is_described(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        tools = (await client.list_tools()).tools

    for tool in tools:
        for name, schema in tool.input_schema["properties"].items():
            assert "description" in schema, f"{tool.name}.{name}"


async def test_each_filter_schema_lists_every_key_with_a_default(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    for name in ("rag_semantic_search", "rag_list_documents", "rag_synthesize"):
        schema = tools[name].input_schema["properties"]["filters"]
        assert list(schema["properties"]) == list(KEYS)
        assert all("default" in key for key in schema["properties"].values())
        validator = Draft202012Validator(schema)
        assert validator.is_valid({"author": ["Kim", "Lee"], "page_number": [3], "dated_after": "2026-01-01"})


async def test_arguments_use_only_json_schema_that_every_client_supports(desk: Desk, era: str) -> None:
    every_tool = Desk(desk.index, desk.library, models=Models(llm_generate="Write."))
    async with every_tool.client(era) as client:
        tools = (await client.list_tools()).tools

    for tool in tools:
        for place, schema in parts(tool.name, tool.input_schema):
            assert isinstance(schema.get("type"), str), place
            assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs", "additionalProperties"} & set(schema), place
            required = schema.get("required", ())
            for name, part in schema.get("properties", {}).items():
                assert name in required or "default" in part, f"{place}.{name}"


def parts(place: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and all schemas within it."""
    yield place, schema
    for name, part in schema.get("properties", {}).items():
        yield from parts(f"{place}.{name}", part)
    if "items" in schema:
        yield from parts(f"{place}[]", schema["items"])


async def test_the_schema_defaults_equal_omitted_arguments(stocked: Desk, era: str) -> None:
    calls: dict[str, dict[str, Any]] = {
        "rag_semantic_search": {"query": "pump impeller"},
        "rag_list_documents": {},
        "rag_synthesize": {"query": "pump impeller"},
    }
    async with stocked.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, call in calls.items():
            properties = tools[name].input_schema["properties"]
            defaults = {key: part["default"] for key, part in properties.items() if key not in call}
            each = {key: part["default"] for key, part in properties["filters"]["properties"].items()}
            plain = await client.call_tool(name, call)
            filled = await client.call_tool(name, call | defaults | {"filters": each})
            assert without_cached(filled) == without_cached(plain)


def without_cached(result: CallToolResult) -> dict[str, Any]:
    return {key: value for key, value in answer_in(result).items() if key != "cached"}


async def test_a_search_among_tools_finds_them_by_common_words(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    search = tools["rag_semantic_search"]
    described = f"{search.description} {tools['rag_list_documents'].description}".lower()
    assert search.meta
    for word in ("pdf", "manual", "knowledge base", "my files", "notes", "mail"):
        assert word in described
        assert word in search.meta["anthropic/searchHint"]
    loaded = {name: (tool.meta or {}).get("anthropic/alwaysLoad") for name, tool in tools.items()}
    assert [name for name, always in loaded.items() if always is True] == ["rag_semantic_search"]
    assert all((tool.meta or {}).get("anthropic/searchHint") for tool in tools.values())


async def test_descriptions_alone_say_how_to_cite_to_look_and_to_check(desk: Desk, era: str) -> None:
    """Four clients do not pass on instructions."""
    async with desk.client(era) as client:
        tools = {tool.name: tool.description or "" for tool in (await client.list_tools()).tools}
        instructions = client.instructions or ""

    assert "copy the `citation` after each fact" in tools["rag_semantic_search"]
    assert "look at a figure with rag_show_page" in tools["rag_semantic_search"]
    for text in (*(tools[name] for name in ("rag_semantic_search", "rag_synthesize")), instructions):
        assert "rag_verify_answer" in text
    assert "should not write" in tools["rag_synthesize"]
    assert "should not write" in instructions
    assert not any("As in rag_" in json.dumps(tool) for tool in tools.values())


async def test_answers_match_their_output_schema(stocked: Desk, era: str) -> None:
    calls = [
        ("rag_semantic_search", {"query": "pump impeller"}),
        ("rag_list_documents", {}),
        ("rag_get_document", {"doc_id": "pump", "pages": "1-9"}),
        ("rag_synthesize", {"query": "pump impeller"}),
    ]
    async with stocked.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            Draft202012Validator(tools[name].output_schema or {}).validate(result.structured_content)


async def test_the_server_introduces_itself(desk: Desk, era: str) -> None:
    try:
        expected = version("ibid-mcp")
    except PackageNotFoundError:
        expected = "0+checkout"
    async with desk.client(era) as client:
        assert client.server_info.name == "ibid"
        assert client.server_info.version == expected
        assert client.instructions
        assert "rag_semantic_search" in client.instructions
        prompts = (await client.list_prompts()).prompts
        templates = (await client.list_resource_templates()).resource_templates

    assert [(one.name, [a.name for a in one.arguments or ()]) for one in prompts] == [
        ("ask", ["question"]),
        ("rag_system_prompt", list(ARGUMENTS)),
    ]
    assert [one.uri_template for one in templates] == [
        "rag://documents/{doc_id}",
        "rag://documents/{doc_id}/pages/{page}",
        "rag://documents/{doc_id}/pages/{page}/image",
        "rag://blocks/{block_id}/image",
    ]


async def test_every_optional_argument_may_be_null(desk: Desk, era: str) -> None:
    """smolagents asks the model for every argument that is not nullable in the schema."""
    async with desk.client(era) as client:
        for tool in (await client.list_tools()).tools:
            required = tool.input_schema.get("required", ())
            for name, part in tool.input_schema["properties"].items():
                assert part.get("nullable", False) is (name not in required), (tool.name, name)
