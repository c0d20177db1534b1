"""The ASGI application: what stands before the protocol, and the protocol at one path for both its generations."""

from __future__ import annotations

from typing import Any

from mcp.server.auth.provider import TokenVerifier
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from server.app import build_server
from server.deadlines import limit_of
from server.http.binding import PATH
from server.http.callers import Identity, nobody
from server.serving import call_log
from server.settings import Settings
from server.wiring import prompts
from tools.models import Models
from tools.promise import LibraryOf

CHECKED_OUTSIDE = TransportSecuritySettings(enable_dns_rebinding_protection=False)


def http_server(
    settings: Settings, library: LibraryOf, models: Models, known: Identity | None
) -> MCPServer[Any]:
    """The server, asked by whoever `known` says; without it everybody is anonymous."""
    verifier: TokenVerifier | None = known.verifier if known else None
    return build_server(
        library,
        call_log(settings, known.caller if known else nobody),
        models=models,
        texts=prompts(settings),
        seconds=limit_of(settings),
        auth=known.auth if known else None,
        token_verifier=verifier,
        request_state_security=sealing(settings),
    )


def application(settings: Settings, server: MCPServer[Any]) -> ASGIApp:
    """For any ASGI server; its lifespan must run."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=settings.http_stateless,
        max_request_body_size=settings.http_max_body,
        session_idle_timeout=settings.http_session_seconds,
        max_sessions=settings.http_max_sessions,
        transport_security=CHECKED_OUTSIDE,
    )


def sealing(settings: Settings) -> RequestStateSecurity | None:
    """With what a client's state is sealed; None for a key of this process."""
    keys = [one.get_secret_value() for one in settings.http_keys]
    return RequestStateSecurity(keys=keys) if keys else None
