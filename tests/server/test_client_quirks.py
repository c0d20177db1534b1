"""Known behaviour of clients beyond the protocol; each of these clients is served."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import ImageContent, TextContent, jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from corpus.text.normalization import token_estimate
from tests.doubles.raw_stdio import ENVELOPE
from tests.patience import PATIENCE
from tests.server.desk import Desk, digest, manual, passage, pdf
from tests.server.test_schema import NAMES

pytestmark = pytest.mark.anyio

CHECKOUT = Path(__file__).parents[2]
CALLS: dict[str, dict[str, Any]] = {
    "rag_semantic_search": {"query": "impeller"},
    "rag_list_documents": {},
    "rag_get_document": {"doc_id": "pump", "pages": "1"},
    "rag_synthesize": {"query": "impeller", "mode": "compose"},
    "rag_verify_answer": {"answer": "The pump moves water [1].", "block_ids": ["pump-p1-1"]},
}
"""Every tool except the one that returns a picture."""


async def exchange(desk: Desk, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Send raw messages like a client other than the SDK's, and return one answer per request."""
    server = desk.server._lowlevel_server
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](10)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](10)
    answers: list[dict[str, Any]] = []
    async with anyio.create_task_group() as tasks, to_server, from_server:
        tasks.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
        for number, request in enumerate(requests, 1):
            message = {"jsonrpc": "2.0", **request} | ({} if request.get("quiet") else {"id": number})
            message.pop("quiet", None)
            await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            if "id" in message:
                with anyio.fail_after(PATIENCE):
                    sent = (await from_server.receive()).message
                answers.append(sent.model_dump(by_alias=True, exclude_none=True))
        tasks.cancel_scope.cancel()
    return answers


