"""The audit log: one line of JSON per access decision, without passages, queries or secrets.

If a decision cannot be recorded, the call is refused. Every call to a tool, resource, completion or prompt writes a
line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import structlog
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError

from corpus.access import ANONYMOUS, Caller
from corpus.errors import IbidError, NotConfigured
from corpus.odata import build_security_filter
from server.caller import caller_digest
from server.calls.failures import error_type, refused_before
from server.settings.model import Settings
from tools.disclosed_documents import record_disclosures
from tools.protocol import CallerOf

log = structlog.stdlib.get_logger("ibid")

MAX_DOCUMENTS = 50
MAX_TEXT = 200
"""Maximum length of each text value in a line, in characters."""


class Unrecorded(Exception):
    """The audit line could not be written."""


class Audit:
    """A log that appends lines to a file, with one write per line, so that several processes can share the file.
    Without a path it records nothing. With `filter_text`, lines contain the text of the access filter instead of its
    digest."""

    def __init__(self, path: Path | None, *, filter_text: bool = False) -> None:
        self._path = path
        self.filter_text = filter_text

    @property
    def on(self) -> bool:
        """Return whether an audit file is configured."""
        return self._path is not None

    async def record(self, what: str, who: dict[str, Any], **facts: Any) -> None:
        """Append a line. Raise Unrecorded, and log the reason, if the complete line cannot be written."""
        if self._path is None:
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "event": what, **who, **facts}
        whole = (json.dumps(line, ensure_ascii=True, default=str) + "\n").encode()
        try:
            await anyio.to_thread.run_sync(_append, self._path, whole)
        except OSError as error:
            log.error("audit.unwritten", reason=error.strerror or type(error).__name__)
            raise Unrecorded from error

    async def image(self, block_id: str | None, who: bytes | None, is_served: bool) -> None:
        """Record the fetch of a picture by URL. `block_id` is None for an invalid URL."""
        known = {"caller": f"sha256:{who.hex()}"} if who else {"caller": None}
        outcome = "ok" if is_served else "refused"
        await self.record("image", known, block=block_id, count=int(is_served), outcome=outcome)


NO_AUDIT = Audit(None)


def audit(settings: Settings) -> Audit:
    """Return the audit log that the settings configure."""
    return Audit(settings.audit_file, filter_text=settings.audit_filter == "text")


def who_asks(caller: Caller, *, filter_text: bool = False) -> dict[str, Any]:
    """Return a digest of the caller and the caller's principals. Groups are only counted, because there may be
    hundreds. `access_filter` is the caller's access filter with prefixed principals, as text or as a digest."""
    rule = build_security_filter(caller, prefixed=True)
    access_filter = rule if filter_text or rule is None else digest(rule)
    return {
        "caller": f"sha256:{caller_digest(caller).hex()}",
        "user": bounded(caller.user_id),
        "department": bounded(caller.department),
        "org": bounded(caller.org_id),
        "groups": len(caller.groups),
        "access_filter": access_filter or "none",
    }


def digest(text: str) -> str:
    """Return a short digest of the text, which is the same for equal texts."""
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def bounded(text: str | None) -> str | None:
    """Return the first MAX_TEXT characters."""
    return text and text[:MAX_TEXT]


def _append(path: Path, line: bytes) -> None:
    # Open the file for each line, so that a rotated file gets no further lines.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if os.write(descriptor, line) != len(line):
            raise OSError(28, "no space for the whole line")
    finally:
        os.close(descriptor)


Request = ServerRequestContext[Any, Any]

EVENTS = {
    "tools/call": "tool",
    "resources/read": "resource",
    "resources/list": "resource list",
    "resources/subscribe": "subscription",
    "subscriptions/listen": "subscription",
    "completion/complete": "completion",
    "prompts/get": "prompt",
}
UNWRITTEN = "The server cannot record this access, so it does not answer."
CURE = "RAG_AUDIT_FILE names a file that cannot be written. The operator finds the reason in the log."


