"""An MCP server whose service may be faulty or down: messages for its callers, and text that must not reach them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from mcp import Client
from mcp.types import CallToolResult

from corpus.access import Caller
from corpus.index.azure import AzureIndex, Place, Service, Timing
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import CallLog
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.doubles.azure_search import StandIn
from tests.evidence_view.viewing import VIEWS
from tests.server.desk import failure_in, manual, passage

BRISK = Timing(whole=20.0, connect=2.0, read=5.0, pause=0.005, longest_pause=0.02)
"""Retry pauses too short to notice, and time limits that even a busy machine meets."""

ANN = Caller(user_id="ann-of-sales", groups=frozenset({"the-board"}))
MARKER = "words-of-the-service"
DEPARTMENT = "Secret Research"

CALLS: Mapping[str, dict[str, Any]] = {
    "rag_semantic_search": {"query": "impeller", "filters": {"department": DEPARTMENT}},
    "rag_list_documents": {"filters": {"department": DEPARTMENT, "block_type": "text"}},
    "rag_get_document": {"doc_id": "pump"},
    "rag_show_evidence": {"block_id": "pump-p1-1"},
}
"""One call of each reading tool. The first two need several requests."""

TOOLS = tuple(CALLS)

WORDS = {"error": {"code": "", "message": f"{MARKER}: access_control_list/any(held: search.in(held, 'the-board'))"}}
"""An error message of the service that must not reach a caller."""


class FaultDesk:
    """A server with a faulty service. `key` is the server's key. `timing` applies to every request, `seconds` to the
    entire call."""

    def __init__(self, index: AzureIndex, key: str, seconds: float | None) -> None:
        self._key = key
        library = Library(index, None, image_url=no_url)

        async def opened() -> Library:
            return library

        self.server = build_server(opened, CallLog(lambda: ANN), seconds=seconds)

    def client(self) -> Client:
        """Return a client that supports views, so that it gets all tools."""
        return Client(self.server, extensions=VIEWS)

    async def result(self, tool: str) -> CallToolResult:
        async with self.client() as client:
            return await client.call_tool(tool, CALLS[tool])

    async def works(self, tool: str) -> None:
        """Check that a call finds the documents that ann may read."""
        result = await self.result(tool)
        assert not result.is_error, result.content
        assert "pump" in json.dumps(result.structured_content)

    async def failure(self, tool: str) -> dict[str, Any]:
        """Return the error of a call that must fail, after checking that it reveals nothing."""
        failure = failure_in(await self.result(tool))
        assert failure["hints"], failure
        said = json.dumps(failure)
        forbidden = (
            self._key,
            MARKER,
            DEPARTMENT,
            "ann-of-sales",
            "the-board",
            "access_control_list",
            " eq ",
        )
        assert not [word for word in forbidden if word in said], said
        return failure


@asynccontextmanager
async def fault_desk(
    endpoint: str, key: str = "a-key-of-the-tests", timing: Timing = BRISK, seconds: float | None = None
) -> AsyncIterator[FaultDesk]:
    async with AzureIndex(Place(Service(endpoint, key), CONTENT, DOCUMENTS), None, timing) as index:
        yield FaultDesk(index, key, seconds)


@asynccontextmanager
async def stocked(
    timing: Timing = BRISK, seconds: float | None = None, **how: Any
) -> AsyncIterator[tuple[StandIn, FaultDesk]]:
    """A service with documents that ann may read, and a server that uses it."""
    async with StandIn(**how) as service:
        fill(service)
        async with fault_desk(service.endpoint, service.admin_key, timing, seconds) as desk:
            yield service, desk


def fill(service: StandIn) -> None:
    service.put_index(content_index())
    service.put_index(documents_index())
    document = replace(manual(access=("ann-of-sales",)), department=DEPARTMENT)
    service.put_documents(CONTENT, [block_row(passage("A centrifugal impeller."), ["ann-of-sales"], None)])
    service.put_documents(DOCUMENTS, [dict(document_row(document))])


def searches(service: StandIn) -> int:
    """Return the number of searches."""
    return len([one for one in service.requests if one.operation == "search"])
