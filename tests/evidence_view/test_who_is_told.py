"""Clients that show views are told about the view. For all others the server is the same as without it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.extension import advertise

from tests.evidence_view.viewing import EXTENSION, VIEWS, a_desk, asked, told, wire, with_views
from tests.server.desk import ERAS, Desk, failure_in

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("era", ERAS)]

VIEW = "ui://ibid/evidence"
TOOL = "rag_show_evidence"
QUESTION = {"query": "When is the seal changed?", "mode": "compose"}
ANSWER = {"answer": "The seal is changed every 2000 hours [1].", "block_ids": ["pump-p2-1"]}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with a_desk(tmp_path) as stocked:
        yield stocked


async def lists(desk: Desk, era: str, extensions: list[Any]) -> dict[str, Any]:
    async with desk.client(era, extensions=extensions) as client:
        tools, resources = await client.list_tools(), await client.list_resources()
    return {"tools": tools, "resources": resources}


async def test_a_client_with_views_gets_the_view_on_two_tools_and_a_tool_for_the_view_alone(
    desk: Desk, era: str
) -> None:
    async with with_views(desk, era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    shown = {name: {"ui": tool.meta["ui"]} for name, tool in tools.items() if "ui" in (tool.meta or {})}
    assert shown == {
        "rag_synthesize": {"ui": {"resourceUri": VIEW}},
        "rag_verify_answer": {"ui": {"resourceUri": VIEW}},
        TOOL: {"ui": {"visibility": ["app"]}},
    }
    tool = tools[TOOL]
    assert tool.output_schema is None
    assert tool.annotations
    assert tool.annotations.read_only_hint is True
    assert tool.annotations.open_world_hint is False
    assert "For the evidence view" in (tool.description or "")


@pytest.mark.parametrize(
    "extensions",
    [[], [advertise("com.example/other", {})], [advertise(EXTENSION, {"mimeTypes": ["text/html"]})]],
    ids=["no extension", "another one", "views of another kind"],
)
async def test_other_clients_find_no_view_in_the_lists(desk: Desk, era: str, extensions: list[Any]) -> None:
    plain = await lists(desk, era, extensions)

    said = plain["tools"].model_dump_json(by_alias=True, exclude_none=True)
    assert TOOL not in said
    assert '"ui"' not in said
    assert not any("ui" in (tool.meta or {}) for tool in plain["tools"].tools)
    assert all(str(one.uri).startswith("rag://") for one in plain["resources"].resources)


async def test_without_the_view_the_lists_are_the_same(desk: Desk, era: str) -> None:
    plain = (await lists(desk, era, []))["tools"]
    async with with_views(desk, era) as client:
        listed = (await client.list_tools()).tools

    bare = [
        tool.model_copy(update={"meta": {key: value for key, value in (tool.meta or {}).items() if key != "ui"}})
        for tool in listed
        if tool.name != TOOL
    ]
    assert json.dumps([one.model_dump(mode="json") for one in bare]) == json.dumps(
        [one.model_dump(mode="json") for one in plain.tools]
    )


async def test_lists_are_cached_privately_and_those_with_the_view_not_at_all(desk: Desk, era: str) -> None:
    async with with_views(desk, era) as client:
        shown = [await client.list_tools(), await client.list_resources()]
    plain = (await lists(desk, era, []))["tools"]

    assert [(one.ttl_ms, one.cache_scope) for one in shown] == 2 * [(0, "private")]
    if era == "auto":  # the older revision has no such hints
        assert (plain.ttl_ms, plain.cache_scope) == (3_600_000, "private")


async def test_server_capabilities_are_the_same_for_every_client(desk: Desk, era: str) -> None:
    """Each side announces what it supports, and the view is shown if both do. The older schema has no field for it."""
    said = []
    for extensions in ([], VIEWS):
        async with desk.client(era, extensions=extensions) as client:
            capabilities = client.server_capabilities
            assert capabilities
            said.append(capabilities.model_dump(mode="json", by_alias=True, exclude_none=True))

    assert said[0] == said[1]
    assert said[0].get("extensions") == ({EXTENSION: {}} if era == "auto" else None)


async def test_the_view_is_a_page_that_may_load_nothing(desk: Desk, era: str) -> None:
    async with with_views(desk, era) as client:
        (listed,) = [one for one in (await client.list_resources()).resources if str(one.uri) == VIEW]
        (content,) = (await client.read_resource(VIEW)).contents

    allowed = {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}
    assert (str(listed.uri), listed.mime_type, listed.meta) == (VIEW, "text/html;profile=mcp-app", allowed)
    assert (content.mime_type, content.meta) == ("text/html;profile=mcp-app", allowed)
    page = content.text  # type: ignore[union-attr]
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert len(page.encode()) < 60_000


async def test_for_a_client_without_views_the_views_tool_does_not_exist(desk: Desk, era: str) -> None:
    async with desk.client(era) as client:
        hidden = failure_in(await client.call_tool(TOOL, {"block_id": "pump-p2-1"}))
        unknown = failure_in(await client.call_tool("rag_show_evidences", {"block_id": "pump-p2-1"}))

    assert hidden["error"].split(". ", 1)[0] == f"Unknown tool '{TOOL}'"
    assert hidden["error"].replace(TOOL, "") == unknown["error"].replace("rag_show_evidences", "")
    assert hidden["error"].count(TOOL) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("rag_synthesize", QUESTION), ("rag_verify_answer", ANSWER), ("rag_semantic_search", {"query": "seal"})],
)
async def test_apart_from_the_view_data_a_result_is_the_same_for_all(
    desk: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    async with desk.client(era) as client:
        first = await client.call_tool(tool, arguments)
        plain = await client.call_tool(tool, arguments)
    shown = await asked(desk, era, tool, **arguments)

    assert "ibid/evidence" not in first.model_dump_json(by_alias=True)
    assert "ibid/evidence" not in plain.model_dump_json(by_alias=True)
    assert wire(shown) == wire(plain)
    if tool != "rag_semantic_search":
        assert told(shown)["claims"]
