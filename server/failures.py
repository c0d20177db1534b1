"""How a failure looks to a client: `isError` with one JSON object as text, and nothing beside it.

Structured content beside it would be checked against the tool's output schema by some clients, which then show
the model their own complaint instead of ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, TextContent
from mcp_types.version import is_version_at_least

from corpus.errors import IbidError, InternalError
from corpus.text import clean


def failure_text(error: IbidError) -> str:
    """The JSON object that every failed tool call gives."""
    return json.dumps(
        {"success": False, "error": clean(str(error)), "type": error.type, "hints": _cleaned(error.hints)},
        ensure_ascii=False,
    )


def failed(error: IbidError) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=failure_text(error))], is_error=True)


def failed_before(error: IbidError, version: str) -> dict[str, Any]:
    """The same from a middleware that asks nobody further: whole as it goes out, in that version of the protocol."""
    wire = failed(error).model_dump(
        mode="json", by_alias=True, exclude_none=True, include={"content", "is_error"}
    )
    return wire | ({"resultType": "complete"} if is_version_at_least(version, "2026-07-28") else {})


def refused_before(ctx: ServerRequestContext[Any, Any], error: IbidError) -> dict[str, Any]:
    """From a middleware, of any call: in our shape for a tool; for the rest it raises an error of the protocol."""
    if ctx.method != "tools/call":
        raise MCPError(code=INTERNAL_ERROR, message=" ".join((str(error), *error.hints)))
    return failed_before(error, ctx.protocol_version)


def crash(call_id: str) -> IbidError:
    """What a client hears of a crash: not its text, which may hold what the caller may not read."""
    return InternalError(
        f"Something went wrong inside the server (call {call_id}).",
        hints=("Trying the same again rarely helps. The operator finds the cause in the log under this id.",),
    )


def _cleaned(hints: Sequence[str]) -> list[str]:
    return [clean(hint) for hint in hints]
