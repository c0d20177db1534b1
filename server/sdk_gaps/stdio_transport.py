"""The protocol over standard input and output: one JSON message a line, and an answer to every request."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import re
from collections.abc import Iterator
from contextlib import suppress

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from server.first_answers.early import EarlyAnswers, QueuedLine
from server.first_answers.requests import VERSION_KEY
from server.sdk_gaps.stdio_descriptors import MAX_LINE_BYTES, Line, LongLine, write_all

_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""Line ends to many a client's reader of lines. JSON has them within strings alone, where they may be escaped."""

_ID = rb'(?P<id>-?\d{1,19}|"(?:[^"\\]|\\.){0,500}")'
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_ID_AT_END = re.compile(
    rb'[,{]\s{0,9}"id"\s{0,9}:\s{0,9}' + _ID + rb'\s{0,9}(?:,\s{0,9}"(?:jsonrpc|method)"\s{0,9}:\s{0,9}'
    rb'"[^"\\]{0,200}+"\s{0,9}){0,2}\}\s*+\Z'
)


class Unreadable(Exception):
    """A line that is no message; `answer` is the JSON-RPC error for it."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
        self.answer = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}


def line_of(message: JSONRPCMessage) -> bytes:
    """The message as it is sent, without the end of the line."""
    return message.model_dump_json(by_alias=True, exclude_unset=True).translate(_LINE_ENDS).encode()


def message_of(line: Line) -> JSONRPCMessage:
    """The message in a line. Raises Unreadable."""
    if isinstance(line, LongLine):
        raise Unreadable(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES} bytes.", _id_in(line))
    try:
        return _answerable(jsonrpc_message_adapter.validate_json(line, by_name=False), line)
    except ValidationError:
        return _second_try(line)


def _answerable(message: JSONRPCMessage, line: bytes) -> JSONRPCMessage:
    """The message. Raises Unreadable for a request whose id is none: the SDK takes it for a notification, and the
    client would wait for ever."""
    if isinstance(message, JSONRPCNotification) and "id" in from_json(line):
        raise Unreadable(INVALID_REQUEST, "The id of a request is a text or a whole number.")
    return message


def _id_in(line: LongLine) -> object:
    """The id of a request of which only the two ends are known; None for an answer of the client to us, whose id counts
    our requests and not theirs."""
    depth, members = 0, list[bytes]()
    tokens = _TOKEN.findall(line.head)
    found: bytes | None = None
    for place, token in enumerate(tokens):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and tokens[place + 1 : place + 2] == [b":"] and tokens[place - 1] in (b"{", b","):
            members.append(token)
            # The last token of the head may be cut.
            if token == b'"id"' and place + 3 < len(tokens) and re.fullmatch(_ID, tokens[place + 2]):
                found = tokens[place + 2]
    if b'"result"' in members or b'"error"' in members:
        return None
    if found is None and (at_end := _ID_AT_END.search(line.tail)):
        found = at_end["id"]
    try:
        return None if found is None else json.loads(found)
    except ValueError:
        return None


def _second_try(line: bytes) -> JSONRPCMessage:
    """Python's parser takes what the strict one refuses, such as half a surrogate pair; it is replaced by a mark."""
    try:
        raw = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable(PARSE_ERROR, "The line is not JSON.") from None
    try:
        mended = json.dumps(raw, ensure_ascii=False).encode("utf-8", "replace")
        return _answerable(jsonrpc_message_adapter.validate_json(mended, by_name=False), mended)
    except (ValueError, RecursionError):
        known = raw.get("id") if isinstance(raw, dict) else None
        raise Unreadable(INVALID_REQUEST, "The line is JSON but no JSON-RPC 2.0 message.", known) from None


Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]

SECONDS_FOR_SAME_ID = 5.0
"""How long a request waits for the SDK's answer to an earlier one with the same id, which is not sent again."""
CHANGES = {
    "tools/list": "notifications/tools/list_changed",
    "prompts/list": "notifications/prompts/list_changed",
    "resources/templates/list": "notifications/resources/list_changed",
}


