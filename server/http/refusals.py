"""Refuse requests with one line of text, and record the refusals in the audit log.

Request bodies are read completely, within limits of size and time. If a client disconnects meanwhile, that is not
logged.
"""

from __future__ import annotations

import anyio
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.audit import Audit, Unrecorded, bounded

_REASONS = {401: "token refused", 403: "not allowed", 421: "foreign host", 429: "too many"}


class AuditedRefusals:
    """The outermost ASGI middleware. It records refusals, which it identifies by their status."""

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
            return  # nothing is disclosed, and the log contains the error


def refusal(status: int, text: str, *, close: bool = False, allow: str = "") -> Response:
    """Return a plain-text response. Set `close` if the body of the request will not be read. `allow` lists the allowed
    methods."""
    headers = {"Cache-Control": "no-store"}
    if close:
        headers["Connection"] = "close"
    if allow:
        headers["Allow"] = allow
    return PlainTextResponse(f"{text}\n", status_code=status, headers=headers)


class TooLong(Exception):
    """The body exceeds the limit."""


class TooSlow(Exception):
    """The body did not arrive in time."""


class WholeBodies:
    """ASGI middleware that reads the complete body. It runs after authentication, so that nothing from strangers is
    buffered."""

    def __init__(self, app: ASGIApp, max_bytes: int, seconds: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._body(scope, receive)
        except TooLong:
            refused = refusal(413, f"The body is longer than {self._max_bytes} bytes.")
            await refused(scope, receive, send)
        except TooSlow:
            refused = refusal(408, f"The body did not arrive within {self._seconds:.0f} seconds.")
            await refused(scope, receive, send)
        else:
            if body is not None:
                await self._app(scope, replaying(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body, or None if the client has disconnected. Raise TooLong or TooSlow if it exceeds the
        limits."""
        if _declared(scope) > self._max_bytes:
            raise TooLong
        body = bytearray()
        with anyio.move_on_after(self._seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > self._max_bytes:
                    raise TooLong
                if not message.get("more_body", False):
                    return bytes(body)
        raise TooSlow


def replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the complete body first, then the messages of `receive`."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay


def _declared(scope: Scope) -> int:
    """Return the Content-Length in bytes, or 0."""
    for key, value in scope["headers"]:
        if key == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
