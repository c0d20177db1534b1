"""Whatever fails in the service or on the way to it, the caller learns the cause and the fix, and the next call
works."""

from __future__ import annotations

import socket
from dataclasses import replace
from types import SimpleNamespace

import pytest
from azure.core.exceptions import HttpResponseError
from structlog.testing import capture_logs

from corpus.index.azure.service.azure_errors import not_admitted
from tests.azure.fault_desk import (
    BRISK,
    MARKER,
    TOOLS,
    WORDS,
    fault_desk,
    stocked,
)
from tests.doubles.azure_search import Fault, StandIn

pytestmark = pytest.mark.anyio

STATUSES = {
    400: "malformed", 401: "did not accept the key", 403: "does not allow this key", 404: "has no index",
    408: "failed to answer", 413: "too large", 429: "too many", 500: "failed to answer", 502: "failed to answer",
    503: "overloaded", 504: "failed to answer", 302: "is not from Azure AI Search",
}  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("status", STATUSES)
async def test_a_refusal_is_reported_with_its_fix_and_without_the_service_text(tool: str, status: int) -> None:
    async with stocked() as (service, desk):
        service.faults.add(Fault(status, body=WORDS), None)
        failure = await desk.failure(tool)
        service.faults.clear()
        await desk.works(tool)

    assert failure["type"] == "AzureSearchError"
    assert STATUSES[status] in failure["error"]
    assert not [hint for hint in failure["hints"] if "top_k" in hint or "a narrower filter" in hint]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_refusal_after_the_indexes_are_known_is_reported_as_well(tool: str) -> None:
    async with stocked() as (service, desk):
        await desk.works(tool)
        service.faults.add(Fault(403, body=WORDS), None, operation="search")
        failure = await desk.failure(tool)
        service.faults.clear()
        await desk.works(tool)

    assert "does not allow" in failure["error"]


async def test_a_wrong_key_is_reported_as_the_cause() -> None:
    async with StandIn() as service, fault_desk(service.endpoint, "none-of-the-keys") as desk:
        failure = await desk.failure("rag_semantic_search")

    assert failure["type"] == "AzureSearchError"
    assert "AZURE_SEARCH_API_KEY" in failure["hints"][0]


@pytest.mark.parametrize(
    ("operation", "does", "role"),
    [
        ("search", "read index blocks", "Search Index Data Reader"),
        ("upload", "write into index blocks", "Search Index Data Contributor"),
        ("delete", "write into index blocks", "Search Index Data Contributor"),
        ("create_index", "see or make index blocks", "Search Service Contributor"),
    ],
)
async def test_a_missing_right_is_reported_with_the_role_or_key_for_it(operation: str, does: str, role: str) -> None:
    text, hints = not_admitted(refused(403, "Authorization"), "blocks", operation)
    assert text == f"Azure AI Search does not allow this Azure identity to {does}."
    assert role in hints[0]
    text, hints = not_admitted(refused(403, "api-key"), "blocks", operation)
    assert text == f"Azure AI Search does not allow this key to {does}."
    assert "admin key" in hints[0]
    assert (role in hints[0]) is (operation != "search")


async def test_a_rejected_identity_is_told_nothing_about_keys() -> None:
    text, hints = not_admitted(refused(401, "Authorization"), "blocks", "search")
    assert text == "Azure AI Search did not accept the Azure identity."
    assert "role-based access" in hints[0]
    assert "KEY" not in hints[0]


def refused(status: int, header: str) -> HttpResponseError:
    """Return the SDK's error for an answer to a request with this header."""
    request = SimpleNamespace(headers={header: "x"})
    return HttpResponseError(response=SimpleNamespace(status_code=status, reason="", request=request))


async def test_a_missing_index_is_reported_with_the_command_to_create_it() -> None:
    async with stocked() as (service, desk):
        await desk.works("rag_get_document")
        service.clear()
        failure = await desk.failure("rag_get_document")

    assert failure["error"] == "Azure AI Search has no index documents-metadata."
    assert any("ibid azure create-indexes" in hint for hint in failure["hints"])


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_closed_port_is_reported_as_not_reached(tool: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused, and nobody else gets the port
        async with fault_desk(f"http://127.0.0.1:{taken.getsockname()[1]}") as desk:
            failure = await desk.failure(tool)

    assert failure["type"] == "AzureSearchError"
    assert failure["error"] == "127.0.0.1 cannot be reached."
    assert "AZURE_SEARCH_ENDPOINT" in failure["hints"][0]


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_host_without_an_address_is_reported_as_such(tool: str) -> None:
    async with fault_desk("https://company-search.invalid") as desk:
        failure = await desk.failure(tool)

    assert failure["type"] == "AzureSearchError"
    assert failure["error"] == "No address is known for company-search.invalid."


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_untrusted_certificate_is_reported_immediately_and_nothing_is_sent(tool: str) -> None:
    async with stocked(replace(BRISK, pause=30.0, longest_pause=30.0), tls=True) as (service, desk):
        failure = await desk.failure(tool)

    assert failure["type"] == "AzureSearchError"
    assert "certificate" in failure["error"]
    assert "SSL_CERT_FILE" in failure["hints"][0]
    assert service.requests == []


async def test_the_log_names_the_request_and_not_the_query() -> None:
    async with stocked() as (service, desk):
        service.faults.add(
            Fault(503, headers={"request-id": "r-1", "Retry-After": "3600"}, body=WORDS),
            None,
            operation="search",
        )
        with capture_logs() as logs:
            await desk.failure("rag_get_document")
    (line,) = [one for one in logs if one["event"] == "azure.request" and one["outcome"] != "ok"]

    assert line["log_level"] == "info"
    assert (line["azure_operation"], line["index_name"]) == ("search", "documents-metadata")
    assert (line["outcome"], line["status"], line["request_id"]) == ("AzureSearchError", 503, "r-1")
    assert not [word for word in (MARKER, "the-board", "pump") if word in str(line)]
