"""The part of a failure that a client sees, and the part that only the log contains."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import Client
from structlog.testing import capture_logs

from corpus.access import Caller
from corpus.errors import (
    AccessDenied,
    AzureSearchError,
    IbidError,
    InternalError,
    LLMError,
    NotConfigured,
    Timeout,
)
from corpus.library import Library
from server.app import build_server
from server.calls.failures import HINTS
from server.calls.tool_call import CallLog
from tests.patience import PATIENCE
from tests.server.desk import Desk, failure_in

pytestmark = pytest.mark.anyio

PLANNED = [
    NotConfigured("AZURE_SEARCH_ENDPOINT is not set.", hints=("Set it.",)),
    Timeout("The index did not answer within 10 s."),
    AzureSearchError("The search service is busy."),
    LLMError("The model is busy."),
    AccessDenied("Not admitted."),
    InternalError("The index is damaged."),
]


def broken(desk: Desk, error: Exception) -> Any:
    async def opened() -> Library:
        raise error

    return build_server(opened, CallLog(lambda: desk.caller))


async def failed_call(server: Any, era: str) -> dict[str, Any]:
    async with Client(server, mode=era) as client:  # type: ignore[arg-type]
        return failure_in(await client.call_tool("rag_semantic_search", {"query": "pump"}))


@pytest.mark.parametrize("error", PLANNED, ids=lambda error: type(error).__name__)
async def test_a_planned_failure_keeps_its_text_its_type_and_its_hints(desk: Desk, era: str, error: IbidError) -> None:
    with capture_logs() as logs:
        failure = await failed_call(broken(desk, error), era)

    assert failure == {
        "success": False,
        "error": str(error),
        "type": error.type,
        "hints": list(error.hints) or [HINTS[error.type]],
    }
    (line,) = [one for one in logs if one["event"] == "tool.call"]
    assert line["log_level"] == "info"
    assert line["outcome"] == error.type
    assert "exc_info" not in line


async def test_the_text_of_a_crash_is_only_in_the_log(desk: Desk, era: str) -> None:
    with capture_logs() as logs:
        failure = await failed_call(broken(desk, RuntimeError("secret detail")), era)

    assert failure["type"] == "InternalError"
    assert "secret" not in str(failure)
    (line,) = [one for one in logs if one["event"] == "tool.call"]
    assert line["log_level"] == "error"
    assert "secret detail" in str(line["exc_info"])
    assert line["call"] in failure["error"]


async def test_a_control_character_in_an_error_does_not_reach_the_client(desk: Desk, era: str) -> None:
    failure = await failed_call(broken(desk, Timeout("a\x1b[31mb\u202ec")), era)

    assert failure["error"] == "a[31mbc"


async def test_a_caller_who_is_not_admitted_is_told_so(desk: Desk, era: str) -> None:
    def nobody() -> Caller:
        raise AccessDenied("The token has expired.")

    failure = await failed_call(build_server(desk.opened, CallLog(nobody)), era)

    assert failure["type"] == "AccessDenied"


async def test_a_cancelled_call_has_its_log_line(desk: Desk, era: str) -> None:
    asked, ended = anyio.Event(), anyio.Event()

    async def opened() -> Library:
        asked.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        raise AssertionError

    with capture_logs() as logs, anyio.fail_after(PATIENCE):
        async with Client(build_server(opened, CallLog(lambda: desk.caller)), mode=era) as client:  # type: ignore[arg-type]
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "rag_semantic_search", {"query": "pump"})
                await asked.wait()
                tasks.cancel_scope.cancel()
            await ended.wait()

    (line,) = [one for one in logs if one["event"] == "tool.call"]
    assert line["outcome"] == "Cancelled"
