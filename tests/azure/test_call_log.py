"""The log line of a call that uses Azure: the time spent in the service, its request ids, and the filters."""

from __future__ import annotations

import time
from typing import Any

import pytest
from mcp import Client
from structlog.testing import capture_logs

from corpus.access import ANONYMOUS, Caller
from corpus.library import Library, no_url
from server.app import build_server
from server.calls.tool_call import AZURE_OPERATIONS, CallLog
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.azure.searches import pumps
from tests.doubles.azure_search import Fault, StandIn
from tests.evidence_view.viewing import VIEWS

pytestmark = pytest.mark.anyio

CALLS: dict[str, dict[str, Any]] = {
    "rag_semantic_search": {"query": "oil pump", "filters": {"doc_id": "manual"}},
    "rag_synthesize": {"query": "oil pump"},
    "rag_verify_answer": {"answer": "The pump needs oil [1].", "block_ids": ["manual-0"]},
    "rag_list_documents": {},
    "rag_get_document": {"doc_id": "manual"},
    "rag_show_page": {"doc_id": "manual", "page_number": 1},
    "rag_show_evidence": {"block_id": "manual-0"},
}


async def lines(shelf: DesignShelf, caller: Caller, *tools: str) -> list[dict[str, Any]]:
    library = Library(shelf.index, None, image_url=no_url)

    async def opened() -> Library:
        return library

    log = CallLog(lambda: caller, index_name="content-blocks", azure=True, documents_index="documents-metadata")
    async with Client(build_server(opened, log), extensions=VIEWS) as client:
        with capture_logs() as told:
            for tool in tools:
                await client.call_tool(tool, CALLS[tool])
    return [dict(line) for line in told if line["event"] == "tool.call"]


def test_every_tool_that_uses_the_service_is_tried() -> None:
    assert set(CALLS) == set(AZURE_OPERATIONS)


async def test_every_tool_logs_index_filter_latency_and_request_ids() -> None:
    async with StandIn() as service, design_shelf(service) as shelf:
        await pumps(shelf)
        told = await lines(shelf, ANONYMOUS, *CALLS)
    assert [line["tool"] for line in told] == list(CALLS)
    for line in told:
        wanted = "documents-metadata" if line["tool"] == "rag_list_documents" else "content-blocks"
        assert (line["index_name"], line["filter_applied"]) == (wanted, True), line
        assert line["filters"][0] == "access"
        assert line.get("service_latency_ms", 0) > 0, line
        assert 0 < line["search_latency_ms"] <= line["duration_ms"]
        assert line["requests"] >= len(line["request_id"]) >= 1
        assert all(isinstance(one, str) and one for one in line["request_id"])


async def test_a_call_without_access_rules_is_logged_as_such() -> None:
    async with StandIn() as service, design_shelf(service) as shelf:
        await pumps(shelf)
        (line,) = await lines(shelf, Caller(unfiltered=True), "rag_get_document")
    assert line["filter_applied"] is False


async def test_the_service_time_is_logged_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processing after the search does not count as search time."""
    from corpus.synthesis.synthesizer import Synthesizer

    whole = Synthesizer.answer

    async def slowly(self: Synthesizer, *arguments: Any) -> Any:
        made = await whole(self, *arguments)
        time.sleep(0.3)
        return made

    monkeypatch.setattr(Synthesizer, "answer", slowly)
    async with StandIn() as service, design_shelf(service) as shelf:
        await pumps(shelf)
        service.faults.add(Fault(delay=0.2), 1, operation="search", index="content-blocks")
        (line,) = await lines(shelf, ANONYMOUS, "rag_synthesize")
    assert line["duration_ms"] >= line["search_latency_ms"] + 290
    assert line["search_latency_ms"] >= 200
    assert line["service_latency_ms"] >= 200
