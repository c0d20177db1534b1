"""Read request bodies whole, within limits of size and time. Clients that disconnect meanwhile are not logged."""

from __future__ import annotations

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.http.refusals import refusal


class TooLong(Exception):
    """The body exceeds the limit."""


class TooSlow(Exception):
    """The body did not arrive in time."""


class WholeBodies:
    """ASGI middleware. It runs after authentication, so that nothing of strangers is buffered."""

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
        """The body, or None if the client has disconnected. Raises TooLong or TooSlow."""
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
    """A `receive` that returns the whole body first, then the messages of `receive`."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay


def _declared(scope: Scope) -> int:
    """Content-Length in bytes, or 0."""
    for key, value in scope["headers"]:
        if key == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
