"""Report a failure to a client: `isError` with plain sentences as text, and an object for programs in `_meta`.

Failures have neither structured content nor JSON text: some clients would validate either against the tool's output
schema, and show the model their own error instead of ours.
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
"""Key in `_meta` of the object for programs, which contains `type`. The object repeats nothing from the text, because
some clients pass `_meta` to the model too."""

HINTS: Mapping[str, str] = {
    "InvalidRequest": "Correct the argument and call the tool again.",
    "DocumentNotFound": "Call rag_list_documents or rag_semantic_search for the documents that you may read.",
    "AmbiguousDocument": "Call again with the doc_id of one of these documents.",
    "Timeout": "Call again in a few seconds.",
    "AzureSearchError": "Call again in a minute. If it persists, the operator finds the cause in the log.",
    "LLMError": "Call again later, or rag_synthesize with mode=compose, which needs no model.",
    "NotConfigured": "The operator of this server must change that; `ibid doctor` says how.",
    "AccessDenied": "Sign in again, or ask the operator of this server for access.",
    "InternalError": "The operator finds the cause in the log; `ibid doctor` checks the installation.",
}
"""Hints by error type, for errors without hints of their own."""


def failure_text(error: IbidError, notes: Sequence[str] = ()) -> str:
    """Return `notes` and the message on one line, followed by each hint and the type on separate lines."""
    return "\n".join([_with_notes(error, notes), *_hints(error), f"Type: {error.type}"])


def failed(error: IbidError, notes: Sequence[str] = ()) -> CallToolResult:
    """Return the error as the result of a tool call."""
    content = TextContent(type="text", text=failure_text(error, notes))
    return CallToolResult(content=[content], is_error=True, _meta={ERROR_KEY: {"type": error.type}})


def error_type(result: Mapping[str, Any]) -> str | None:
    """Return the error type in a failed result on the wire, or None if the error is not ours."""
    facts = (result.get("_meta") or {}).get(ERROR_KEY)
    return str(facts["type"]) if isinstance(facts, dict) and "type" in facts else None


def failed_before(error: IbidError, version: str) -> dict[str, Any]:
    """Return the result of `failed` in the form that a middleware must return: as it is sent on the wire in that
    protocol version."""
    wire = failed(error).model_dump(
        mode="json", by_alias=True, exclude_none=True, include={"content", "is_error", "meta"}
    )
    return wire | ({"resultType": "complete"} if is_version_at_least(version, "2026-07-28") else {})


def refused_before(ctx: ServerRequestContext[Any, Any], error: IbidError) -> dict[str, Any]:
    """Refuse a request in a middleware. Return a failed result for a tool call, and raise MCPError for any other
    request."""
    if ctx.method != "tools/call":
        raise MCPError(code=INTERNAL_ERROR, message=" ".join((str(error), *_hints(error))))
    return failed_before(error, ctx.protocol_version)


def crash(call_id: str) -> IbidError:
    """Return the error that a client sees for a crash. It omits the exception's text, which the caller may not be
    allowed to read."""
    return InternalError(
        f"Something went wrong inside the server (call {call_id}).",
        hints=("Retrying rarely helps. The operator finds the cause in the log under this id.",),
    )


def _with_notes(error: IbidError, notes: Sequence[str]) -> str:
    return " ".join(" ".join((*notes, clean(str(error)))).splitlines())


def _hints(error: IbidError) -> list[str]:
    return [" ".join(clean(hint).splitlines()) for hint in error.hints] or [HINTS[error.type]]
