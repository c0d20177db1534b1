"""A body is read as a whole before anybody looks at it, within bounds on bytes and seconds; a client that goes away in
the middle of it costs no line of the log."""

from __future__ import annotations

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.http.refusals import refusal


class TooLong(Exception):
    """Of more bytes than are taken."""


class TooSlow(Exception):
    """Of a body that did not arrive in time."""


class WholeBodies:
    """ASGI middleware, for behind the check of who asks: strangers get nothing kept."""

    def __init__(self, app: ASGIApp, most_bytes: int, seconds: float) -> None:
        self._app = app
        self._most = most_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._body(scope, receive)
        except TooLong:
            refused = refusal(413, f"The body is longer than {self._most} bytes.")
            await refused(scope, receive, send)
        except TooSlow:
            refused = refusal(408, f"The body did not arrive within {self._seconds:.0f} seconds.")
            await refused(scope, receive, send)
        else:
            if body is not None:
                await self._app(scope, replaying(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """None where the client has gone. Raises TooLong, TooSlow."""
        if _declared(scope) > self._most:
            raise TooLong
        body = bytearray()
        with anyio.move_on_after(self._seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > self._most:
                    raise TooLong
                if not message.get("more_body", False):
                    return bytes(body)
        raise TooSlow


def replaying(body: bytes, receive: Receive) -> Receive:
    """The body at once, and then whatever comes."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay


def _declared(scope: Scope) -> int:
    """The length that the client announces; 0 where it does not."""
    for key, value in scope["headers"]:
        if key == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0
