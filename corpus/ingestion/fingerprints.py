"""What tells one state of a file from the next."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from corpus.documents import Document
from corpus.errors import UnreadableDocument
from corpus.ingestion.opening import Roots, opened_within
from corpus.readers.digests import digest_of
from corpus.readers.files import check_size, reason_of
from corpus.readers.protocol import Limits

COARSE_SECONDS = 2.0
"""How coarsely some file systems keep times: a file that changed so shortly before it was indexed may have changed
once more within the same time."""

MOST_BYTES = Limits().file_bytes


@dataclass(frozen=True, slots=True)
class Fingerprint:
    content_hash: str
    size: int
    mtime_ns: int


def fingerprint(
    path: Path,
    roots: Roots = None,
    *,
    most_bytes: int = MOST_BYTES,
    go_on: Callable[[], object] = lambda: None,
) -> Fingerprint:
    """SHA-256 of the content with size and time, of a file that lies in the roots and has at most so many bytes.

    Raises UnreadableDocument. Blocks; call it on a thread. `go_on` is called from time to time and may raise.
    """
    try:
        with opened_within(path, roots) as file:
            check_size(os.fstat(file.fileno()), most_bytes)
            digest = digest_of(file, go_on)
            state = os.fstat(file.fileno())
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {reason_of(error)}") from error
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
