"""From lines to messages: every input is a message, or an error with an answer."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification

from server.first_answers.early import EarlyAnswers
from server.sdk_gaps.stdio_descriptors import END_BYTES, MAX_LINE_BYTES, Line, LongLine, lines
from server.sdk_gaps.stdio_transport import StdioTransport, Unreadable, message_of


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"{{{", -32700, None),
        (b"", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"1" * 10_000, -32700, None),
        (b"[1, 2]", -32600, None),
        (b"null", -32600, None),
        (b'{"id": 7}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": "a", "method": 5}', -32600, "a"),
        (b'{"jsonrpc": "2.0", "id": {"x": 1}}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "tools/list"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": {"x": 1}, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": [], "method": "a\\ud800b"}', -32600, None),
        (LongLine(b"x", b"x"), -32600, None),
    ],
)
def test_a_line_that_is_not_a_message_gets_an_answer(line: Line, code: int, request_id: object) -> None:
    with pytest.raises(Unreadable) as caught:
        message_of(line)

    assert caught.value.answer["id"] == request_id
    assert caught.value.answer["error"]["code"] == code  # type: ignore[index]


def test_a_notification_is_a_message() -> None:
    message: Any = message_of(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    assert message.method == "notifications/initialized"


def test_a_lone_surrogate_is_replaced() -> None:
    message: Any = message_of(b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"query": "a\\ud800b"}}')

    assert message.params == {"query": "a?b"}


@given(st.binary(max_size=200))
def test_no_line_raises_an_unexpected_error(line: bytes) -> None:
    with suppress(Unreadable):
        message_of(line)


def test_lines_are_split_whatever_the_chunks_and_a_huge_one_is_skipped() -> None:
    end, start = os.pipe()

    def write() -> None:
        for piece in (b"on", b"e\ntwo\n", b"x" * (MAX_LINE_BYTES + 1), b"\n\r\n\nthree\nfo", b"ur"):
            rest = piece
            while rest:
                rest = rest[os.write(start, rest) :]
        os.close(start)

    writer = threading.Thread(target=write)
    writer.start()
    got = list(lines(end))
    writer.join(60)
    os.close(end)

    assert got == [b"one", b"two", LongLine(b"x" * END_BYTES, b"x" * END_BYTES), b"three", b"four"]


def of_long(*pieces: bytes) -> object:
    """Return the id in the answer to a line with this beginning and end."""
    line = pieces[0] + b"x" * END_BYTES + pieces[-1]
    with pytest.raises(Unreadable) as refused:
        message_of(LongLine(line[:END_BYTES], line[-END_BYTES:]))
    return refused.value.answer["id"]


LONG_LINES: dict[str, tuple[bytes, bytes, object]] = {
    "at the beginning": (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"a": "', b'"}}', 7),
    "at the end": (
        b'{"method": "tools/call", "params": {"a": "',
        b'"}, "jsonrpc": "2.0", "id": "seven"}',
        "seven",
    ),
    "before the method": (b'{"params": {"a": "', b'"}, "id": -7, "method": "x", "jsonrpc": "2.0"}  ', -7),
    "behind a short object": (b'{"x": {"id": 1}, "id": 7, "params": {"a": "', b'"}}', 7),
    "of an argument": (b'{"method": "x", "params": {"id": 7, "a": "', b'"}}', None),
    "of an argument at the end": (b'{"method": "x", "params": {"a": "', b'", "id": 7}}', None),
    "within a text": (b'{"method": "x", "params": {"a": "', b'\\", \\"id\\": 7}"}}', None),
    "of an answer to the server": (b'{"jsonrpc": "2.0", "id": 7, "result": {"a": "', b'"}}', None),
    "of an answer, at the end": (b'{"jsonrpc": "2.0", "result": {"a": "', b'"}, "id": 7}', None),
    "cut": (b'{"id": "' + b"y" * (END_BYTES - 8), b'"}', None),
    "none": (b"x", b"x", None),
    "a truth": (b'{"id": true, "method": "x", "params": {"a": "', b'"}}', None),
}


@pytest.mark.parametrize("where", LONG_LINES)
def test_a_request_that_is_too_long_is_refused_under_its_id(where: str) -> None:
    head, tail, known = LONG_LINES[where]
    assert of_long(head, tail) == known


@pytest.mark.anyio
async def test_a_message_contains_no_line_separator_of_any_reader() -> None:
    from_wire, to_client = os.pipe()
    outgoing, items = anyio.create_memory_object_stream[SessionMessage](1)
    said = JSONRPCNotification(jsonrpc="2.0", method="x", params={"text": "berth\u2028of\u2029the\x85boat"})
    async with outgoing:
        await outgoing.send(SessionMessage(said))
    await StdioTransport(EarlyAnswers(0, to_client)).write(items)
    os.close(to_client)
    with open(from_wire, encoding="utf-8", newline="") as file:
        line = file.read()
    assert len(line.splitlines()) == 1
    assert "berth\\u2028of\\u2029the\\u0085boat" in line
    assert json.loads(line)["params"]["text"] == "berth\u2028of\u2029the\x85boat"
