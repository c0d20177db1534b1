"""Serve `resources/subscribe` and `unsubscribe` of the protocol up to 2025-11-25.

The SDK's `MCPServer` lacks both; the conformance suite requires them (resources-subscribe, resources-unsubscribe).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp.types import METHOD_NOT_FOUND, EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from corpus.errors import IbidError
from server.sdk_gaps.change_notifications import Watch
from server.sdk_gaps.subscriptions import Subscription, token_ends
from server.sdk_gaps.subscriptions_listen import check, check_room, refusals
from tools.protocol import CallerOf

Request = ServerRequestContext[Any, Any]

_KEPT = "ibid.interest"


class Subscriptions:
    """The subscriptions of each connection, which end with it."""

    def __init__(self, watch: Watch, caller_of: CallerOf) -> None:
        self._watch = watch
        self._caller_of = caller_of

    async def subscribe(self, ctx: Request, params: SubscribeRequestParams) -> EmptyResult:
        """Handle `resources/subscribe`. Raises MCPError without a session, and beyond the limits."""
        connection = _connection(ctx)
        if ctx.request is not None and connection.session_id is None:
            raise MCPError(code=METHOD_NOT_FOUND, message="This server keeps no sessions, so it cannot send notices.")
        interest = _interest(connection)
        check({*(interest.uris if interest else ()), params.uri})
        with refusals():
            if interest is None or not self._watch.holds(interest):
                check_room(self._watch, self._caller_of())
            interest = interest or self._new(connection)
            interest.caller, interest.expires = self._caller_of(), token_ends()
            interest.uris.add(params.uri)
            await self._watch.add(interest)
        return EmptyResult()

    async def unsubscribe(self, ctx: Request, params: UnsubscribeRequestParams) -> EmptyResult:
        """Handle `resources/unsubscribe`."""
        interest = _interest(_connection(ctx))
        if interest is not None:
            interest.uris.discard(params.uri)
            if not interest.uris:
                self._watch.drop(interest)
        return EmptyResult()

    async def known_anew(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        """MCP middleware that extends subscriptions when a session's token is renewed."""
        interest = _interest(_connection(ctx))
        if interest is not None:
            try:
                interest.caller, interest.expires = self._caller_of(), token_ends()
            except IbidError:
                interest.expires = 0
        return await call_next(ctx)

    def _new(self, connection: Connection) -> Subscription:
        sending: set[str] = set()

        async def send(uri: str) -> None:
            try:
                await connection.send_resource_updated(uri)
            finally:
                sending.discard(uri)

        def tell(event: ServerEvent) -> None:
            if isinstance(event, ResourceUpdated) and event.uri not in sending:
                sending.add(event.uri)
                self._watch.later(partial(send, event.uri))

        interest = Subscription(self._caller_of(), tell, end=lambda: None)
        connection.state[_KEPT] = interest
        connection.exit_stack.callback(self._watch.drop, interest)
        return interest


def add_subscriptions(server: MCPServer[Any], watch: Watch, caller_of: CallerOf) -> ServerMiddleware[Any]:
    """Register both methods and return the middleware that must run before them."""
    kept = Subscriptions(watch, caller_of)
    lowlevel = server._lowlevel_server  # the SDK's only way to add methods
    lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, kept.subscribe)
    lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, kept.unsubscribe)
    return kept.known_anew


def _connection(ctx: Request) -> Connection:
    return ctx.session._connection  # notices are sent between requests, when no request's session is there


def _interest(connection: Connection) -> Subscription | None:
    interest = connection.state.get(_KEPT)
    return interest if isinstance(interest, Subscription) else None
