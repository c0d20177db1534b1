"""SHA-256 of an open file, within bounds: a file that somebody keeps writing to has no end."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import BinaryIO

from corpus.errors import UnreadableDocument

_STEP_BYTES = 8_000_000
_SLACK_BYTES = 64_000_000
"""What may be added while it is read."""


def digest_of(file: BinaryIO, go_on: Callable[[], object] = lambda: None) -> str:
    """In hexadecimal, of all of it from where it stands. `go_on` is called between two steps and may raise.

    UnreadableDocument for a file that grows all the time.
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
