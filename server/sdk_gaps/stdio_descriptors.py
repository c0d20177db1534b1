"""Take over standard input and output for the protocol: read lines, write complete messages.

This file imports almost nothing, because it is loaded before the first answers are sent.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Maximum size of a line, in bytes. The SDK has the same limit over HTTP."""
END_BYTES = 4_096
"""Number of bytes to keep from each end of a longer line, in order to find its id."""


class LongLine:
    """The two ends of a line longer than MAX_LINE_BYTES. This is a plain class, because `typing` is loaded only after
    the first answers."""

    __slots__ = ("head", "tail")

    def __init__(self, head: bytes, tail: bytes) -> None:
        self.head, self.tail = head, tail

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LongLine) and (self.head, self.tail) == (other.head, other.tail)

    __hash__ = None  # type: ignore[assignment]


Line = bytes | LongLine


def take_over() -> tuple[int, int]:
    """Return private descriptors for the protocol. From then on, prints go to stderr, including text that is still
    buffered, and child processes get no input."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Flush the old buffer to stderr at exit.
    atexit.register(sys.stdout.flush)
    sys.stdout = sys.stderr
    return wire_in, wire_out


def lines(descriptor: int) -> Iterator[Line]:
    """Yield the non-empty lines. For a line longer than MAX_LINE_BYTES, yield only its two ends."""
    return (line for line in _split(descriptor) if isinstance(line, LongLine) or line.strip())


def _split(descriptor: int) -> Iterator[Line]:
    kept, head = bytearray(), b""  # `head` is set once the line is too long; `kept` is then its last part
    while data := os.read(descriptor, 65536):
        *whole, rest = data.split(b"\n")
        for part in whole:
            kept += part
            yield _line(kept, head)
            kept, head = bytearray(), b""
        kept += rest
        if len(kept) > MAX_LINE_BYTES or head:
            head = head or bytes(kept[:END_BYTES])
            kept = kept[-END_BYTES:]
    if kept or head:
        yield _line(kept, head)


def _line(kept: bytearray, head: bytes) -> Line:
    if head or len(kept) > MAX_LINE_BYTES:
        return LongLine(head or bytes(kept[:END_BYTES]), bytes(kept[-END_BYTES:]))
    return bytes(kept)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes. This blocks while the pipe is full."""
    while data:
        data = data[os.write(descriptor, data) :]
