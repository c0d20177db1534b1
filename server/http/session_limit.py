"""How many sessions of the older protocol one caller has: beyond that each new one ends their longest idle one."""

from __future__ import annotations

from collections import OrderedDict

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corpus.errors import IbidError
from server.limits.rate import bucket_key
from tools.protocol import CallerOf

_SESSION = b"mcp-session-id"


class OwnSessions:
    """ASGI middleware around the sessions of `manager`, behind the check of who asks."""

    def __init__(
        self, app: ASGIApp, manager: StreamableHTTPSessionManager, caller_of: CallerOf, most: int
    ) -> None:
        self._app, self._manager, self._caller_of, self._most = app, manager, caller_of, most
        self._held: dict[bytes, OrderedDict[str, None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = next((value for key, value in scope["headers"] if key == _SESSION), None)
        key = self._key(scope)
        if named is not None:
            self._used(key, named.decode("latin-1"))
            await self._app(scope, receive, send)
            return
        opened: list[str] = []

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened.extend(value.decode() for name, value in message["headers"] if name == _SESSION)
            await send(message)

        try:
            await self._app(scope, receive, told)
        finally:
            for one in opened:
                await self._opened(key, one)

    def _key(self, scope: Scope) -> bytes:
        host = (scope.get("client") or ("",))[0]
        try:
            return bucket_key(self._caller_of(), host)
        except IbidError:  # admitted, but not known: their calls are refused, their sessions bounded
            return bucket_key(None, host)

    def _used(self, key: bytes, session: str) -> None:
        own = self._held.get(key)
        if own is not None and session in own:
            own.move_to_end(session)

    async def _opened(self, key: bytes, session: str) -> None:
        open_ones = self._manager._server_instances  # the SDK tells it in no other way
        for other in [one for one, kept in self._held.items() if not any(s in open_ones for s in kept)]:
            del self._held[other]
        own = self._held.setdefault(key, OrderedDict())
        own[session] = None
        for gone in [one for one in own if one not in open_ones]:
            del own[gone]
        while len(own) > self._most:
            oldest, _ = own.popitem(last=False)
            await self._manager._discard_session(oldest, open_ones[oldest])