class _Replay:
    """A request that was answered before the SDK was there, until the SDK has answered it too."""

    def __init__(self, entry: QueuedLine, request: JSONRPCRequest) -> None:
        self.answer = entry.answer
        self.method = request.method
        self.notified = VERSION_KEY not in ((request.params or {}).get("_meta") or {})
        """Later revisions send notices to those alone who have subscribed."""
        self.done = anyio.Event()


class StdioTransport:
    """Reads messages from one descriptor and writes them to another, a whole line at a time."""

    def __init__(self, early: EarlyAnswers) -> None:
        self._early = early
        self._out = early.wire_out
        self._writing = anyio.Lock()
        self._replays: dict[RequestId, _Replay] = {}
        self.answered = anyio.Event()
        """Set once the SDK has answered something."""
        self.has_answers = False
        """Whether the SDK has an answer written or to be written."""
        self.ended = anyio.Event()
        """Set once the client has closed its end."""
        self.differs = False
        """Whether the SDK answered differently from what was kept."""

    async def read(self, incoming: Incoming) -> None:
        """Until the client closes its end. A line that is no message is answered here and goes no further."""
        loop = anyio.lowlevel.current_token()

        def feed(lines: Iterator[Line]) -> None:
            # Suppressed: the server has ended, and with it the loop that would take the line.
            with suppress(RuntimeError, concurrent.futures.CancelledError, asyncio.CancelledError):
                with suppress(OSError):
                    for line in lines:
                        anyio.from_thread.run(self._take, QueuedLine(line), incoming, token=loop)
                anyio.from_thread.run_sync(self.ended.set, token=loop)

        async with incoming:
            # In a thread: it waits where a client does not read the answers that are being written.
            for entry in await anyio.to_thread.run_sync(self._early.close, abandon_on_cancel=True):
                await self._take(entry, incoming)
            self._early.hand_on(feed)
            await self.ended.wait()

    async def write(self, outgoing: Outgoing) -> None:
        """Write messages to standard output until the stream ends."""
        async with outgoing:
            async for item in outgoing:
                self.has_answers = True
                line = line_of(item.message)
                if not await self._is_replayed(item.message, line):
                    await self._send(line)

    async def _take(self, entry: QueuedLine, incoming: Incoming) -> None:
        try:
            message = message_of(entry.line)
            if self._replays and await self._is_settled(message):
                return
            if entry.answer is not None and isinstance(message, JSONRPCRequest):
                self._replays[message.id] = _Replay(entry, message)
            await incoming.send(SessionMessage(message))
        except Unreadable as error:
            await self._send(json.dumps(error.answer).encode())
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            await anyio.lowlevel.checkpoint()

    async def _is_settled(self, message: JSONRPCMessage) -> bool:
        """Whether a message concerns an answered request alone. Waits for the answer of one with the same id."""
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            return (message.params or {}).get("requestId") in self._replays
        if isinstance(message, JSONRPCRequest) and message.id in self._replays:
            with anyio.move_on_after(SECONDS_FOR_SAME_ID):
                await self._replays[message.id].done.wait()
            self._replays.pop(message.id, None)
        return False

    async def _is_replayed(self, message: JSONRPCMessage, line: bytes) -> bool:
        """Whether the client has this answer already; if it has another one, it is notified."""
        known = isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None
        replay = self._replays.pop(message.id, None) if known else None  # type: ignore[union-attr, arg-type]
        if replay is None:
            return False
        replay.done.set()
        self.answered.set()
        if line != replay.answer:
            self.differs = True
            if replay.notified and replay.method in CHANGES:
                notice = JSONRPCNotification(jsonrpc="2.0", method=CHANGES[replay.method])
                await self._send(line_of(notice))
        return True

    async def _send(self, line: bytes) -> None:
        async with self._writing:
            with suppress(OSError):  # the client is gone; the end of its input ends the server
                # A client that no longer reads must not keep the server from ending.
                await anyio.to_thread.run_sync(write_all, self._out, line + b"\n", abandon_on_cancel=True)
        self.answered.set()
