"""Lines to messages of the protocol: whatever arrives is a message, or an error that has an answer."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes; the SDK takes as much over HTTP."""


class Unreadable(Exception):
    """A line that is no message; `answer` is the JSON-RPC error for it."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        known = request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None
        self.answer = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": message}}


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
