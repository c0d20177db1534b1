"""Subscriptions to resources and lists, and change notifications. Subscribers are notified of changes to the documents
that they may read, regardless of the process that made the change.

The watch polls the index for its generation, but only while somebody is subscribed. After a change, it reads each
subscriber's view again with their access rights, so that nobody is notified about something that they may not read.

From protocol 2026-07-28 on, each `subscriptions/listen` request is one stream. Protocols up to 2025-11-25 have
`resources/subscribe` and `unsubscribe`, which the SDK's `MCPServer` lacks and the conformance suite requires
(resources-subscribe, resources-unsubscribe).
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import structlog
from anyio.abc import TaskGroup
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.subscriptions import ListenHandler, ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from corpus.access import Caller
from corpus.errors import IbidError
from corpus.visibility_digest import VisibilityDigests
from tools.protocol import CallerOf, LibraryOf

log = structlog.stdlib.get_logger("ibid")

SECONDS = 1.0
"""Seconds between two checks. Several changes between two checks cause only one notification."""
MAX_SEND_SECONDS = 10.0
"""Maximum number of seconds to send a notification. A client that does not read in time loses the notification."""
MAX_SUBSCRIPTIONS = 1_000
MAX_OF_ONE_CALLER = 50
"""Maximum number of streams and sessions for each caller. All anonymous callers together are limited only by the
total."""


class Watch:
    """A watch on the index for all clients of a process. It is active while `run` runs."""

    def __init__(self, library: LibraryOf, seconds: float = SECONDS) -> None:
        self._library = library
        self._seconds = seconds
        self._interests: set[Subscription] = set()
        self._wanted = anyio.Event()
        self._running = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._generation: str | None = None

    def has_room(self, caller: Caller) -> bool:
        """Return whether this caller may have another subscription."""
        own = 0 if caller.anonymous else sum(interest.caller == caller for interest in self._interests)
        return len(self._interests) < MAX_SUBSCRIPTIONS and own < MAX_OF_ONE_CALLER

    def holds(self, interest: Subscription) -> bool:
        """Return whether the subscription is active."""
        return interest in self._interests

    async def add(self, interest: Subscription) -> None:
        """Add a subscription, or extend it to more URIs. It counts towards the limits before the first await, so that
        concurrent requests cannot exceed them. If the index fails, remove a new subscription and raise the error."""
        is_known = self.holds(interest)
        self._interests.add(interest)
        try:
            sight = (await self._library()).visibility
            begin(interest, await view(sight, interest.caller, [interest]))
        except BaseException:
            if not is_known:
                self.drop(interest)
            raise
        self._generation = None  # the next check then also finds changes made meanwhile
        self._wanted.set()

    def drop(self, interest: Subscription) -> None:
        """Remove a subscription."""
        self._interests.discard(interest)

    def close(self) -> None:
        """End every stream properly. This is for the shutdown."""
        for interest in list(self._interests):
            interest.end()

    async def run(self) -> None:
        """Watch until cancelled. A second call waits for the first to end."""
        async with self._running, anyio.create_task_group() as self._tasks:
            while True:
                await self._wanted.wait()
                await anyio.sleep(self._seconds)
                await self._look()
                if not self._interests:
                    self._wanted = anyio.Event()

    def later(self, send: Callable[[], Awaitable[None]]) -> None:
        """Send in the background."""
        if self._tasks is not None:
            self._tasks.start_soon(_sent, send)

    async def _look(self) -> None:
        for interest in [one for one in self._interests if one.expired]:
            interest.end()
        try:
            await self._tell()
        except IbidError as error:  # the next check tries again
            self._generation = None
            log.info("notices.not_looked", outcome=error.type)
        except Exception:
            log.exception("notices.failed")

    async def _tell(self) -> None:
        sight = (await self._library()).visibility
        generation = await sight.generation()
        if generation is None or generation == self._generation:
            return
        self._generation = generation
        count = 0
        for caller, interests in self._by_caller().items():
            now = await view(sight, caller, interests)
            for interest in interests:
                events = news(interest, now) if interest.caller == caller else []
                for event in events:
                    interest.tell(event)
                count += len(events)
        if count:
            log.info("notices.told", notices=count)

    def _by_caller(self) -> dict[Caller, list[Subscription]]:
        """Return the subscriptions grouped by caller. Callers whose token has expired are skipped until it is
        renewed."""
        grouped: dict[Caller, list[Subscription]] = {}
        for interest in self._interests:
            if not interest.expired:
                grouped.setdefault(interest.caller, []).append(interest)
        return grouped


async def _sent(send: Callable[[], Awaitable[None]]) -> None:
    with anyio.move_on_after(MAX_SEND_SECONDS):
        try:
            await send()
        except Exception:
            log.exception("notices.not_sent")


MAX_ADDRESSES = 200
"""Maximum number of URIs of one client."""
MAX_ADDRESS = 2_000

_DOCUMENT = re.compile(r"rag://documents/([^/]+)(?:/pages/[^/]+(?:/image)?)?")
_BLOCK = re.compile(r"rag://blocks/([^/]+)/image")


def token_ends() -> int | None:
    """Return the time at which the current request's token expires, in seconds since 1970, or None."""
    token = get_access_token()
    return token.expires_at if token else None


