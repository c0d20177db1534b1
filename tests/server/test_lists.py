"""What a client may keep, and for whom; lists that are the same each time; cursors that nobody gave."""

from __future__ import annotations

from typing import Any

import pytest

from corpus.access import Caller
from tests.server.desk import Desk, manual, passage
from tools.models import Models

pytestmark = pytest.mark.anyio

HOUR = 3_600_000
TEMPLATES = [
    "rag://documents/{doc_id}",
    "rag://documents/{doc_id}/pages/{page}",
    "rag://documents/{doc_id}/pages/{page}/image",
    "rag://blocks/{block_id}/image",
]


async def test_what_is_the_same_for_everybody_may_be_kept_for_an_hour(desk: Desk) -> None:
    async with desk.client() as client:
        for listed in (await client.list_prompts(), await client.list_resource_templates()):
            assert (listed.ttl_ms, listed.cache_scope) == (HOUR, "public")


async def test_what_goes_by_the_views_that_a_client_shows_is_kept_by_itself_alone(desk: Desk) -> None:
    async with desk.client() as client:
        for listed in (await client.list_tools(), await client.list_resources()):
            assert (listed.ttl_ms, listed.cache_scope) == (HOUR, "private")


async def test_what_depends_on_the_caller_is_theirs_alone_and_not_kept(stocked: Desk) -> None:
    async with stocked.client() as client:
        read = await client.read_resource("rag://documents/pump")
    assert (read.ttl_ms, read.cache_scope) == (0, "private")


async def test_resources_are_addresses_to_fill_in_and_no_list_of_documents(stocked: Desk, era: str) -> None:
    """Nothing in a list tells of what there is to whom."""
    for caller in (Caller(), Caller(user_id="ann")):
        stocked.caller = caller
        async with stocked.client(era) as client:
            assert (await client.list_resources()).resources == []
            templates = (await client.list_resource_templates()).resource_templates
            assert [one.uri_template for one in templates] == TEMPLATES
            assert all(one.mime_type and one.title and one.description for one in templates)


@pytest.mark.parametrize("cursor", ["nobody's", "", "MTAw"])
async def test_lists_of_one_page_pass_over_a_cursor(desk: Desk, era: str, cursor: str) -> None:
    """Each list is whole, so there is no page that a cursor could mean."""
    async with desk.client(era) as client:
        tools = await client.list_tools(cursor=cursor)
        assert tools.next_cursor is None
        assert tools.tools == (await client.list_tools()).tools
        assert (await client.list_prompts(cursor=cursor)).prompts
        assert (await client.list_resource_templates(cursor=cursor)).resource_templates


async def test_every_tool_says_all_that_a_client_asks_before_it_runs_one(desk: Desk, era: str) -> None:
    every = Desk(desk.index, desk.library, models=Models(llm_generate="Write."))
    async with every.client(era) as client:
        for tool in (await client.list_tools()).tools:
            said: dict[str, Any] = tool.annotations.model_dump(exclude_none=True)  # type: ignore[union-attr]
            hints = {"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}
            assert hints <= set(said), tool.name


async def test_a_list_of_documents_goes_on_in_another_generation(desk: Desk) -> None:
    """A cursor is of the list, not of the connection."""
    for number in range(5):
        await desk.put(manual(f"doc{number}"), [passage("x", doc_id=f"doc{number}")])
    first = await desk.call("rag_list_documents", "auto", limit=2, sort_by="title")
    second = await desk.call(
        "rag_list_documents", "legacy", limit=3, sort_by="title", cursor=first["next_cursor"]
    )
    found = [one["doc_id"] for one in (*first["documents"], *second["documents"])]
    assert found == [f"doc{number}" for number in range(5)]
    assert second["next_cursor"] is None
