"""Parse lines into protocol messages and write them: a line is a message, or an error that gets an answer."""

from __future__ import annotations

import json

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from server.descriptors import MAX_LINE_BYTES

_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""Line ends to many a client's reader of lines. JSON has them within strings alone, where they may be escaped."""


class Unreadable(Exception):
    """A line that is no message; `answer` is the JSON-RPC error for it."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
        self.answer = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}


def line_of(message: JSONRPCMessage) -> bytes:
    """The message as it is sent, without the end of the line."""
    return message.model_dump_json(by_alias=True, exclude_unset=True).translate(_LINE_ENDS).encode()


def message_of(line: bytes | None) -> JSONRPCMessage:
    """The message in a line. Raises Unreadable."""
    if line is None:
        raise Unreadable(INVALID_REQUEST, f"The message is longer than {MAX_LINE_BYTES} bytes.")
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
