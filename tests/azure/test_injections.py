"""Fifty texts that try to end a filter, in every text parameter of every tool and in every name of a caller."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from corpus.access import ANONYMOUS, Caller
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.azure.test_access_filter import INJECTIONS
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.server.desk import failure_in
from tests.shelf import a_document, figure, texts

pytestmark = pytest.mark.anyio

SECRET = "zanzibar"
"""Text that occurs only in hidden rows."""


SOME = pytest.mark.parametrize(
    "injections",
    [INJECTIONS[::6], pytest.param(INJECTIONS, marks=pytest.mark.slow)],
    ids=["some", "all"],
)
"""Sample of the injections; test_access_filter.py tries all of them on the filter itself."""


class Asker:
    """A client whose caller can change between calls."""

    def __init__(self, shelf: DesignShelf) -> None:
        self.caller = ANONYMOUS
        library = Library(shelf.index, None, image_url=no_url)

        async def opened() -> Library:
            return library

        self.client = Client(build_server(opened, CallLog(lambda: self.caller)))

    async def hears(self, tool: str, **arguments: Any) -> str:
        result = await self.client.call_tool(tool, arguments)
        said = json.dumps([one.model_dump(mode="json") for one in result.content])
        if result.is_error:
            assert failure_in(result)["type"] in ("InvalidRequest", "DocumentNotFound"), said
        return said


@pytest.fixture
async def asker() -> AsyncIterator[Asker]:
    async with StandIn() as service, design_shelf(service, prefixed=False) as shelf:
        await shelf.put(a_document("open"), *texts("open", "A pump."), figure("open", "A pump"))
        hidden = a_document(
            "hidden",
            filename=f"{SECRET}.pdf",
            title=SECRET,
            author=SECRET,
            department="hr",
            access_control_list=("hr",),
        )  # fmt: skip
        await shelf.put(hidden, *texts("hidden", f"{SECRET} pump hr x y"), figure("hidden", f"{SECRET} pump"))
        asker = Asker(shelf)
        async with asker.client:
            yield asker
        assert_every_read_was_filtered(service)


def parameters(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return all text parameters of all tools whose values reach the service."""
    named = ("doc_id", "filename", "document_type", "department", "author", "uploaded_after", "block_type")
    filters = [{key: text} for key in named] + [{"author": ["x", text]}]
    return [
        ("rag_semantic_search", {"query": text}),
        *(("rag_semantic_search", {"query": "pump", "filters": one}) for one in filters),
        ("rag_list_documents", {"query": text}),
        ("rag_list_documents", {"sort_by": text}),
        ("rag_list_documents", {"cursor": text}),
        *(("rag_list_documents", {"filters": one}) for one in filters),
        ("rag_get_document", {"doc_id": text}),
        ("rag_get_document", {"name": text}),
        ("rag_get_document", {"doc_id": "open", "pages": text}),
        ("rag_synthesize", {"query": text}),
        ("rag_synthesize", {"query": "pump", "block_ids": ["open-0", text]}),
        ("rag_verify_answer", {"answer": "It pumps [1].", "block_ids": ["open-0", text]}),
        ("rag_show_page", {"doc_id": text, "page_number": 1}),
        ("rag_show_page", {"doc_id": "open", "page_number": 1, "block_id": text}),
    ]


@SOME
async def test_no_tool_parameter_reveals_a_hidden_row(asker: Asker, injections: Sequence[str]) -> None:
    for text in injections:
        for tool, arguments in parameters(text):
            assert SECRET not in await asker.hears(tool, **arguments), (tool, arguments)


@SOME
async def test_no_caller_name_reveals_a_hidden_row(asker: Asker, injections: Sequence[str]) -> None:
    for text in injections:
        if text == "hr":  # this caller may read it
            continue
        for caller in (Caller(user_id=text), Caller(department=text), Caller(groups=frozenset({"x", text}))):
            asker.caller = caller
            assert SECRET not in await asker.hears("rag_semantic_search", query="pump", top_k=50), caller
            assert SECRET not in await asker.hears("rag_list_documents"), caller


@SOME
async def test_no_resource_address_reveals_a_hidden_row(asker: Asker, injections: Sequence[str]) -> None:
    for text in injections:
        for place in ("documents/{}", "documents/{}/pages/1", "blocks/{}/image"):
            address = "rag://" + place.format(text)
            assert SECRET not in await _read(asker.client, address), address


async def _read(client: Client, address: str) -> str:
    try:
        return str(await client.read_resource(address))
    except MCPError as refused:
        return str(refused)
