"""Parse lines into protocol messages and write them: a line is a message, or an error that gets an answer."""

from __future__ import annotations

import json
import re

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from server.descriptors import MAX_LINE_BYTES, Line, LongLine

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
