"""The ASGI application: what stands before the protocol, and the protocol at one path for both its generations."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from server.http.abandoned import EndsAbandoned
from server.http.admission import Admission
from server.http.binding import PATH, Address
from server.http.bodies import WholeBodies
from server.http.connections import Bounds
from server.http.edge import Edge
from server.http.ending import Ending, EndsInTime
from server.http.health import PATHS, Health, Readiness
from server.http.names import Names
from server.http.own_sessions import OwnSessions
from server.settings import Settings
from tools.promise import CallerOf

# `Admission` looks at Host and Origin, whatever the address; the SDK's own check knows no ports and no capitals.
CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)

TOLD_TO_PAGES = ("Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate", "Retry-After")


def application(
    settings: Settings, server: MCPServer[Any], address: Address, bounds: Bounds, ending: Ending,
    readiness: Readiness, edge: Edge, caller_of: CallerOf,
) -> ASGIApp:  # fmt: skip
    """For an ASGI server, which must run its lifespan."""
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
    """The SDK's application, with who asks checked first and the body read after that."""
    made = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=settings.http_stateless,
        max_request_body_size=settings.http_max_body,
        session_idle_timeout=settings.http_session_seconds,
        max_sessions=settings.http_max_sessions,
        transport_security=CHECKED_BEFORE,
    )
    made.router.redirect_slashes = False  # behind a proxy it would lead to plain http
    manager = server.session_manager
    own = OwnSessions(EndsAbandoned(manager.asgi_app), manager, caller_of, settings.http_caller_sessions)
    manager.asgi_app = WholeBodies(own, settings.http_max_body, bounds.body)  # type: ignore[assignment]
    return made
