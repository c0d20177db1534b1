"""All of a server over HTTP, put together over a library: the server of MCP, the application, and what runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import RequestStateSecurity

from corpus.index.local.database.store import FILE
from server.app import build_server
from server.deadlines import limit_of
from server.http.application import application
from server.http.binding import Address
from server.http.callers import Identity, nobody
from server.http.connections import Bounds
from server.http.edge import Edge
from server.http.ending import Ending
from server.http.health import ENDING, Readiness
from server.http.keys import Keys
from server.http.listening import HttpServer, http_listener
from server.http.turns import Turns
from server.serving import call_log, change_watch, fresh_prompts
from server.settings import Settings
from server.wiring import prompts
from tools.models import Models
from tools.promise import CallerOf, LibraryOf

_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`running.serve([listener])` serves."""

    running: HttpServer
    ending: Ending
    readiness: Readiness

    async def end(self, seconds: float) -> None:
        """Take no more, let calls go on for so long, and then end them."""
        self.readiness.reason = ENDING
        self.ending.soon.set()
        self.running.should_exit = True
        await anyio.sleep(seconds)
        self.ending.now.set()


def endpoint(
    settings: Settings, library: LibraryOf, models: Models, known: Identity | None, address: Address,
    bounds: Bounds = _BOUNDS,
) -> Endpoint:  # fmt: skip
    """At `address`, asked by whoever `known` says; without it everybody is anonymous."""
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


def _turns(settings: Settings) -> Turns:
    at_once, waiting = settings.http_max_calls, settings.http_max_waiting
    return Turns(at_once, waiting, aside=at_once + waiting)
