"""The protocol over standard input and output, with one JSON message per line and an answer to every request."""

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
"""Characters that some clients treat as line ends. In JSON they occur only in strings, where they can be escaped."""

_ID = rb'(?P<id>-?\d{1,19}|"(?:[^"\\]|\\.){0,500}")'
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_ID_AT_END = re.compile(
    rb'[,{]\s{0,9}"id"\s{0,9}:\s{0,9}' + _ID + rb'\s{0,9}(?:,\s{0,9}"(?:jsonrpc|method)"\s{0,9}:\s{0,9}'
    rb'"[^"\\]{0,200}+"\s{0,9}){0,2}\}\s*+\Z'
)


class Unreadable(Exception):
    """A line that is not a message. `answer` is the JSON-RPC error for it."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
        self.answer = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}


def line_of(message: JSONRPCMessage) -> bytes:
    """Return the bytes of a message, without the line end."""
    return message.model_dump_json(by_alias=True, exclude_unset=True).translate(_LINE_ENDS).encode()


def message_of(line: Line) -> JSONRPCMessage:
    """Parse the message in a line. Raise Unreadable if it contains none."""
    if isinstance(line, LongLine):
        raise Unreadable(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES} bytes.", _id_in(line))
    try:
        return _answerable(jsonrpc_message_adapter.validate_json(line, by_name=False), line)
    except ValidationError:
        return _second_try(line)


def _answerable(message: JSONRPCMessage, line: bytes) -> JSONRPCMessage:
    """Return the message. Raise Unreadable for a request with an invalid id: the SDK would treat it as a notification,
    and the client would wait forever."""
    if isinstance(message, JSONRPCNotification) and "id" in from_json(line):
        raise Unreadable(INVALID_REQUEST, "The id of a request must be a string or an integer.")
    return message


def _id_in(line: LongLine) -> object:
    """Return the id of a request that is known only by its two ends. Return None for a response, because its id belongs
    to one of our requests."""
    depth, members = 0, list[bytes]()
    tokens = _TOKEN.findall(line.head)
    request_id: bytes | None = None
    for place, token in enumerate(tokens):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and tokens[place + 1 : place + 2] == [b":"] and tokens[place - 1] in (b"{", b","):
            members.append(token)
            # The first end may break off inside its last token.
            if token == b'"id"' and place + 3 < len(tokens) and re.fullmatch(_ID, tokens[place + 2]):
                request_id = tokens[place + 2]
    if b'"result"' in members or b'"error"' in members:
        return None
    if request_id is None and (at_end := _ID_AT_END.search(line.tail)):
        request_id = at_end["id"]
    try:
        return None if request_id is None else json.loads(request_id)
    except ValueError:
        return None


def _second_try(line: bytes) -> JSONRPCMessage:
    """Parse a line that the strict parser refuses, more leniently. A lone surrogate, for example, is replaced."""
    try:
        raw = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable(PARSE_ERROR, "The line is not JSON.") from None
    try:
        mended = json.dumps(raw, ensure_ascii=False).encode("utf-8", "replace")
        return _answerable(jsonrpc_message_adapter.validate_json(mended, by_name=False), mended)
    except (ValueError, RecursionError):
        known = raw.get("id") if isinstance(raw, dict) else None
        raise Unreadable(INVALID_REQUEST, "The line is JSON but not a JSON-RPC 2.0 message.", known) from None


Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]

SECONDS_FOR_SAME_ID = 5.0
"""Maximum number of seconds that a request waits for the SDK's answer to an earlier request with the same id."""
CHANGES = {
    "tools/list": "notifications/tools/list_changed",
    "prompts/list": "notifications/prompts/list_changed",
    "resources/templates/list": "notifications/resources/list_changed",
}


class _Replay:
    """A request that was answered before the SDK was loaded. It is kept until the SDK has answered it too."""

    def __init__(self, entry: QueuedLine, request: JSONRPCRequest) -> None:
        self.answer = entry.answer
        self.method = request.method
        self.notified = VERSION_KEY not in ((request.params or {}).get("_meta") or {})
        """Whether change notifications go to every client in the client's protocol revision. In later revisions, they
        go only to subscribers."""
        self.done = anyio.Event()


class StdioTransport:
    """A transport that reads messages from one descriptor and writes messages to another, one message per line."""

    def __init__(self, early: EarlyAnswers) -> None:
        self._early = early
        self._out = early.wire_out
        self._writing = anyio.Lock()
        self._replays: dict[RequestId, _Replay] = {}
        self.answered = anyio.Event()
        """Event that is set once the SDK has answered any request."""
        self.has_answers = False
        """Whether the SDK has answered, even if the answer is not written yet."""
        self.ended = anyio.Event()
        """Event that is set once the client has closed its end."""
        self.differs = False
        """Whether an answer of the SDK differed from the kept answer."""

    async def read(self, incoming: Incoming) -> None:
        """Read until the client closes its end. Lines that are not messages are answered with an error here."""
        loop = anyio.lowlevel.current_token()

        def feed(lines: Iterator[Line]) -> None:
            # These errors mean that the server and its event loop have ended.
            with suppress(RuntimeError, concurrent.futures.CancelledError, asyncio.CancelledError):
                with suppress(OSError):
                    for line in lines:
                        anyio.from_thread.run(self._take, QueuedLine(line), incoming, token=loop)
                anyio.from_thread.run_sync(self.ended.set, token=loop)

        async with incoming:
            # Close in a thread, because closing blocks while a client does not read its answers.
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
        """Return whether a message can be dropped, because it only cancels a request that was already answered. If an
        earlier request with the same id was answered, first wait for the SDK's answer to it."""
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            return (message.params or {}).get("requestId") in self._replays
        if isinstance(message, JSONRPCRequest) and message.id in self._replays:
            with anyio.move_on_after(SECONDS_FOR_SAME_ID):
                await self._replays[message.id].done.wait()
            self._replays.pop(message.id, None)
        return False

    async def _is_replayed(self, message: JSONRPCMessage, line: bytes) -> bool:
        """Return whether the client already has an answer to this request. If that answer was different, notify the
        client of the change."""
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
            with suppress(OSError):  # the client is gone; the end of its input stops the server
                # A client that no longer reads must not block the shutdown.
                await anyio.to_thread.run_sync(write_all, self._out, line + b"\n", abandon_on_cancel=True)
        self.answered.set()
