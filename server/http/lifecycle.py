"""Liveness and readiness endpoints, and graceful shutdown, which ends idle streams immediately and gives running calls
some time to finish.
"""

from __future__ import annotations

from pathlib import Path

import anyio
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.http.refusals import refusal
from tools.protocol import LibraryOf

LIVES, READY = "/healthz", "/readyz"
PATHS = frozenset({LIVES, READY})

OPENING = "The index is being opened."
UNUSABLE = "The index cannot be opened. The log contains the reason."
INDEX_GONE = "The index no longer exists."
ENDING = "The server is shutting down."

RETRY_SECONDS = 5.0


class Readiness:
    """The readiness of the server. `reason` is the public reason why it cannot answer, or empty if it can. `file` is
    the local index's file, which may disappear while the server runs."""

    def __init__(self, file: Path | None = None) -> None:
        self.reason = OPENING
        self._file = file

    @property
    def now(self) -> str:
        """Return `reason`, or INDEX_GONE if the index file has disappeared."""
        if not self.reason and self._file is not None and not self._file.exists():
            return INDEX_GONE
        return self.reason

    async def follow(self, library: LibraryOf) -> None:
        """Try repeatedly to open the index until that succeeds, because it may be created while the server runs."""
        while True:
            try:
                await library()
            except Exception:  # a call that needs the index reports the error
                self.reason = UNUSABLE
                await anyio.sleep(RETRY_SECONDS)
            else:
                self.reason = ""
                return


class Health:
    """ASGI middleware that answers both health endpoints itself, even if the server is busy."""

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        self._app = app
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering: ASGIApp = self._app
        if scope["type"] == "http" and scope["path"] in PATHS:
            answering = self._answer(scope)
        await answering(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return refusal(405, "Only GET and HEAD.", allow="GET, HEAD")
        reason = self._readiness.now if scope["path"] == READY else ""
        if reason:
            return refusal(503, reason)
        return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})


DISCONNECT: Message = {"type": "http.disconnect"}
RETRY_AFTER = (b"retry-after", b"5")


class Ending:
    """The state of the shutdown. `soon` is set when shutdown begins, `now` when the time for running calls is over."""

    def __init__(self) -> None:
        self.soon = anyio.Event()
        self.now = anyio.Event()


class EndsInTime:
    """ASGI middleware that ends requests at shutdown. To the application, a shutdown looks like a disconnected
    client."""

    def __init__(self, app: ASGIApp, ending: Ending) -> None:
        self._app = app
        self._ending = ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        over = self._ending.soon if _only_waits(scope) else self._ending.now
        answer = _Answer(send)

        async def heard() -> Message:
            return await _first(receive, over)

        await self._app(scope, heard, answer.send)
        if over.is_set():
            await answer.complete(scope, receive)


class _Answer:
    """A record of how much of a response was sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._complete = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            if message["status"] == 503:
                message = {**message, "headers": [*message.get("headers", ()), RETRY_AFTER]}
        elif message["type"] == "http.response.body":
            self._complete = not message.get("more_body", False)
        await self._send(message)

    async def complete(self, scope: Scope, receive: Receive) -> None:
        """Finish an incomplete response, so that the client does not see a broken connection."""
        if not self._begun:
            await refusal(503, ENDING, close=True)(scope, receive, self.send)
        elif not self._complete:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


def _only_waits(scope: Scope) -> bool:
    """Return whether the request is for an event stream, which does not end on its own."""
    if scope["method"] == "GET":
        return True
    return any(key == b"mcp-method" and value == b"subscriptions/listen" for key, value in scope["headers"])


async def _first(receive: Receive, over: anyio.Event) -> Message:
    """Return the client's next message, or a disconnect if `over` is set first."""
    heard = DISCONNECT

    async def give_up() -> None:
        await over.wait()
        waiting.cancel_scope.cancel()

    async with anyio.create_task_group() as waiting:
        waiting.start_soon(give_up)
        heard = await receive()
        waiting.cancel_scope.cancel()
    return heard
