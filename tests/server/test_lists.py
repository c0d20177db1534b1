"""Caching of lists by clients, the stable order of lists, and invalid cursors."""

from __future__ import annotations

from typing import Any

import pytest

from corpus.access import Caller
from corpus.errors import Timeout
from tests.server.desk import Desk, manual, passage
from tools.protocol import Models

pytestmark = pytest.mark.anyio

HOUR = 3_600_000
TEMPLATES = [
    "rag://documents/{doc_id}",
    "rag://documents/{doc_id}/pages/{page}",
    "rag://documents/{doc_id}/pages/{page}/image",
    "rag://blocks/{block_id}/image",
]


async def test_lists_that_are_the_same_for_everybody_may_be_cached_for_an_hour(desk: Desk) -> None:
    async with desk.client() as client:
        for listed in (await client.list_prompts(), await client.list_resource_templates()):
            assert (listed.ttl_ms, listed.cache_scope) == (HOUR, "public")


async def test_lists_that_depend_on_client_views_are_cached_separately(desk: Desk) -> None:
    async with desk.client() as client:
        listed = await client.list_tools()
    assert (listed.ttl_ms, listed.cache_scope) == (HOUR, "private")


async def test_lists_that_depend_on_the_caller_are_private_and_not_cached(stocked: Desk) -> None:
    async with stocked.client() as client:
        for answer in (await client.read_resource("rag://documents/pump"), await client.list_resources()):
            assert (answer.ttl_ms, answer.cache_scope) == (0, "private")


async def test_resources_are_the_documents_that_the_caller_may_read(stocked: Desk, era: str) -> None:
    for caller, readable in (
        (Caller(), {"pump", "notes"}),
        (Caller(user_id="ann"), {"pump", "notes", "salaries"}),
    ):
        stocked.caller = caller
        async with stocked.client(era) as client:
            listed = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
        assert {str(one.uri) for one in listed} == {f"rag://documents/{doc_id}" for doc_id in readable}
        assert ("pump.pdf", "Manual of the pump") in {(one.name, one.title) for one in listed}
        assert [one.uri_template for one in templates] == TEMPLATES
        assert all(one.mime_type and one.title and one.description for one in templates)


async def test_each_listed_resource_can_be_read(stocked: Desk, era: str) -> None:
    async with stocked.client(era) as client:
        for listed in (await client.list_resources()).resources:
            (content,) = (await client.read_resource(listed.uri)).contents
            assert content.mime_type == listed.mime_type


async def test_the_newest_fifty_documents_are_listed_newest_first(desk: Desk, era: str) -> None:
    for n in range(55):
        day = f"2026-03-{n // 2 + 1:02}T10:00:{n % 2:02}+00:00"
        await desk.put(manual(f"d{n:02}", upload_date=day), [])

    async with desk.client(era) as client:
        listed = (await client.list_resources()).resources

    assert [one.name for one in listed] == [f"d{n:02}.pdf" for n in range(54, 4, -1)]


async def test_files_of_the_same_name_are_listed_under_different_names(desk: Desk, era: str) -> None:
    for year in ("2024", "2025"):
        await desk.put(manual(f"bill{year}", filename="bill.pdf", source_path=f"/files/{year}/bill.pdf"), [])

    async with desk.client(era) as client:
        names = {one.name for one in (await client.list_resources()).resources}

    assert names == {"2024/bill.pdf", "2025/bill.pdf"}


async def test_a_failing_index_leaves_the_list_without_documents(
    stocked: Desk, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: Any) -> None:
        raise Timeout("The index did not answer.")

    monkeypatch.setattr(stocked.library, "list_documents", failing)
    async with stocked.client(era) as client:
        assert (await client.list_resources()).resources == []


@pytest.mark.parametrize("cursor", ["nobody's", "", "MTAw"])
async def test_lists_of_one_page_ignore_a_cursor(desk: Desk, era: str, cursor: str) -> None:
    """Each list is complete, so there is no page that a cursor could mean."""
    async with desk.client(era) as client:
        tools = await client.list_tools(cursor=cursor)
        assert tools.next_cursor is None
        assert tools.tools == (await client.list_tools()).tools
        assert (await client.list_prompts(cursor=cursor)).prompts
        assert (await client.list_resource_templates(cursor=cursor)).resource_templates


async def test_every_tool_states_all_that_a_client_asks_before_running_it(desk: Desk, era: str) -> None:
    every = Desk(desk.index, desk.library, models=Models(llm_generate="Write."))
    async with every.client(era) as client:
        for tool in (await client.list_tools()).tools:
            said: dict[str, Any] = tool.annotations.model_dump(exclude_none=True)  # type: ignore[union-attr]
            hints = {"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}
            assert hints <= set(said), tool.name


async def test_a_list_of_documents_continues_in_another_protocol_generation(desk: Desk) -> None:
    """A cursor belongs to the list, not to the connection."""
    for number in range(5):
        await desk.put(manual(f"doc{number}"), [passage("x", doc_id=f"doc{number}")])
    first = await desk.call("rag_list_documents", "auto", limit=2, sort_by="title")
    second = await desk.call("rag_list_documents", "legacy", limit=3, sort_by="title", cursor=first["next_cursor"])
    found = [one["doc_id"] for one in (*first["documents"], *second["documents"])]
    assert found == [f"doc{number}" for number in range(5)]
    assert "next_cursor" not in second
