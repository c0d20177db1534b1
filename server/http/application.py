"""Assemble the ASGI application: checks, limits, middleware, and the MCP endpoint for both protocol generations."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import uvicorn
from mcp.server.context import ServerMiddleware
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic_core import from_json
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from corpus.access import ANONYMOUS
from corpus.errors import IbidError
from corpus.index.local.store import FILE
from server.app import build_server
from server.audit import Audit, AuditedCalls, audit
from server.bootstrap import prompts
from server.caller_limits import CallerTurns, bucket_key, rate_limit
from server.calls.deadlines import limit_of
from server.http.binding import PATH, Address
from server.http.concurrency import Concurrency
from server.http.connections import HEADER_BYTES, BoundedConnection, Bounds, Shares
from server.http.host_names import Names
from server.http.lifecycle import ENDING, PATHS, Ending, EndsInTime, Health, Readiness
from server.http.picture_urls import Images, ImageUrls, Keys, Seal, origin_of
from server.http.refusals import AuditedRefusals, WholeBodies, refusal, replaying
from server.identity.verified_caller import StillKnown
from server.serving import call_log, change_watch, fresh_prompts, signed_addresses
from server.settings.http import HTTP_RATE
from server.settings.model import Settings
from server.tracing import traced_calls
from tools.protocol import CallerOf, LibraryOf, Models

if TYPE_CHECKING:
    from server.identity.identity_parts import Identity


@dataclass(frozen=True, slots=True)
class Edge:
    """State that is shared by all middleware of a server."""

    settings: Settings
    library: LibraryOf
    seal: Seal
    audit: Audit

    @classmethod
    def of(cls, settings: Settings, library: LibraryOf, keys: Keys, address: Address) -> Edge:
        """Build the state from the settings."""
        origin = origin_of(settings.http_public_url or address.url)
        return cls(settings, library, Seal(keys.derived("images"), origin), audit(settings))

    def middleware(self, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
        """Return the MCP middleware, outermost first. The audit is outside the limits, so that it also records what
        they refuse."""
        return (
            *traced_calls(self.settings),
            AuditedCalls(self.audit, caller_of),
            StillKnown(caller_of),
            *rate_limit(self.settings, caller_of, HTTP_RATE),
            CallerTurns(caller_of, self.settings.caller_calls, self.settings.caller_waiting),
            ImageUrls(
                self.library,
                caller_of,
                self.seal,
                self.settings.http_image_seconds,
                with_pages=self.settings.shows_pages,
            ),
            *signed_addresses(self.settings, self.library, caller_of),
        )

    def images(self, app: ASGIApp) -> ASGIApp:
        """Wrap the application so that it serves pictures at the URLs that `ImageUrls` creates."""
        turns = Concurrency(self.settings.http_max_calls, self.settings.http_max_waiting)
        return Images(app, self.library, self.seal, turns, limit_of(self.settings), self.audit)

    def recorded(self, app: ASGIApp) -> ASGIApp:
        """Wrap the application so that its refusals are audited."""
        return AuditedRefusals(app, self.audit)


MAX_HEADERS = 100

Headers = list[tuple[bytes, bytes]]


class Admission:
    """ASGI middleware that checks headers, Host and Origin. `open_paths` accept any Host, because health probes use the
    machine's address."""

    def __init__(self, app: ASGIApp, names: Names, open_paths: frozenset[str]) -> None:
        self._app = app
        self._names = names
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = self._refused(scope) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        headers: Headers = scope["headers"]
        size = sum(len(key) + len(value) for key, value in headers) + len(scope["query_string"])
        if len(headers) > MAX_HEADERS or size > HEADER_BYTES:
            return refusal(431, "The headers are too large.", close=True)
        if ambiguous := _ambiguous(headers):
            return refusal(400, ambiguous, close=True)
        if scope["path"] in self._open_paths:
            return None
        hosts, origins = _values(headers, b"host"), _values(headers, b"origin")
        if len(hosts) != 1 or not self._names.host(hosts[0]):
            return refusal(421, "This server does not serve that Host.")
        if len(origins) > 1 or not all(map(self._names.origin, origins)):
            return refusal(403, "Pages of that Origin may not call this server.")
        return None


def _ambiguous(headers: Headers) -> str:
    """Return the reason why a proxy may interpret the request differently (request smuggling), or an empty string."""
    if _values(headers, b"content-length") and _values(headers, b"transfer-encoding"):
        return "Content-Length and Transfer-Encoding are mutually exclusive."
    if len(_values(headers, b"authorization")) > 1:
        return "Only one Authorization header is allowed."
    return ""


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


_SESSION = b"mcp-session-id"


class OwnSessions:
    """ASGI middleware that limits the sessions of `manager`. It runs after authentication."""

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
        except IbidError:  # the caller is authenticated but not identified: limit the sessions of the address
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


WHY = "the client has gone away"


class EndsAbandoned:
    """ASGI middleware that cancels a call if its client disconnects. It expects each request body in a single
    message."""

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
        """Send the cancellation message that the client would send, so that session and caller are checked again as
        usual."""
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