@dataclass(eq=False)
class Subscription:
    """A client's subscription. `tell` passes events on without blocking; `end` ends the stream. The client's token is
    valid until `expires`, in seconds since 1970."""

    caller: Caller
    tell: Callable[[ServerEvent], None]
    end: Callable[[], None]
    uris: set[str] = field(default_factory=set)
    of_lists: bool = False
    expires: int | None = field(default_factory=token_ends)
    seen: dict[str, str | None] = field(default_factory=dict)
    extent: str | None = None

    @property
    def expired(self) -> bool:
        """Return whether the caller's token has expired."""
        return self.expires is not None and time.time() >= self.expires


@dataclass(frozen=True, slots=True)
class View:
    """A caller's current view: `of` maps each URI to a digest of what the caller may read there, and `extent` is a
    digest of the caller's lists."""

    of: dict[str, str | None]
    extent: str | None


async def view(sight: VisibilityDigests, caller: Caller, interests: Iterable[Subscription]) -> View:
    """Return the caller's view of all URIs in these subscriptions. Errors of the index are raised."""
    interests = list(interests)
    uris = {uri for interest in interests for uri in interest.uris}
    documents = await sight.documents(_ids(_DOCUMENT, uris), caller)
    blocks = await sight.blocks(_ids(_BLOCK, uris), caller)
    lists = any(one.of_lists for one in interests)
    seen = {uri: _seen(uri, documents, blocks) for uri in uris}
    return View(seen, await sight.extent(caller) if lists else None)


def begin(interest: Subscription, now: View) -> None:
    """Use the current state as the baseline for new URIs."""
    for uri in interest.uris:
        interest.seen.setdefault(uri, now.of.get(uri))
    interest.extent = interest.extent or now.extent


def news(interest: Subscription, now: View) -> list[ServerEvent]:
    """Return the changes since the last check, and mark them as notified."""
    changed: list[ServerEvent] = [
        ResourceUpdated(uri)
        for uri in sorted(interest.uris)
        if uri in interest.seen and uri in now.of and interest.seen[uri] != now.of[uri]
    ]
    if interest.of_lists and now.extent is not None:
        if interest.extent not in (None, now.extent):
            changed.append(ResourcesListChanged())
        interest.extent = now.extent
    interest.seen = {uri: now.of.get(uri, interest.seen.get(uri)) for uri in interest.uris}
    return changed


def _ids(kind: re.Pattern[str], uris: Collection[str]) -> set[str]:
    return {match[1] for uri in uris if (match := kind.fullmatch(uri))}


def _seen(uri: str, documents: dict[str, str], blocks: dict[str, str]) -> str | None:
    document, block = _DOCUMENT.fullmatch(uri), _BLOCK.fullmatch(uri)
    if document:
        return documents.get(document[1])
    return blocks.get(block[1]) if block else None


Request = ServerRequestContext[Any, Any]


class Listening:
    """A handler of streams. The SDK's own handler would send every change to every stream; this one sends only changes
    that the caller may see."""

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
    """A `SubscriptionBus` of the SDK for a single listener, that is, for one stream."""

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
    """A context manager that converts our errors into the protocol's."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IbidError):
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from error


def check(uris: set[str]) -> None:
    """Raise MCPError if the URIs exceed the limits for one client."""
    if len(uris) > MAX_ADDRESSES or any(len(uri) > MAX_ADDRESS for uri in uris):
        raise MCPError(
            code=INVALID_PARAMS,
            message=f"At most {MAX_ADDRESSES} addresses of {MAX_ADDRESS} characters can be subscribed to.",
        )


def check_room(watch: Watch, caller: Caller) -> None:
    """Raise MCPError if another subscription would exceed the limit for one caller or for all callers."""
    if not watch.has_room(caller):
        raise MCPError(code=INTERNAL_ERROR, message="Too many clients are subscribed. Try again later.")


def add_listening(server: MCPServer[Any], watch: Watch, caller_of: CallerOf) -> None:
    """Register `subscriptions/listen` with the server."""
    # Replace the SDK's handler. The SDK has no public API for this.
    server._lowlevel_server.add_request_handler(
        "subscriptions/listen", SubscriptionsListenRequestParams, Listening(watch, caller_of).listen
    )


_KEPT = "ibid.interest"


class Subscriptions:
    """The subscriptions of each connection. They end with the connection."""

    def __init__(self, watch: Watch, caller_of: CallerOf) -> None:
        self._watch = watch
        self._caller_of = caller_of

    async def subscribe(self, ctx: Request, params: SubscribeRequestParams) -> EmptyResult:
        """Handle `resources/subscribe`. Raise MCPError if there is no session, or if a limit is exceeded."""
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
    """Register both methods. Return the middleware that must run before them."""
    kept = Subscriptions(watch, caller_of)
    lowlevel = server._lowlevel_server  # the SDK's only way to add methods
    lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, kept.subscribe)
    lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, kept.unsubscribe)
    return kept.known_anew


def _connection(ctx: Request) -> Connection:
    return ctx.session._connection  # notifications are sent between requests, without a request's session


def _interest(connection: Connection) -> Subscription | None:
    interest = connection.state.get(_KEPT)
    return interest if isinstance(interest, Subscription) else None
