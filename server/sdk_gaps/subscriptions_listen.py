"""Serve `subscriptions/listen` of the protocol from 2026-07-28 on: one request is one stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import ListenHandler, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)

from corpus.access import Caller
from corpus.errors import IbidError
from server.sdk_gaps.change_notifications import Watch
from server.sdk_gaps.subscriptions import MAX_ADDRESS, MAX_ADDRESSES, Subscription
from tools.protocol import CallerOf

Request = ServerRequestContext[Any, Any]


class Listening:
    """Handles streams. The SDK's own handler would send every change to every stream; this one sends only what the
    caller may see."""

    def __init__(self, watch: Watch, caller_of: CallerOf) -> None:
        self._watch = watch
        self._caller_of = caller_of

    async def listen(self, ctx: Request, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Handle `subscriptions/listen`: stream events until the client or the server ends it."""
        wanted = params.notifications
        uris = set(wanted.resource_subscriptions or ())
        check(uris)
        stream = _Stream()
        handler = ListenHandler(stream, max_subscriptions=1)
        with refusals():
            caller = self._caller_of()
            check_room(self._watch, caller)
            interest = Subscription(caller, stream.tell, handler.close, uris, bool(wanted.resources_list_changed))
            await self._watch.add(interest)
        try:
            return await handler(ctx, params)
        finally:
            self._watch.drop(interest)


class _Stream:
    """A `SubscriptionBus` of the SDK with a single listener: one stream."""

    def __init__(self) -> None:
        self._listener: Callable[[ServerEvent], None] | None = None

    def tell(self, event: ServerEvent) -> None:
        if self._listener is not None:
            self._listener(event)

    async def publish(self, event: ServerEvent) -> None:
        self.tell(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        self._listener = listener
        return self._unsubscribe

    def _unsubscribe(self) -> None:
        self._listener = None


class refusals:  # noqa: N801 - a context manager
    """Turn our errors into the protocol's."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IbidError):
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from error


def check(uris: set[str]) -> None:
    """Raise MCPError beyond the limits of one client."""
    if len(uris) > MAX_ADDRESSES or any(len(uri) > MAX_ADDRESS for uri in uris):
        raise MCPError(
            code=INVALID_PARAMS,
            message=f"At most {MAX_ADDRESSES} addresses of {MAX_ADDRESS} characters can be subscribed to.",
        )


def check_room(watch: Watch, caller: Caller) -> None:
    """Raise MCPError beyond the limits of one caller or of all."""
    if not watch.has_room(caller):
        raise MCPError(code=INTERNAL_ERROR, message="Too many clients are subscribed. Try again later.")


def add_listening(server: MCPServer[Any], watch: Watch, caller_of: CallerOf) -> None:
    """Register `subscriptions/listen` with the server."""
    # Replaces the SDK's handler, for which there is no public way.
    server._lowlevel_server.add_request_handler(
        "subscriptions/listen", SubscriptionsListenRequestParams, Listening(watch, caller_of).listen
    )
