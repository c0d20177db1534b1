"""Refuse a request with one line of text, and record refusals in the audit log."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.audit import Audit, Unrecorded, bounded

_REASONS = {401: "token refused", 403: "not allowed", 421: "foreign host", 429: "too many"}


class AuditedRefusals:
    """The outermost ASGI middleware: it records refusals by status."""

    def __init__(self, app: ASGIApp, audit: Audit) -> None:
        self._app, self._audit = app, audit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._audit.on:
            await self._app(scope, receive, send)
            return

        async def telling(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in _REASONS:
                await self._record(scope, message["status"])
            await send(message)

        await self._app(scope, receive, telling)

    async def _record(self, scope: Scope, status: int) -> None:
        came_with_token = any(name == b"authorization" for name, _ in scope["headers"])
        reason = "no token" if status == 401 and not came_with_token else _REASONS[status]
        client = (scope.get("client") or ("",))[0]
        try:
            await self._audit.record(
                "refused", {"caller": None}, status=status, outcome="refused", reason=reason,
                path=bounded(scope["path"]), address=client,
            )  # fmt: skip
        except Unrecorded:
            return  # nothing is disclosed, and the log has the error


def refusal(status: int, text: str, *, close: bool = False, allow: str = "") -> Response:
    """A plain-text response. `close` is for requests whose body will not be read; `allow` lists allowed methods."""
    headers = {"Cache-Control": "no-store"}
    if close:
        headers["Connection"] = "close"
    if allow:
        headers["Allow"] = allow
    return PlainTextResponse(f"{text}\n", status_code=status, headers=headers)
