"""Assemble the ASGI application: checks, limits, and the MCP endpoint for both protocol generations."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from corpus.index.local.store import FILE
from server.app import build_server
from server.bootstrap import prompts
from server.calls.deadlines import limit_of
from server.http.binding import PATH, Address
from server.http.bodies import WholeBodies
from server.http.callers import Identity, nobody
from server.http.concurrency import Concurrency
from server.http.connection_shares import Shares
from server.http.connections import BoundedConnection, Bounds
from server.http.disconnects import EndsAbandoned
from server.http.graceful_shutdown import Ending, EndsInTime
from server.http.header_checks import Admission
from server.http.health import ENDING, PATHS, Health, Readiness
from server.http.host_names import Names
from server.http.keys import Keys
from server.http.middleware_stack import Edge
from server.http.session_limit import OwnSessions
from server.serving import call_log, change_watch, fresh_prompts
from server.settings.model import Settings
from tools.protocol import CallerOf, LibraryOf
from tools.writers import Models

KEEP_ALIVE_SECONDS = 15
LAST_RESORT_SECONDS = 5
"""Seconds after RAG_HTTP_CLOSE_SECONDS until uvicorn ends what is left."""


class HttpServer(uvicorn.Server):
    """A uvicorn server that ends when `should_exit` is set and ignores signals, which uvicorn would raise again."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """See `uvicorn.Server`. Captures none."""
        yield


def http_listener(application: ASGIApp, settings: Settings, bounds: Bounds) -> HttpServer:
    """The uvicorn server for an application, with bounded connections."""
    # Malformed requests of strangers would each write a log line.
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


# `Admission` checks Host and Origin on every path. The SDK's own check ignores ports and is case-sensitive.
CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)

TOLD_TO_PAGES = ("Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate", "Retry-After")


def application(
    settings: Settings, server: MCPServer[Any], address: Address, bounds: Bounds, ending: Ending,
    readiness: Readiness, edge: Edge, caller_of: CallerOf,
) -> ASGIApp:  # fmt: skip
    """The whole application. The ASGI server must run its lifespan."""
    answering: ASGIApp = EndsInTime(edge.images(_protocol(settings, server, bounds, caller_of)), ending)
    answering = Health(answering, readiness)
    if settings.http_allowed_origins:
        answering = CORSMiddleware(
            answering,
            allow_origins=settings.http_allowed_origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("*",),  # a client may send a header for each parameter of a tool
            expose_headers=TOLD_TO_PAGES,
        )
    return edge.recorded(Admission(answering, Names(settings, address), PATHS))


def _protocol(settings: Settings, server: MCPServer[Any], bounds: Bounds, caller_of: CallerOf) -> ASGIApp:
    """The SDK's application: it authenticates the caller, then reads the body."""
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
    """The server and its state. `running.serve([listener])` serves."""

    running: HttpServer
    ending: Ending
    readiness: Readiness

    async def end(self, seconds: float) -> None:
        """Accept no more calls, let running ones finish for `seconds`, then end them."""
        self.readiness.reason = ENDING
        self.ending.soon.set()
        self.running.should_exit = True
        await anyio.sleep(seconds)
        self.ending.now.set()


def endpoint(
    settings: Settings, library: LibraryOf, models: Models, known: Identity | None, address: Address,
    bounds: Bounds = _BOUNDS,
) -> Endpoint:  # fmt: skip
    """Build the server at `address`. `known` authenticates callers; without it all are anonymous."""
    ending, readiness = Ending(), Readiness(settings.data_dir / FILE if settings.backend == "local" else None)
    keys = Keys.of(settings)
    edge = Edge.of(settings, library, keys, address)
    caller_of = known.caller if known else nobody
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
