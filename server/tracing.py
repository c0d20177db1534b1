"""Trace calls with OpenTelemetry: spans inside the span that the MCP SDK opens for each message. A middleware adds
session and outcome to that span. OpenTelemetry's SDK is imported only if traces are on.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import structlog
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from opentelemetry import baggage, trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind, Status, StatusCode, get_tracer

from corpus.errors import IbidError
from corpus.processes.tracing import Kind, Note, Tracer, traced_by
from server.calls.failures import error_type
from server.settings.model import Settings
from server.settings.telemetry import NOT_INSTALLED, exporter_is_installed

log = structlog.stdlib.get_logger("ibid")


@contextmanager
def traced(settings: Settings) -> Iterator[None]:
    """Export traces inside the block, and flush them at the end. If the packages are missing, log that and continue
    without traces."""
    if not _are_on(settings):
        if settings.traces != "off":
            log.warning("traces.unavailable", reason=NOT_INSTALLED)
        yield
        return
    from server.tracing_export import provider

    made = provider(text=settings.traces_text)
    try:
        yield
    finally:
        made.shutdown()


def traced_calls(settings: Settings, *, one_client: bool = False) -> Sequence[ServerMiddleware[Any]]:
    """Return the middleware that creates spans for calls, if traces are on. With `one_client`, all calls belong to one
    session."""
    if not _are_on(settings):
        return ()

    return (TracedCalls(text=settings.traces_text, source=settings.backend, one_client=one_client),)


def _are_on(settings: Settings) -> bool:
    return settings.traces != "off" and exporter_is_installed()


_NAMES = {
    "model": "gen_ai.request.model",
    "host": "server.address",
    "provider": "gen_ai.provider.name",
    "max_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "source": "gen_ai.data_source.id",
    "top_k": "ibid.top_k",
    "results": "ibid.result_count",
    "mode": "ibid.search_mode",
    "claims": "ibid.claims",
    "unsupported": "ibid.unsupported_claims",
    "invalid": "ibid.invalid_citations",
}


def _parts(role: str) -> Callable[[str], str]:
    return lambda text: json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False)


_TEXTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "query": ("gen_ai.retrieval.query.text", str),
    "found": ("gen_ai.retrieval.documents", str),
    "system": (
        "gen_ai.system_instructions",
        lambda text: json.dumps([{"type": "text", "content": text}], ensure_ascii=False),
    ),
    "asked": ("gen_ai.input.messages", _parts("user")),
    "written": ("gen_ai.output.messages", _parts("assistant")),
}
_OPERATIONS = {"retrieval": "retrieval", "generation": "chat"}


def tracer(common: Mapping[str, str], *, text: bool, source: str) -> Tracer:
    """Return a tracer for one call. All its spans have the attributes `common`."""

    @contextmanager
    def opened(kind: Kind, facts: dict[str, object]) -> Iterator[Note]:
        operation = _OPERATIONS.get(kind)
        about = {"retrieval": source, "generation": facts.get("model")}.get(kind)
        attributes = dict(common) | ({"gen_ai.operation.name": operation} if operation else {})
        if kind == "retrieval":
            attributes["gen_ai.data_source.id"] = source
        with get_tracer("ibid").start_as_current_span(
            f"{operation or kind} {about}" if about else kind,
            kind=SpanKind.CLIENT if kind == "generation" else SpanKind.INTERNAL,
            attributes=attributes | attributes_of(facts, text=text),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield lambda **more: span.set_attributes(attributes_of(more, text=text))
            except Exception as error:
                span.set_attribute("error.type", error.type if isinstance(error, IbidError) else "InternalError")
                span.set_status(Status(StatusCode.ERROR))
                raise

    return opened


def attributes_of(facts: Mapping[str, object], *, text: bool) -> dict[str, Any]:
    """Return the facts as span attributes, without nulls. Include texts only if `text` is set."""
    plain = {_NAMES[key]: value for key, value in facts.items() if key in _NAMES and value is not None}
    if not text:
        return plain
    attributes = {name: shape(str(facts[key])) for key, (name, shape) in _TEXTS.items() if facts.get(key)}
    return plain | attributes


Request = ServerRequestContext[Any, Any]
MAX_SESSION = 200
_SIGNATURE = re.compile(r"(?<=[?&])sig=[^&\s\")\\]+")


class TracedCalls:
    """Middleware that adds session, outcome and, if allowed, texts to the span of each message."""

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
        """Return the span attributes of the session. Its id comes from the client's baggage, or else from the
        transport, or else from this process."""
        of_transport = _header(ctx, "mcp-session-id")
        baggage_id = baggage.get_baggage("session.id", extract(ctx.meta)) if _has_text(ctx.meta) else None
        session = str(baggage_id)[:MAX_SESSION] if baggage_id else of_transport or self._process
        common = {"session.id": session} if session else {}
        return common | ({"mcp.session.id": of_transport} if of_transport else {})


def _has_text(meta: Any) -> bool:
    return isinstance(meta, dict) and isinstance(meta.get("baggage"), str)


def _header(ctx: Request, name: str) -> str | None:
    headers = getattr(ctx.request, "headers", None)
    return headers.get(name) if headers is not None else None


def _outcome(result: dict[str, Any]) -> str:
    """Return the outcome, under the same name as in the log."""
    if result.get("resultType") == "input_required":
        return "AsksClient"
    if not result.get("isError"):
        return "ok"
    return error_type(result) or "InternalError"


def _json(value: object) -> str:
    """Return JSON without URL signatures, because people other than the caller read traces."""
    return _SIGNATURE.sub("sig=...", json.dumps(value, ensure_ascii=False, default=str))
