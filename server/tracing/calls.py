"""Middleware that puts session and outcome on the span of a message, and spans for the work within it."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from opentelemetry import baggage, trace
from opentelemetry.propagate import extract

from corpus.processes.tracing import traced_by
from server.failures import error_type
from server.tracing.spans import tracer

Request = ServerRequestContext[Any, Any]
LONGEST_SESSION = 200
_SIGNATURE = re.compile(r"(?<=[?&])sig=[^&\s\")\\]+")


class TracedCalls:
    """Middleware that completes the span of each message."""

    def __init__(self, *, text: bool, source: str, one_client: bool) -> None:
        self._text, self._source = text, source
        self._process = secrets.token_hex(8) if one_client else None

    async def __call__(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        span, common = trace.get_current_span(), self._session(ctx)
        span.set_attributes(common)
        if self._text and ctx.method == "tools/call":
            span.set_attribute("gen_ai.tool.call.arguments", _json((ctx.params or {}).get("arguments")))
        with traced_by(tracer(common, text=self._text, source=self._source)):
            result = await call_next(ctx)
        if ctx.method == "tools/call" and isinstance(result, dict):
            span.set_attribute("ibid.outcome", _outcome(result))
            confidence = (result.get("structuredContent") or {}).get("confidence")
            if isinstance(confidence, int | float):
                span.set_attribute("ibid.confidence", float(confidence))
            if self._text and "structuredContent" in result:
                span.set_attribute("gen_ai.tool.call.result", _json(result["structuredContent"]))
        return result

    def _session(self, ctx: Request) -> dict[str, str]:
        """The session that the client names in its baggage, else the one of the transport, else that of the process."""
        of_transport = _header(ctx, "mcp-session-id")
        baggage_id = baggage.get_baggage("session.id", extract(ctx.meta)) if _has_text(ctx.meta) else None
        session = str(baggage_id)[:LONGEST_SESSION] if baggage_id else of_transport or self._process
        common = {"session.id": session} if session else {}
        return common | ({"mcp.session.id": of_transport} if of_transport else {})


def _has_text(meta: Any) -> bool:
    return isinstance(meta, dict) and isinstance(meta.get("baggage"), str)


def _header(ctx: Request, name: str) -> str | None:
    headers = getattr(ctx.request, "headers", None)
    return headers.get(name) if headers is not None else None


def _outcome(result: dict[str, Any]) -> str:
    """As in the line of the log."""
    if result.get("resultType") == "input_required":
        return "AsksClient"
    if not result.get("isError"):
        return "ok"
    return error_type(result) or "InternalError"


def _json(value: object) -> str:
    """Without the signatures of addresses: whoever reads a trace is not who asked."""
    return _SIGNATURE.sub("sig=...", json.dumps(value, ensure_ascii=False, default=str))
