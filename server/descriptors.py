"""Take over standard input and output for the protocol: read lines, write whole messages.

Imports next to nothing: the first answers are written before anything else is loaded.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Bytes; the SDK takes as much over HTTP."""


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


def lines(descriptor: int) -> Iterator[bytes | None]:
    """Lines that hold something; None in place of one beyond MAX_LINE_BYTES, whose bytes are passed over."""
    return (line for line in _split(descriptor) if line is None or line.strip())


def _split(descriptor: int) -> Iterator[bytes | None]:
    kept, too_long = bytearray(), False
    while data := os.read(descriptor, 65536):
        *whole, rest = data.split(b"\n")
        for part in whole:
            yield None if too_long or len(kept) + len(part) > MAX_LINE_BYTES else bytes(kept + part)
            kept, too_long = bytearray(), False
        too_long = too_long or len(kept) + len(rest) > MAX_LINE_BYTES
        kept = bytearray() if too_long else kept + rest
    if kept or too_long:
        yield None if too_long else bytes(kept)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; blocks until the reader has taken them."""
    while data:
        data = data[os.write(descriptor, data) :]
