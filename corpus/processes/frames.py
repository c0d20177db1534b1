"""Frames between the server and its child processes: a JSON object and raw bytes, preceded by their lengths.

Neither side trusts a length: a frame over the limit is garbled, whoever wrote it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import IO, Any

from anyio.abc import ByteReceiveStream
from anyio.streams.buffered import BufferedByteReceiveStream

Head = dict[str, Any]
"""Untrusted JSON: the receiver checks every field."""

HEAD_BYTES = 8_000_000
"""A document's outline and warnings, the largest head, are bounded far below."""
DATA_BYTES = 2_000_000
"""A picture of a block has at most 1 MB."""
_LENGTHS = struct.Struct(">4sII")
_MARK = b"ibid"


class GarbledFrame(Exception):
    """The bytes are no frame."""


def frame(head: Mapping[str, object], data: bytes = b"") -> bytes:
    """Encode a frame. Lone surrogates in file names survive, because JSON escapes them. Raises GarbledFrame beyond
    the limits."""
    text = json.dumps(head).encode("ascii")
    if len(text) > HEAD_BYTES or len(data) > DATA_BYTES:
        raise GarbledFrame(f"a frame of {len(text)} and {len(data)} bytes is over the limit")
    return _LENGTHS.pack(_MARK, len(text), len(data)) + text + data


def lengths(start: bytes) -> tuple[int, int]:
    """Return how many bytes of JSON and of data follow. Raises GarbledFrame where no frame starts."""
    if len(start) != _LENGTHS.size:
        raise GarbledFrame("a frame is cut short")
    mark, head, data = _LENGTHS.unpack(start)
    if mark != _MARK or head > HEAD_BYTES or data > DATA_BYTES:
        raise GarbledFrame(f"no frame starts with {start!r}")
    return head, data


def head_of(text: bytes) -> Head:
    """Parse the JSON object. Raises GarbledFrame for anything else, and for one nested too deeply."""
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GarbledFrame("the head of a frame is no JSON") from error
    if not isinstance(head, dict):
        raise GarbledFrame("the head of a frame is no object")
    return head


class Frames:
    """Reads frames from a stream. A cancelled `receive` loses no byte: call it again."""

    def __init__(self, stream: ByteReceiveStream) -> None:
        self._stream = BufferedByteReceiveStream(stream)
        self._lengths: tuple[int, int] | None = None
        self._head: bytes | None = None

    async def receive(self) -> tuple[Head, bytes]:
        """Return the next frame. Raises GarbledFrame, or anyio's EndOfStream or IncompleteRead where the other side
        is gone."""
        if self._lengths is None:
            self._lengths = lengths(await self._stream.receive_exactly(_LENGTHS.size))
        if self._head is None:
            self._head = await self._stream.receive_exactly(self._lengths[0])
        data = await self._stream.receive_exactly(self._lengths[1])
        head, self._head, self._lengths = self._head, None, None
        return head_of(head), data


def read_frame(file: IO[bytes]) -> tuple[Head, bytes] | None:
    """Return the next frame of a blocking file, or None at its end. Raises GarbledFrame."""
    start = file.read(_LENGTHS.size)
    if not start:
        return None
    head, data = lengths(start)
    return head_of(file.read(head)), file.read(data)
