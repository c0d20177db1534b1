"""Limit the cost of slow or hostile clients: give them limited time to send headers and body, and to read the response.

uvicorn limits none of these times (`tests/http/test_own_protocol.py` will fail once it does), so its protocol class is
subclassed, and its version is pinned. Without this file, the slow clients of `tests/http` would keep their connections
forever.

When connections run out, the server closes an unauthenticated connection of the address that has the most of them.

Until its first request, a known caller's connection looks like any other, so no connections can be reserved for known
callers. Instead, a new connection replaces the oldest unauthenticated connection that has not sent a complete request.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Protocol

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SHARE = 4
"""Divisor of the connection limit: an address may have 1/SHARE of all connections without a complete request."""


class Connection(Protocol):
    """A connection that the server may close to make room for another connection."""

    @property
    def gives_way(self) -> bool:
        """Return whether the connection may be closed, which requires that its caller is unknown and no request is
        running."""
        ...

    def give_way(self) -> None:
        """Close the connection."""
        ...


class Shares:
    """The unauthenticated connections of a server by address, oldest first. `limit` is the maximum total number of
    connections, including authenticated ones."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._share = max(1, limit // SHARE)
        self._unknown: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: Connection, address: str, count: int) -> Connection | None:
        """Register a new connection. `count` is the number of all connections, including this one. Return the
        connection to close in its place, or None."""
        own = self._unknown.setdefault(address, {})
        own[connection] = None
        if len(own) > self._share and (oldest := self._oldest(own, connection)) is not None:
            return oldest
        if count > self._limit:
            groups = sorted(self._unknown.values(), key=len, reverse=True)
            return next((each for group in groups if (each := self._oldest(group, connection))), None)
        return None

    def leave(self, connection: Connection, address: str) -> None:
        """Remove a connection that has closed or whose caller is now known."""
        own = self._unknown.get(address, {})
        own.pop(connection, None)
        if not own:
            self._unknown.pop(address, None)

    @staticmethod
    def _oldest(group: dict[Connection, None], but: Connection) -> Connection | None:
        return next((each for each in group if each is not but and each.gives_way), None)


HEADER_BYTES = 32 * 1024
"""Maximum total number of bytes of a request's line and headers."""
MAX_SMALL_CHUNKS = 256
"""Maximum number of body chunks of arbitrarily small size. Each chunk costs h11 about as much as a kilobyte of an
unchunked body."""
MIN_MEAN_CHUNK = 1024
"""Minimum average number of bytes in further chunks, so that the cost of parsing a body is a small multiple of its
size."""
MAX_DROPPED = 8 * 1024 * 1024
"""Maximum number of bytes to accept from a body that nobody reads. A client that sends more than this is not waiting
for its answer."""
CLOSE = b"Connection: close\r\n\r\n"
FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on connections: their number, and the seconds allowed for sending a request's headers, for sending its
    body, and for reading an answer.

    `linger` is the number of seconds for which a client may continue to send an unread body after the answer. Closing a
    socket with unread bytes resets the connection, and some clients then lose the answer.
    """

    connections: int = 500
    head: float = 10.0
    body: float = 30.0
    reading: float = 30.0
    linger: float = 5.0


class BoundedParser(h11.Connection):
    """An h11 parser that limits small chunks, and closes the connection after a response to a partial request."""

    refusal = ""

    def next_event(self) -> Any:
        """See `h11.Connection`. Raises RemoteProtocolError for too many small chunks."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._bytes += len(event.data)
            if self._chunks > MAX_SMALL_CHUNKS + self._bytes // MIN_MEAN_CHUNK:
                self.refusal = "The body comes in too many small chunks. Send it with Content-Length."
                raise h11.RemoteProtocolError(self.refusal)
        return event

    def send(self, event: Any) -> Any:
        """See `h11.Connection`."""
        sent = super().send(event)
        if sent and isinstance(event, h11.Response) and self.is_unread:
            # Add the header to the bytes. If h11 were told that the connection closes, uvicorn would close the socket
            # while the client is still sending.
            return sent if (b"connection", b"close") in event.headers else sent[:-2] + CLOSE
        return sent

    @property
    def is_unread(self) -> bool:
        """Return whether part of the request has not arrived yet."""
        return self.their_state is h11.SEND_BODY


