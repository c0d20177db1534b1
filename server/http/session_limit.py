"""Limit the sessions of one caller (older protocol): each further one ends the caller's longest idle session."""

from __future__ import annotations

from collections import OrderedDict

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corpus.errors import IbidError
from server.limits.rate import bucket_key
from tools.protocol import CallerOf

_SESSION = b"mcp-session-id"


class OwnSessions:
    """ASGI middleware around the sessions of `manager`. It runs after authentication."""

    def __init__(self, app: ASGIApp, manager: StreamableHTTPSessionManager, caller_of: CallerOf, limit: int) -> None:
        self._app, self._manager, self._caller_of, self._limit = app, manager, caller_of, limit
        self._sessions: dict[bytes, OrderedDict[str, None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = next((value for key, value in scope["headers"] if key == _SESSION), None)
        key = self._key(scope)
        if session is not None:
            self._used(key, session.decode("latin-1"))
            await self._app(scope, receive, send)
            return
        opened: list[str] = []

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened.extend(value.decode() for name, value in message["headers"] if name == _SESSION)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            for new in opened:
                await self._opened(key, new)

    def _key(self, scope: Scope) -> bytes:
        host = (scope.get("client") or ("",))[0]
        try:
            return bucket_key(self._caller_of(), host)
        except IbidError:  # an authenticated caller without identity: limit its sessions by address
            return bucket_key(None, host)

    def _used(self, key: bytes, session: str) -> None:
        own = self._sessions.get(key)
        if own is not None and session in own:
            own.move_to_end(session)

    async def _opened(self, key: bytes, session: str) -> None:
        open_ones = self._manager._server_instances  # the SDK has no public API for this
        for other in [key for key, own in self._sessions.items() if not any(s in open_ones for s in own)]:
            del self._sessions[other]
        own = self._sessions.setdefault(key, OrderedDict())
        own[session] = None
        for gone in [known for known in own if known not in open_ones]:
            del own[gone]
        while len(own) > self._limit:
            oldest, _ = own.popitem(last=False)
            await self._manager._discard_session(oldest, open_ones[oldest])
