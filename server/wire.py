"""Standard input and output as the protocol: one JSON message a line, and no line that goes unanswered.

The SDK's own stdio transport leaves a line that it cannot read without an answer, keeps a line of any length in
memory, and waits for the client's next line before it can end. Here a thread reads, which nothing waits for.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes; the SDK takes as much over HTTP."""

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]


class Unreadable(Exception):
    """A line that is no message; `answer` is the JSON-RPC error for it."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
        self.answer = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}


def take_over() -> tuple[int, int]:
    """The descriptors of the protocol. From here on, for the life of the process, whatever prints goes to stderr,
    and child processes read nothing: also what stands unflushed in a buffer until the interpreter ends."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return wire_in, wire_out


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

        def run(function: Callable[..., Any], *args: Any) -> None:
            anyio.from_thread.run(function, *args, token=loop)

        def reading() -> None:
            try:
                for line in lines(self._in):
                    run(self._take, line, incoming)
                anyio.from_thread.run_sync(ended.set, token=loop)
            except (RuntimeError, anyio.get_cancelled_exc_class()):
                pass  # the event loop is gone, or the server has ended: nobody reads any more

        threading.Thread(target=reading, name="stdin", daemon=True).start()
        async with incoming:
            await ended.wait()

    async def write(self, outgoing: Outgoing) -> None:
        async with outgoing:
            async for item in outgoing:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._send(text.encode())

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


def lines(descriptor: int) -> Iterator[bytes | None]:
    """Lines that hold something; None in place of one beyond LONGEST_LINE, whose bytes are passed over."""
    return (line for line in _split(descriptor) if line is None or line.strip())


def _split(descriptor: int) -> Iterator[bytes | None]:
    kept, too_long = bytearray(), False
    while data := os.read(descriptor, 65536):
        *whole, rest = data.split(b"\n")
        for part in whole:
            yield None if too_long or len(kept) + len(part) > LONGEST_LINE else bytes(kept + part)
            kept, too_long = bytearray(), False
        too_long = too_long or len(kept) + len(rest) > LONGEST_LINE
        kept = bytearray() if too_long else kept + rest
    if kept or too_long:
        yield None if too_long else bytes(kept)


def message_of(line: bytes | None) -> JSONRPCMessage:
    """The message in a line. Raises Unreadable."""
    if line is None:
        raise Unreadable(INVALID_REQUEST, f"The message is longer than {LONGEST_LINE} bytes.")
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _second_try(line)


def _second_try(line: bytes) -> JSONRPCMessage:
    """Python's parser takes what the strict one refuses, such as half a surrogate pair; it is replaced by a mark."""
    try:
        raw = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable(PARSE_ERROR, "The line is not JSON.") from None
    try:
        mended = json.dumps(raw, ensure_ascii=False).encode("utf-8", "replace")
        return jsonrpc_message_adapter.validate_json(mended, by_name=False)
    except (ValueError, RecursionError):
        known = raw.get("id") if isinstance(raw, dict) else None
        raise Unreadable(INVALID_REQUEST, "The line is JSON but no JSON-RPC 2.0 message.", known) from None


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