class BoundedConnection(H11Protocol):
    """A subclass of uvicorn's protocol with limits. The base class waits forever for the first byte, for the rest of a
    request, and for slow readers."""

    conn: BoundedParser

    def __init__(self, *, bounds: Bounds, shares: Shares, **options: Any) -> None:
        super().__init__(**options)
        self._shares = shares
        self._is_known = False
        self.conn = BoundedParser(h11.SERVER, HEADER_BYTES)
        self._bounds = bounds
        # The application refuses a slow body, with a response, before this limit is reached.
        self._seconds: dict[Any, float] = {
            h11.IDLE: bounds.head,
            h11.SEND_BODY: bounds.body + 5.0,
            h11.MUST_CLOSE: bounds.linger,
        }
        self._asking: asyncio.TimerHandle | None = None
        self._asked: object = None
        self._reading: asyncio.TimerHandle | None = None
        self._over = False
        self._dropped = 0

    @property
    def gives_way(self) -> bool:
        """See `Connection`."""
        self._note_caller()
        is_idle = self.cycle is None or self.cycle.response_complete or self.conn.is_unread
        return is_idle and not self._is_known and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`. If there are too many connections, closes another connection or this one."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` is called for any unread byte
        if leaving := self._shares.enter(self, self._address, len(self.connections)):
            leaving.give_way()
        elif len(self.connections) > self._bounds.connections:
            transport.write(FULL)
            transport.close()
            return
        self._expect(h11.IDLE)

    def give_way(self) -> None:
        """See `Connection`."""
        self.transport.abort()
        self.connections.discard(self)  # the transport calls `connection_lost` later
        self._shares.leave(self, self._address)

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._shares.leave(self, self._address)
        self._expect(None)
        self._stop_reading_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`. Drops data after a response to a partial request."""
        if self._over:  # do not parse the data: nobody will read it
            self._dropped += len(data)
            if self._dropped > MAX_DROPPED:
                self.transport.abort()
            return
        super().data_received(data)
        self._expect(self.conn.their_state)

    def send_400_response(self, msg: str) -> None:
        """See `H11Protocol`."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(self.conn.refusal or msg)
        else:
            self.transport.abort()  # a response has already begun, so no other can be sent

    def on_response_complete(self) -> None:
        """See `H11Protocol`."""
        super().on_response_complete()
        self._note_caller()
        if self.conn.is_unread and not self.transport.is_closing():
            self._end_unread()
            return
        state = self.conn.their_state
        self._expect(None if state is h11.IDLE else state)  # between requests, uvicorn's own timer is running

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _note_caller(self) -> None:
        """Mark the connection as known if a request on it was authenticated."""
        if not self._is_known and self.scope is not None:
            user: Any = self.scope.get("user")
            if getattr(user, "is_authenticated", False):
                self._is_known = True
                self._shares.leave(self, self._address)

    def _end_unread(self) -> None:
        """After a response to a partial request, close the sending side and drop all further data."""
        self._over = True
        self._unset_keepalive_if_required()
        self._expect(h11.MUST_CLOSE)
        try:
            self.transport.write_eof()
        except OSError:  # the client is already gone
            self.transport.abort()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`. Starts the time limit for reading."""
        super().pause_writing()
        self._stop_reading_timer()
        self._reading = self._after(self._bounds.reading, self._read_some, self._unread())

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self._stop_reading_timer()

    def _expect(self, state: Any) -> None:
        """Start the time limit for the client to send the data that ends `state`. If `state` has no limit, stop the
        timer."""
        if state is self._asked:
            return
        if self._asking is not None:
            self._asking.cancel()
        seconds = self._seconds.get(state)
        self._asked = state if seconds is not None else None
        self._asking = None if seconds is None else self._after(seconds, self.transport.abort)

    def _read_some(self, before: int) -> None:
        """Abort if the client has read nothing since the last check; otherwise check again."""
        left = self._unread()
        if left >= before:
            self.transport.abort()
        else:
            self._reading = self._after(self._bounds.reading, self._read_some, left)

    def _unread(self) -> int:
        return self.transport.get_write_buffer_size()

    def _stop_reading_timer(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _after(self, seconds: float, act: Any, *arguments: Any) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, act, *arguments)
