"""SHA-256 of an open file, bounded: a file that somebody keeps writing to has no end."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import BinaryIO

from corpus.errors import UnreadableDocument

_STEP_BYTES = 8_000_000
"""Bytes between two calls of `go_on`: some hundredths of a second."""
_SLACK_BYTES = 64_000_000
"""How much may be appended while the file is read."""


def digest_of(file: BinaryIO, go_on: Callable[[], object] = lambda: None) -> str:
    """Return the digest in hexadecimal, from the current position. `go_on` is called between two steps and may
    raise.

    Raises UnreadableDocument for a file that keeps growing.
    """
    digest = hashlib.sha256()
    left = os.fstat(file.fileno()).st_size + _SLACK_BYTES
    while data := file.read(_STEP_BYTES):
        digest.update(data)
        left -= len(data)
        if left < 0:
            raise UnreadableDocument("it grows while it is read; ingest it again when it stands still")
        go_on()
    return digest.hexdigest()
