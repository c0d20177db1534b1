"""A server that breaks the rules of HTTP: a test function handles each connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

Act = Callable[["Visit"], Awaitable[None]]

DRIP = 0.02
"""Seconds between two bytes of an answer that never ends."""


class Visit:
    """A request whose headers and body were read."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def read_request(self) -> None:
        head = await self.reader.readuntil(b"\r\n\r\n")
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                await self.reader.readexactly(int(line.split(b":")[1]))

    async def left(self) -> None:
        """Wait until the client closes the connection."""
        await self.reader.read()


class RudeService:
    """An async context manager on 127.0.0.1. A request sets `asked`, and a client that closes its connection sets
    `left`."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self.requests = 0
        self.asked, self.left = asyncio.Event(), asyncio.Event()
        self._visits: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._visited, "127.0.0.1", 0)
        self.endpoint = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await self._server.wait_closed()

    async def _visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._visits.add(task)
        try:
            visit = Visit(reader, writer)
            await visit.read_request()
            self.requests += 1
            self.asked.set()
            await self.act(visit)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.left.set()
            self._visits.discard(task)
            writer.close()


async def silent(visit: Visit) -> None:
    """Accept the request and do not answer."""
    await visit.left()


async def dripping(visit: Visit) -> None:
    """Send an answer slowly and without end."""
    visit.writer.write(_head(200, b"application/json", 10_000_000))
    while not visit.reader.at_eof():
        visit.writer.write(b" ")
        await visit.writer.drain()
        await asyncio.sleep(DRIP)


async def breaking_off(visit: Visit) -> None:
    """Close the connection in the middle of the body."""
    visit.writer.write(_head(200, b"application/json", 1000) + b'{"value": [')
    await visit.writer.drain()


async def no_http(visit: Visit) -> None:
    visit.writer.write(b"220 mail.example ESMTP ready\r\n")
    await visit.writer.drain()


def saying(body: bytes, kind: bytes = b"application/json", status: int = 200, more: bytes = b"") -> Act:
    """Answer every request with these bytes."""

    async def act(visit: Visit) -> None:
        visit.writer.write(_head(status, kind, len(body), more) + body)
        await visit.writer.drain()

    return act


def _head(status: int, kind: bytes, length: int, more: bytes = b"") -> bytes:
    lines = [b"HTTP/1.1 %d Told" % status, b"Content-Type: " + kind, b"Content-Length: %d" % length]
    return b"\r\n".join([*lines, b"Connection: close", *([more] if more else []), b"", b""])
