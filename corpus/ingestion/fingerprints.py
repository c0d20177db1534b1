"""What tells one state of a file from the next."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from corpus.documents import Document
from corpus.errors import UnreadableDocument

COARSE_SECONDS = 2.0
"""How coarsely some file systems keep times: a file that changed so shortly before it was indexed may have changed
once more within the same time."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    content_hash: str
    size: int
    mtime_ns: int


def fingerprint(path: Path) -> Fingerprint:
    """SHA-256 of the content with size and time. Raises UnreadableDocument. Blocks; call it on a thread."""
    try:
        if not path.is_file():  # opening a pipe or a device would wait for ever
            raise UnreadableDocument("not a regular file")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            state = os.fstat(file.fileno())
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {error.strerror or error}") from error
    return Fingerprint(digest, state.st_size, state.st_mtime_ns)


def changed_to(path: Path, document: Document, sizes: Collection[int]) -> Fingerprint | None:
    """What the file of a document holds now, if it looks changed and its size is among these. Blocks."""
    try:
        state = path.stat()
        indexed = (document.source_size, document.source_mtime_ns)
        if state.st_size not in sizes or (state.st_size, state.st_mtime_ns) == indexed:
            return None
        return fingerprint(path)
    except (OSError, UnreadableDocument):
        return None


def looks_unchanged(path: Path, document: Document) -> bool:
    """Whether size and time say that the file is the one that was indexed, without a look at its content. Blocks."""
    try:
        state = path.stat()
        indexed = datetime.fromisoformat(document.upload_date).timestamp()
    except (OSError, ValueError):
        return False
    same = (state.st_size, state.st_mtime_ns) == (document.source_size, document.source_mtime_ns)
    return same and state.st_mtime + COARSE_SECONDS < indexed
