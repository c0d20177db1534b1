"""Figures in an index with only their addresses: passed on unchanged, and reported if the addresses have expired."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from corpus.access import ANONYMOUS
from corpus.documents.block import Block
from corpus.documents.staleness import expired_warnings
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.azure.design_shelf import design_shelf
from tests.doubles.azure_search import StandIn
from tests.server.desk import failure_in
from tests.shelf import a_document, figure, texts

pytestmark = pytest.mark.anyio

SIGNED = "https://acme.blob.core.windows.net/figures/pump.png?sv=2024-11-04&sp=r&se={}&sig=abc%2Fdef%3D"
FRESH = SIGNED.format("2099-01-01T00%3A00%3A00Z")
STALE = SIGNED.format("2020-01-01T00%3A00%3A00Z")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with StandIn() as service, design_shelf(service) as shelf:
        for doc_id, url in (("fresh", FRESH), ("stale", STALE), ("bare", None)):
            (new,) = [figure(doc_id, f"Cutaway of the {doc_id} pump", 2)]
            image = replace(new, block=replace(new.block, image_url=url))
            await shelf.put(a_document(doc_id, page_count=9), *texts(doc_id, f"The {doc_id} text."), image)
        library = Library(shelf.index, None, image_url=no_url)

        async def opened() -> Library:
            return library

        async with Client(build_server(opened, CallLog(lambda: ANONYMOUS))) as client:
            yield client


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content
    return result.structured_content


async def test_an_address_of_the_index_is_passed_on_unchanged(client: Client) -> None:
    found = await answer(client, "rag_semantic_search", query="cutaway fresh", filters={"doc_id": "fresh"})
    (image,) = [one for one in found["results"] if one.get("block_type") == "image"]
    assert image["image_url"] == FRESH
    assert "warnings" not in found


async def test_an_expired_link_is_reported_wherever_it_is_shown(client: Client) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("rag_semantic_search", {"query": "cutaway", "filters": {"doc_id": "stale"}}),
        ("rag_get_document", {"doc_id": "stale"}),
        ("rag_synthesize", {"query": "cutaway of the stale pump", "block_ids": ["stale-f2"]}),
    ]
    for tool, arguments in calls:
        said = (await answer(client, tool, **arguments))["warnings"]
        assert any("stale-f2" in one and "expired" in one for one in said), tool
        assert not any("sig=" in one for one in said)


async def test_an_image_without_an_address_is_left_out_of_an_answer(client: Client) -> None:
    composed = await answer(client, "rag_synthesize", query="cutaway of the bare pump", block_ids=["bare-f2", "bare-0"])
    assert "![" not in composed["answer"]
    assert "rag://" not in json.dumps(composed["answer"])


async def test_a_page_cannot_be_shown_but_the_figure_is_named(client: Client) -> None:
    plain = failure_in(await client.call_tool("rag_show_page", {"doc_id": "fresh", "page_number": 2}))
    with_block = failure_in(
        await client.call_tool("rag_show_page", {"doc_id": "fresh", "page_number": 2, "block_id": "fresh-f2"})
    )
    assert plain["type"] == with_block["type"] == "InvalidRequest"
    assert "holds no pictures of pages" in plain["error"]
    assert any(FRESH in hint for hint in with_block["hints"])


async def test_a_figure_that_was_not_uploaded_is_distinguished_from_an_unreadable_one(client: Client) -> None:
    asked = {"doc_id": "bare", "page_number": 2, "block_id": "bare-f2"}
    shown = failure_in(await client.call_tool("rag_show_page", asked))
    assert any("was not uploaded" in hint for hint in shown["hints"])
    with pytest.raises(MCPError, match="holds no address of it either"):
        await client.read_resource("rag://blocks/bare-f2/image")


async def test_the_image_resource_of_a_block_returns_its_address(client: Client) -> None:
    with pytest.raises(MCPError, match="Its address in the index: https://"):
        await client.read_resource("rag://blocks/fresh-f2/image")
    with pytest.raises(MCPError, match="No such resource"):
        await client.read_resource("rag://blocks/secret-f2/image")


@pytest.mark.parametrize(
    ("url", "expired"),
    [
        (STALE, True),
        (FRESH, False),
        (SIGNED.format("2020-01-01"), True),
        (SIGNED.format("never"), False),
        (STALE.replace("&sig=abc%2Fdef%3D", ""), False),
        ("https://acme.blob.core.windows.net/figures/pump.png", False),
        ("http://[", False),
        ("rag://blocks/x/image", False),
        ("", False),
    ],
)
def test_only_an_expired_signature_is_reported(url: str, expired: bool) -> None:
    block = Block(block_id="b", doc_id="d", block_type="image", image_url=url)
    assert bool(expired_warnings([block])) == expired


def test_many_expired_links_are_one_sentence() -> None:
    soon = (datetime.now(UTC) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    urls = [STALE, STALE, SIGNED.format(soon)]
    blocks = [Block(block_id=f"b{n}", doc_id="d", block_type="image", image_url=url) for n, url in enumerate(urls)]
    (said,) = expired_warnings(blocks)
    assert "2 figures" in said
    assert "have expired" in said