class AuditedCalls:
    """The outermost MCP middleware. It withholds an answer if its audit line cannot be written."""

    def __init__(self, audit: Audit, caller_of: CallerOf) -> None:
        self._audit, self._caller_of = audit, caller_of

    async def __call__(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        event = EVENTS.get(ctx.method)
        if event is None or not self._audit.on:
            return await call_next(ctx)
        facts = {**self._who(), "request": bounded(str(ctx.request_id)), **_request_facts(ctx)}
        if ctx.method == "subscriptions/listen":  # its response is a stream that may last for days
            await self._recorded(ctx, event, facts, {"outcome": "asked"}, {})
            return await call_next(ctx)
        with record_disclosures() as disclosed:
            try:
                result = await call_next(ctx)
            except MCPError as error:
                came = {"outcome": f"MCPError {error.error.code}"}
                return await self._recorded(ctx, event, facts, came | _document_facts(disclosed), error)
            except BaseException as error:
                await self._recorded(
                    ctx, event, facts, {"outcome": type(error).__name__} | _document_facts(disclosed), error
                )
                raise
            return await self._recorded(ctx, event, facts, _answer_facts(ctx, result, disclosed), result)

    async def _recorded(
        self, ctx: Request, event: str, facts: dict[str, Any], came: dict[str, Any],
        result: HandlerResult | BaseException,
    ) -> HandlerResult:  # fmt: skip
        try:
            with anyio.CancelScope(shield=True):  # record cancelled calls too
                await self._audit.record(event, {}, **(facts | came))
        except Unrecorded:
            return refused_before(ctx, NotConfigured(UNWRITTEN, hints=(CURE,)))
        if isinstance(result, BaseException):
            raise result
        return result

    def _who(self) -> dict[str, Any]:
        try:
            return who_asks(self._caller_of(), filter_text=self._audit.filter_text)
        except IbidError:  # the call itself will fail with the same error
            return who_asks(ANONYMOUS) | {"caller": None}


def _request_facts(ctx: Request) -> dict[str, Any]:
    """Return the names and ids in the request. A query is recorded only as a digest."""
    params = ctx.params or {}
    arguments = params.get("arguments")
    arguments = arguments if isinstance(arguments, dict) else {}
    filters, query = arguments.get("filters"), arguments.get("query")
    facts = {
        "name": _text(params.get("name")),
        "uri": _text(params.get("uri")),
        "asked": [_text(name) for name in (*_ids(arguments), *_addresses(params))][:MAX_DOCUMENTS],
        "query": digest(query) if isinstance(query, str) else None,
        "filters": sorted(str(key)[:40] for key in filters)[:20] if isinstance(filters, dict) else [],
    }
    return {key: value for key, value in facts.items() if value}


def _ids(arguments: dict[str, Any]) -> Iterator[Any]:
    for key in ("doc_id", "block_id", "name"):
        if isinstance(arguments.get(key), str):
            yield arguments[key]
    blocks = arguments.get("block_ids")
    yield from blocks if isinstance(blocks, list) else ()


def _addresses(params: Mapping[str, Any]) -> Iterator[Any]:
    """Return the URIs of the resources that a stream subscribes to."""
    wanted = params.get("notifications")
    uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
    yield from uris if isinstance(uris, list) else ()


def _answer_facts(ctx: Request, result: HandlerResult, disclosed: list[str]) -> dict[str, Any]:
    """Return the outcome, and the documents that the answer discloses by text, picture or name."""
    if not isinstance(result, dict):
        return {"outcome": "ok"} | _document_facts(disclosed)
    if result.get("isError"):
        return {"outcome": _failure(result)} | _document_facts(disclosed)
    documents = [*_documents(result.get("structuredContent")), *disclosed]
    arguments = (ctx.params or {}).get("arguments")
    if not documents and ctx.method == "tools/call" and "structuredContent" not in result:
        documents = [arguments["doc_id"]] if isinstance(arguments, dict) and "doc_id" in arguments else []
    asks = result.get("resultType") == "input_required"
    return {"outcome": "AsksClient" if asks else "ok"} | _document_facts(documents)


def _document_facts(documents: list[str]) -> dict[str, Any]:
    once = list(dict.fromkeys(documents))
    return {"documents": [_text(doc_id) for doc_id in once[:MAX_DOCUMENTS]], "count": len(once)}


def _documents(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("doc_id"), str):
            yield value["doc_id"]
        for item in value.values():
            yield from _documents(item)
    elif isinstance(value, list):
        for item in value:
            yield from _documents(item)


def _failure(result: dict[str, Any]) -> str:
    return (error_type(result) or "error")[:40]


def _text(value: Any) -> str | None:
    return bounded(value) if isinstance(value, str) else None
