"""Liveness and readiness endpoints."""

from __future__ import annotations

from pathlib import Path

import anyio
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.http.refusals import refusal
from tools.protocol import LibraryOf

LIVES, READY = "/healthz", "/readyz"
PATHS = frozenset({LIVES, READY})

OPENING = "The index is being opened."
UNUSABLE = "The index cannot be opened. The log says why."
GONE = "The index no longer exists."
ENDING = "The server is shutting down."

RETRY_SECONDS = 5.0


class Readiness:
    """Whether the server can answer. `reason` says publicly why it cannot, and is empty if it can. `file` is the file
    of a local index, which may disappear while the server runs."""

    def __init__(self, file: Path | None = None) -> None:
        self.reason = OPENING
        self._file = file

    @property
    def now(self) -> str:
        """`reason`, or GONE if the index file has disappeared."""
        if not self.reason and self._file is not None and not self._file.exists():
            return GONE
        return self.reason

    async def follow(self, library: LibraryOf) -> None:
        """Try to open the index until it works: it may be created while the server runs."""
        while True:
            try:
                await library()
            except Exception:  # the call that needs the index reports the error
                self.reason = UNUSABLE
                await anyio.sleep(RETRY_SECONDS)
            else:
                self.reason = ""
                return


class Health:
    """ASGI middleware that answers both endpoints itself, even if the server is busy."""

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
