"""Cancel the calls of clients that have disconnected.

From protocol 2026-07-28 on, the SDK does that. Up to 2025-11-25 a client may come back for the answer if the server
keeps it. This server does not, so the call is cancelled as if the client had cancelled it.
"""

from __future__ import annotations

import json
from typing import Any

import anyio
import anyio.lowlevel
from pydantic_core import from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.http.bodies import replaying

WHY = "the client has gone away"


class EndsAbandoned:
    """ASGI middleware around the sessions of the SDK. It expects whole bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _in_session(scope):
            await self._app(scope, receive, send)
            return
        body = (await receive()).get("body", b"")
        answered = gone = False

        async def receiving() -> Message:
            nonlocal gone
            message = await receive()
            gone = gone or message["type"] == "http.disconnect"
            return message

        async def sending(message: Message) -> None:
            nonlocal answered
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                answered = True

        try:
            await self._app(scope, replaying(body, receiving), sending)
        finally:
            if gone and not answered:
                with anyio.CancelScope(shield=True):
                    await self._cancel(scope, receive, body)

    async def _cancel(self, scope: Scope, receive: Receive, body: bytes) -> None:
        """Send the cancellation that the client would send, so that session and caller are checked again."""
        request: dict[str, Any] = from_json(body)
        if "id" not in request or "method" not in request:
            return
        params = {"requestId": request["id"], "reason": WHY}
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        await self._app(scope, replaying(json.dumps(notice).encode(), receive), _nowhere)


def _in_session(scope: Scope) -> bool:
    names = {key for key, _ in scope["headers"]}
    return scope["method"] == "POST" and b"mcp-session-id" in names


async def _nowhere(message: Message) -> None:
    await anyio.lowlevel.checkpoint()
