"""Every tool and resource of a server process, with the local index and with Azure AI Search."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.answers import documents_in
from tests.azure.wire import unfiltered
from tests.doubles.azure_search import StandIn
from tests.doubles.raw_stdio import MAIN, RawServer
from tests.evidence_view.viewing import VIEWS
from tests.integration.conftest import over_engine

pytestmark = pytest.mark.anyio

HIDDEN = ("hidden", "none01")
"""A document that only bob may read, and one that does not exist."""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=["local", "azure"])
def env(request: pytest.FixtureRequest) -> dict[str, str]:
    return over_engine(request)


@pytest.fixture(scope="module")
async def client(env: dict[str, str]) -> AsyncIterator[Client]:
    """One server for all tests, because its start takes longer than all calls."""
    async with started(env) as client:
        yield client


def started(env: dict[str, str], **more: Any) -> Client:
    return Client(StdioServerParameters(command=sys.executable, args=["-P", "-c", MAIN], env=env), **more)


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content
    return result.structured_content


async def test_a_question_goes_from_search_to_a_cited_answer(client: Client) -> None:
    found = await answer(client, "rag_semantic_search", query="How does the centrifugal impeller work?")
    first = found["results"][0]
    ids = [one["block_id"] for one in found["results"]]
    composed = await answer(client, "rag_synthesize", query="How does the impeller work?", block_ids=ids)

    named = {"doc_id": "pump", "filename": "pump.pdf", "document_title": "Manual of the pump"}
    assert (found["documents"], first["page_number"]) == ([named], 1)
    assert first["citation"] == "(Source: pump.pdf, S. 1)"
    assert found["mode"] == "lexical"
    assert 0 <= first["score"] <= 1
    assert "(Source: pump.pdf, S. 1)" in composed["answer"]
    assert "centrifugal impeller" in composed["answer"]


async def test_documents_are_listed_and_opened_by_name_and_page(client: Client) -> None:
    listed = await answer(client, "rag_list_documents", query="manual", filters={"document_type": "manual"})
    by_name = await answer(client, "rag_get_document", name="PUMP.pdf", pages="2")
    by_id = await answer(client, "rag_get_document", doc_id="pump")

    assert [one["doc_id"] for one in listed["documents"]] == ["pump"]
    assert listed["total"] == 1
    assert [page["text"] for page in by_name["pages"]] == ["Change the seal."]
    assert by_id["document"]["title"] == "Manual of the pump"


async def test_unreadable_documents_look_like_missing_ones(client: Client) -> None:
    hidden = [await failure(client, doc_id=one) for one in HIDDEN]
    with pytest.raises(MCPError) as by_address:
        await client.read_resource("rag://documents/hidden/pages/1")
    found = await answer(client, "rag_semantic_search", query="secret sum", filters={"page_number": [1]})

    assert hidden[0].replace("hidden", "*") == hidden[1].replace("none01", "*")
    assert "No such resource" in str(by_address.value)
    assert documents_in(found) <= {"pump"}


async def test_a_view_fetches_itself_and_the_evidence(env: dict[str, str]) -> None:
    asked = {"answer": "Change the seal [1].", "block_ids": ["pump-p2-1"]}
    async with started(env, extensions=VIEWS) as client:
        page = await client.read_resource("ui://ibid/evidence")
        verified = await client.call_tool("rag_verify_answer", asked)
        shown = await answer(client, "rag_show_evidence", block_id="pump-p2-1", start=0, end=16)
        hidden = [await client.call_tool("rag_show_evidence", {"block_id": f"{one}-p1-1"}) for one in HIDDEN]

    assert page.contents[0].mime_type == "text/html;profile=mcp-app"
    assert verified.meta
    assert verified.meta["ibid/evidence"]["blocks"] == ["pump-p2-1"]
    assert (shown["text"], shown["mark"], shown["page_number"]) == ("Change the seal.", [0, 16], 2)
    said = [one.content[0].text for one in hidden]  # type: ignore[union-attr]
    assert "DocumentNotFound" in said[0]
    assert said[0].replace("hidden", "*") == said[1].replace("none01", "*")


async def failure(client: Client, **arguments: Any) -> str:
    result = await client.call_tool("rag_get_document", arguments)
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


async def test_a_page_is_read_as_a_resource(client: Client) -> None:
    page = await client.read_resource("rag://documents/pump/pages/2")

    assert page.contents[0].text == "Change the seal."  # type: ignore[union-attr]


def test_the_log_line_of_a_search_names_the_operation_and_the_index(azure: StandIn, env: dict[str, str]) -> None:
    with RawServer(env=env) as server:
        server.shake_hands()
        server.call("rag_semantic_search", {"query": "impeller", "filters": {"department": "hr"}})
        server.call("rag_semantic_search", {"query": "impeller"})
        server.close()

    (line,) = [
        line for line in map(json.loads, server.errors.splitlines()) if line.get("outcome") == "ok" and "tool" in line
    ]
    over_azure = env.get("RAG_BACKEND") == "azure"
    assert line.get("azure_operation") == ("search" if over_azure else None)
    assert line["index_name"] == ("content-blocks" if over_azure else "local")
    assert (line["search_query"], line["filter_applied"]) == ("impeller", True)
    assert line["filters"] == ["access"]
    assert {"result_count", "search_latency_ms"} <= line.keys()
    assert azure.query_key.encode() not in server.errors


def test_every_read_so_far_carried_the_access_filter(azure: StandIn) -> None:
    assert unfiltered([one for one in azure.requests if one.operation in ("search", "lookup", "count")]) == []