KEEP_ALIVE_SECONDS = 15
LAST_RESORT_SECONDS = 5
"""Seconds from the end of RAG_HTTP_CLOSE_SECONDS until uvicorn closes all remaining connections."""


class HttpServer(uvicorn.Server):
    """A uvicorn server that ends when `should_exit` is set. It ignores signals, because uvicorn would raise them again
    at its end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """See `uvicorn.Server`. Captures no signals."""
        yield


def http_listener(application: ASGIApp, settings: Settings, bounds: Bounds) -> HttpServer:
    """Return the uvicorn server for an application, with limits on connections."""
    # Otherwise each malformed request from a stranger would write a log line.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)
    return HttpServer(
        uvicorn.Config(
            application,
            http=partial(BoundedConnection, bounds=bounds, shares=Shares(bounds.connections)),  # type: ignore[arg-type]
            ws="none",
            lifespan="on",
            loop="asyncio",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=ceil(settings.http_close_seconds) + LAST_RESORT_SECONDS,
        )
    )


# `Admission` already checks Host and Origin on every path. The SDK's own check ignores ports and is case-sensitive.
CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)

TOLD_TO_PAGES = ("Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate", "Retry-After")


def application(
    settings: Settings, server: MCPServer[Any], address: Address, bounds: Bounds, ending: Ending,
    readiness: Readiness, edge: Edge, caller_of: CallerOf,
) -> ASGIApp:  # fmt: skip
    """Return the complete application. The ASGI server must run its lifespan."""
    answering: ASGIApp = EndsInTime(edge.images(_protocol(settings, server, bounds, caller_of)), ending)
    answering = Health(answering, readiness)
    if settings.http_allowed_origins:
        answering = CORSMiddleware(
            answering,
            allow_origins=settings.http_allowed_origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("*",),  # a client may send one header per tool parameter
            expose_headers=TOLD_TO_PAGES,
        )
    return edge.recorded(Admission(answering, Names(settings, address), PATHS))


def _protocol(settings: Settings, server: MCPServer[Any], bounds: Bounds, caller_of: CallerOf) -> ASGIApp:
    """Return the SDK's application, which authenticates the caller and then reads the body."""
    made = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=settings.http_stateless,
        max_request_body_size=settings.http_max_body,
        session_idle_timeout=settings.http_session_seconds,
        max_sessions=settings.http_max_sessions,
        transport_security=CHECKED_BEFORE,
    )
    made.router.redirect_slashes = False  # behind a proxy it would redirect to plain http
    manager = server.session_manager
    own = OwnSessions(EndsAbandoned(manager.asgi_app), manager, caller_of, settings.http_caller_sessions)
    manager.asgi_app = WholeBodies(own, settings.http_max_body, bounds.body)  # type: ignore[assignment]
    return made


_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server and its state. Call `running.serve([listener])` to serve."""

    running: HttpServer
    ending: Ending
    readiness: Readiness

    async def end(self, seconds: float) -> None:
        """Stop accepting calls, give running calls `seconds` to finish, then end them."""
        self.readiness.reason = ENDING
        self.ending.soon.set()
        self.running.should_exit = True
        await anyio.sleep(seconds)
        self.ending.now.set()


def endpoint(
    settings: Settings, library: LibraryOf, models: Models, known: Identity | None, address: Address,
    bounds: Bounds = _BOUNDS,
) -> Endpoint:  # fmt: skip
    """Build the server at `address`. `known` authenticates callers; without it all callers are anonymous."""
    ending, readiness = Ending(), Readiness(settings.data_dir / FILE if settings.backend == "local" else None)
    keys = Keys.of(settings)
    edge = Edge.of(settings, library, keys, address)
    caller_of = known.caller if known else lambda: ANONYMOUS  # the stdio caller's settings do not apply
    server = _server(settings, library, models, known, caller_of, keys, edge)
    served = application(settings, server, address, bounds, ending, readiness, edge, caller_of)
    return Endpoint(http_listener(served, settings, bounds), ending, readiness)


def _server(
    settings: Settings, library: LibraryOf, models: Models, known: Identity | None, caller_of: CallerOf,
    keys: Keys, edge: Edge,
) -> MCPServer[Any]:  # fmt: skip
    return build_server(
        library,
        call_log(settings, caller_of),
        models=models,
        texts=prompts(settings),
        seconds=limit_of(settings),
        auth=known.auth if known else None,
        token_verifier=known.verifier if known else None,
        request_state_security=RequestStateSecurity(keys=keys.derived("request-state")),
        middleware=[*edge.middleware(caller_of), _turns(settings), *fresh_prompts(settings)],
        watch=change_watch(settings, library),
        pages=settings.shows_pages,
    )


def _turns(settings: Settings) -> Concurrency:
    at_once, waiting = settings.http_max_calls, settings.http_max_waiting
    return Concurrency(at_once, waiting, aside=at_once + waiting)