def hello(version: str, capabilities: dict[str, Any]) -> dict[str, Any]:
    known = {"name": "any", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": known}
    return {"method": "initialize", "params": params}


SEARCH = {
    "method": "tools/call",
    "params": {"name": "rag_semantic_search", "arguments": {"query": "impeller"}},
}
READY = {"method": "notifications/initialized", "quiet": True}


@pytest.mark.parametrize("tool", CALLS)
async def test_a_client_that_shows_only_structured_content_loses_nothing(stocked: Desk, era: str, tool: str) -> None:
    """Claude Code, opencode and Codex drop the blocks next to it. Clients that show only text get the same data in the
    text."""
    async with stocked.client(era) as client:
        result = await client.call_tool(tool, CALLS[tool])

    block, *links = result.content
    assert isinstance(block, TextContent)
    assert all(json.dumps(str(link.uri))[1:-1] in block.text for link in links)  # type: ignore[union-attr]
    assert json.loads(block.text) == result.structured_content


async def test_structured_hits_contain_the_complete_text_and_its_position(stocked: Desk, era: str) -> None:
    found = await stocked.call("rag_semantic_search", era, query="impeller", filters={"block_type": "text"})
    hit = found["results"][0]
    assert hit["content"] == "The pump moves water with a centrifugal impeller."
    assert hit["citation"] == "(Source: pump.pdf, S. 1 (printed 33))"


async def test_a_picture_is_not_dropped_in_favour_of_structured_content(desk: Desk, tmp_path: Path, era: str) -> None:
    path = pdf(tmp_path)
    await desk.put(manual(source_path=str(path), content_hash=digest(path), page_count=3), [passage("x")])
    async with desk.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("rag_show_page", {"doc_id": "pump", "page_number": 1})

    assert tools["rag_show_page"].output_schema is None
    assert result.structured_content is None
    assert isinstance(result.content[0], ImageContent)
    assert len(result.content[0].data) <= 1_400_000  # a megabyte in base64


@pytest.mark.parametrize("tool", CALLS)
async def test_no_answer_contains_blocks_that_some_client_refuses(stocked: Desk, era: str, tool: str) -> None:
    """Cursor refused `resource` blocks. Clients that do not show links ignore them."""
    async with stocked.client(era) as client:
        result = await client.call_tool(tool, CALLS[tool])
    assert {block.type for block in result.content} <= {"text", "resource_link"}


async def test_an_error_is_not_validated_against_the_output_schema(stocked: Desk, era: str) -> None:
    """A client that validates structured content would hide the message of an error with such content."""
    async with stocked.client(era) as client:
        await client.list_tools()  # from now on the client knows the schemas
        for tool in CALLS:
            result = await client.call_tool(tool, {"nonsense": 1})
            assert result.is_error
            assert result.structured_content is None
            assert "nonsense" in result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("rag_semantic_search", {"query": "impeller", "filters": '{"doc_id": "pump"}'}),
        ("rag_semantic_search", {"query": "impeller", "top_k": "3"}),
        ("rag_semantic_search", {"query": "impeller", "filters": None}),
        ("rag_synthesize", {"query": "impeller", "mode": "compose", "block_ids": '["pump-p1-1"]'}),
        ("rag_list_documents", {"query": None, "cursor": None, "filters": "{}"}),
        ("rag_verify_answer", {"answer": "It moves water [1].", "block_ids": '["pump-p1-1"]'}),
    ],
)
async def test_arguments_written_as_text_or_as_null_are_accepted(
    stocked: Desk, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    """Claude Desktop sends objects and lists as JSON in a string; others send null for missing values."""
    assert (await stocked.call(tool, era, **arguments))["success"] is True


@pytest.mark.parametrize("query", ["123", '["impeller"]', '{"impeller": 1}', "null", "true"])
async def test_a_question_that_looks_like_json_stays_text(stocked: Desk, era: str, query: str) -> None:
    answer = await stocked.call("rag_semantic_search", era, query=query)
    assert bool(answer["results"]) == ("impeller" in query)


async def test_the_longest_answers_stay_within_the_limits_of_clients(desk: Desk, era: str) -> None:
    """Claude Code writes a result of more than 50,000 characters to a file, and cuts one of more than 25,000 tokens."""
    long = [passage(f"The pump {n}. " + "Water moves on. " * 400, place=f"p1-{n}") for n in range(60)]
    await desk.put(manual(), long)
    async with desk.client(era) as client:
        for tool, arguments in (
            ("rag_semantic_search", {"query": "pump water", "top_k": 50}),
            ("rag_get_document", {"doc_id": "pump", "pages": "1-9"}),
            ("rag_synthesize", {"query": "pump water", "top_k": 20, "mode": "compose", "max_tokens": 4000}),
        ):
            text = (await client.call_tool(tool, arguments)).content[0].text  # type: ignore[union-attr]
            assert len(text) < 50_000
            assert token_estimate(text) < 25_000


async def test_instructions_alone_name_the_tools(desk: Desk, era: str) -> None:
    """Clients that search for tools load only names and these instructions at the start."""
    async with desk.client(era) as client:
        said = client.instructions or ""
    for name in ("rag_semantic_search", "rag_synthesize", "rag_list_documents"):
        assert name in said


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_clients_of_every_older_revision_are_answered_in_it(stocked: Desk, version: str) -> None:
    introduced, found = await exchange(stocked, hello(version, {}), READY, SEARCH)

    assert introduced["result"]["protocolVersion"] == version
    assert found["result"]["content"][0]["type"] == "text"
    assert "isError" not in found["result"] or found["result"]["isError"] is False


@pytest.mark.parametrize(
    "capabilities",
    [{}, {"elicitation": {}, "roots": {}}, {"sampling": {}, "elicitation": {"form": {}, "url": {}}, "x": {}}],
)
async def test_a_client_is_served_whatever_capabilities_it_declares(
    stocked: Desk, capabilities: dict[str, Any]
) -> None:
    """Claude Code sends `elicitation: {}`, which means forms; some clients send unknown capabilities."""
    older = await exchange(stocked, hello("2025-06-18", capabilities), READY, SEARCH)
    meta = ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": capabilities}
    newer = await exchange(stocked, SEARCH | {"params": {**SEARCH["params"], "_meta": meta}})  # type: ignore[dict-item]

    for answer in (older[-1], newer[-1]):
        assert answer["result"]["structuredContent"]["documents"][0]["doc_id"] == "pump"


async def test_a_client_that_did_not_initialize_is_told_so_and_can_still_do_it(stocked: Desk) -> None:
    refused, introduced = await exchange(stocked, SEARCH, hello("2025-06-18", {}))
    assert refused["error"]["code"] == -32602
    assert introduced["result"]["serverInfo"]["name"] == "ibid"


async def test_data_sent_with_every_answer_is_short(desk: Desk) -> None:
    """Since 2026-07-28, each answer contains the server's complete identity with its icons."""
    (answer,) = await exchange(desk, {"method": "tools/list", "params": {"_meta": ENVELOPE}})
    assert len(json.dumps(answer["result"]["_meta"])) < 500
    assert [tool["name"] for tool in answer["result"]["tools"]] == NAMES


def test_a_configuration_for_each_client_is_shown_under_its_own_key() -> None:
    """VS Code reads `servers`, the others read `mcpServers`."""
    assert set(json.loads((CHECKOUT / "mcp.json").read_text())) == {"mcpServers"}
    shown = re.findall(r"```json\n(.*?)```", (CHECKOUT / "docs" / "protocol.md").read_text(), re.DOTALL)
    keys = [set(json.loads(one)) for one in shown]
    assert {"servers"} in keys
    assert {"mcpServers"} in keys
