"""Take over standard input and output for the protocol: read lines, write whole messages.

Imports next to nothing: the first answers are written before anything else is loaded.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Bytes; the SDK takes as much over HTTP."""
END_BYTES = 4_096
"""Bytes that are kept of each end of a longer line, for the id in it."""


class LongLine(NamedTuple):
    """The two ends of a line beyond MAX_LINE_BYTES."""

    head: bytes
    tail: bytes


Line = bytes | LongLine


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


def lines(descriptor: int) -> Iterator[Line]:
    """Lines that hold something; of one beyond MAX_LINE_BYTES its two ends, and the bytes between are dropped."""
    return (line for line in _split(descriptor) if isinstance(line, LongLine) or line.strip())


def _split(descriptor: int) -> Iterator[Line]:
    kept, head = bytearray(), b""  # `head` is set once the line is too long; `kept` is then its end so far
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
    """Write every byte; blocks until the reader has taken them."""
    while data:
        data = data[os.write(descriptor, data) :]
