"""Standard input and output as the protocol: one JSON message a line, and no line that goes unanswered.

The SDK's own stdio transport leaves a line that it cannot read without an answer, keeps a line of any length in
memory, and waits for the client's next line before it can end. Here a thread reads, which nothing waits for.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import json
import os
import sys
import threading
from contextlib import suppress

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from server.messages import Unreadable, lines, message_of

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]


def take_over() -> tuple[int, int]:
    """The descriptors of the protocol. From here on, for the life of the process, whatever prints goes to stderr,
    and child processes read nothing: also what stands unflushed in a buffer until the interpreter ends."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # What stands unflushed in the old buffer must still find its way to stderr at the end.
    atexit.register(sys.stdout.flush)
    sys.stdout = sys.stderr
    return wire_in, wire_out


_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""Line ends to many a client's reader of lines. JSON has them within strings alone, where they may be escaped."""


class Wire:
    """Reads messages from one descriptor and writes them to another, a whole line at a time."""

    def __init__(self, wire_in: int, wire_out: int) -> None:
        self._in, self._out = wire_in, wire_out
        self._writing = anyio.Lock()
        self.answered = anyio.Event()
        """Set once something has been written."""

    async def read(self, incoming: Incoming) -> None:
        """Until the client closes its end. A line that is no message is answered here and goes no further."""
        ended = anyio.Event()
        loop = anyio.lowlevel.current_token()
        # A daemon, so that neither the loop nor the interpreter waits for the client's next line.
        threading.Thread(
            target=self._reading, args=(incoming, ended, loop), name="stdin", daemon=True
        ).start()
        async with incoming:
            await ended.wait()

    def _reading(self, incoming: Incoming, ended: anyio.Event, loop: anyio.lowlevel.EventLoopToken) -> None:
        # Suppressed: the server has ended, and with it the loop that would take the line.
        with suppress(RuntimeError, concurrent.futures.CancelledError, asyncio.CancelledError):
            with suppress(OSError):
                for line in lines(self._in):
                    anyio.from_thread.run(self._take, line, incoming, token=loop)
            anyio.from_thread.run_sync(ended.set, token=loop)

    async def write(self, outgoing: Outgoing) -> None:
        async with outgoing:
            async for item in outgoing:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._send(text.translate(_LINE_ENDS).encode())

    async def _take(self, line: bytes | None, incoming: Incoming) -> None:
        try:
            await incoming.send(SessionMessage(message_of(line)))
        except Unreadable as error:
            await self._send(json.dumps(error.answer).encode())
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            await anyio.lowlevel.checkpoint()

    async def _send(self, line: bytes) -> None:
        async with self._writing:
            with suppress(OSError):  # the client is gone; the end of its input ends the server
                # A client that no longer reads must not keep the server from ending.
                await anyio.to_thread.run_sync(_write_all, self._out, line + b"\n", abandon_on_cancel=True)
        self.answered.set()


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
