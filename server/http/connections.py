"""A connection that costs little, whoever is at its other end: it must ask, finish asking and read, each in time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of connections: how many, and the seconds for the headers of a request, its body, and for reading an answer."""

    connections: int = 500
    head: float = 10.0
    body: float = 30.0
    reading: float = 30.0


class BoundedConnection(H11Protocol):
    """uvicorn's own waits for ever for a first byte, for the rest of a request, and for who does not read."""

    def __init__(self, *, bounds: Bounds, **given: Any) -> None:
        super().__init__(**given)
        self._bounds = bounds
        # The application refuses a slow body first, with an answer.
        self._seconds: dict[Any, float] = {h11.IDLE: bounds.head, h11.SEND_BODY: bounds.body + 5.0}
        self._asking: asyncio.TimerHandle | None = None
        self._asked: object = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that we hear of each byte that is not taken
        if len(self.connections) > self._bounds.connections:
            transport.write(FULL)
            transport.close()
            return
        self._expect(h11.IDLE)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        self._stop_reading_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect(self.conn.their_state)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        state = self.conn.their_state
        self._expect(None if state is h11.IDLE else state)  # between requests uvicorn's own timer runs

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_reading_timer()
        self._reading = self._after(self._bounds.reading, self._read_some, self._unread())

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_reading_timer()

    def _expect(self, state: Any) -> None:
        """The client has so long to leave that state, in which it must send."""
        if state is self._asked:
            return
        if self._asking is not None:
            self._asking.cancel()
        seconds = self._seconds.get(state)
        self._asked = state if seconds is not None else None
        self._asking = None if seconds is None else self._after(seconds, self.transport.abort)

    def _read_some(self, before: int) -> None:
        """A slow reader may go on; one that took nothing all that time has gone."""
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

    def _after(self, seconds: float, act: Any, *given: Any) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, act, *given)
