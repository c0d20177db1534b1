"""Show a failure to a client: `isError` with plain sentences as text, and an object for programs in `_meta`.

Some clients check structured content against the tool's output schema, and one parses JSON text into structured content
first. Both then show the model their own complaint instead of ours, so a failure has neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, CallToolResult, TextContent
from mcp_types.version import is_version_at_least

from corpus.errors import IbidError, InternalError
from corpus.text.normalization import clean

ERROR_KEY = "io.github.ibid-mcp/error"
"""The key of `_meta` under which the object lies: `success`, `error`, `type` and `hints`."""

HINTS: Mapping[str, str] = {
    "InvalidRequest": "Correct the argument and call the tool again.",
    "DocumentNotFound": "Call rag_list_documents or rag_semantic_search for documents that can be read here.",
    "AmbiguousDocument": "Call again with the doc_id of one of them.",
    "Timeout": "Call again in a few seconds.",
    "AzureSearchError": "Call again in a minute. If it goes on, the operator finds the cause in the log.",
    "LLMError": "Call again later, or rag_synthesize with mode=compose, which needs no model.",
    "NotConfigured": "The operator of this server has to change that; `ibid doctor` says how.",
    "AccessDenied": "Sign in again, or ask the operator of this server for access.",
    "InternalError": "The operator finds the cause in the log; `ibid doctor` checks the installation.",
}
"""The next thing to do where an error brings no hint of its own, by type."""


def failure_text(error: IbidError, notes: Sequence[str] = ()) -> str:
    """What is wrong, after notes that come before all else, the hints, and the type of the error, a line each."""
    return "\n".join([_with_notes(error, notes), *_hints(error), f"Type: {error.type}"])


def failed(error: IbidError, notes: Sequence[str] = ()) -> CallToolResult:
    """The error as the result of a tool call."""
    facts = {"success": False, "error": _with_notes(error, notes), "type": error.type, "hints": _hints(error)}
    content = TextContent(type="text", text=failure_text(error, notes))
    return CallToolResult(content=[content], is_error=True, _meta={ERROR_KEY: facts})


def error_type(result: Mapping[str, Any]) -> str | None:
    """The type of the error in a failed result as it goes out; None where it is not one of ours."""
    facts = (result.get("_meta") or {}).get(ERROR_KEY)
    return str(facts["type"]) if isinstance(facts, dict) and "type" in facts else None


def failed_before(error: IbidError, version: str) -> dict[str, Any]:
    """The same from a middleware that asks nobody further: whole as it goes out, in that version of the protocol."""
    wire = failed(error).model_dump(
        mode="json", by_alias=True, exclude_none=True, include={"content", "is_error", "meta"}
    )
    return wire | ({"resultType": "complete"} if is_version_at_least(version, "2026-07-28") else {})


def refused_before(ctx: ServerRequestContext[Any, Any], error: IbidError) -> dict[str, Any]:
    """From a middleware, of any call: in our shape for a tool; for the rest it raises an error of the protocol."""
    if ctx.method != "tools/call":
        raise MCPError(code=INTERNAL_ERROR, message=" ".join((str(error), *_hints(error))))
    return failed_before(error, ctx.protocol_version)


def crash(call_id: str) -> IbidError:
    """What a client hears of a crash: not its text, which may hold what the caller may not read."""
    return InternalError(
        f"Something went wrong inside the server (call {call_id}).",
        hints=("Trying the same again rarely helps. The operator finds the cause in the log under this id.",),
    )


def _with_notes(error: IbidError, notes: Sequence[str]) -> str:
    return " ".join((*notes, clean(str(error))))


def _hints(error: IbidError) -> list[str]:
    return [clean(hint) for hint in error.hints] or [HINTS[error.type]]
