"""Decide what to do with a file, from its document in the index and its current state."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from corpus.documents.document import Document, LinkedPicture
from corpus.errors import UnreadableDocument
from corpus.ingestion.paths import Roots, open_within
from corpus.readers.files import FileState, check_size, digest_of, file_state, reason_of
from corpus.readers.protocol import Limits

COARSE_SECONDS = 2.0
"""The coarsest file times: FAT stores 2 s. A file indexed so soon after its last change may have changed again
without a new time."""

MAX_BYTES = Limits().file_bytes
"""The readers' own limit."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`content_hash` is the SHA-256 in hexadecimal, empty where size (bytes) and time decide."""

    content_hash: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skip:
    """The file is as it was indexed."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The content is as it was indexed, but the time is new."""


@dataclass(frozen=True, slots=True)
class Move:
    """The file of this document is now here."""

    document: Document


@dataclass(frozen=True, slots=True)
class Read:
    """The content is new, or would be read differently now."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The file is not ingested, for this reason."""

    reason: str


Decision = Skip | Touch | Move | Read | Refuse


def decide(
    now: Fingerprint,
    before: Document | None,
    *,
    moved: Document | None = None,
    is_current: bool = True,
    refusal: str | None = None,
) -> Decision:
    """Decide what to do with a file.

    `before` is the document of its path, `moved` one of equal content whose file is gone. `is_current` tells whether
    reading the file again would give what the index has. `refusal` is why the content may not be ingested here.
    """
    if before is None and moved:
        return Move(moved)
    if before and is_current and now.content_hash == before.content_hash:
        same = (now.size, now.mtime_ns) == (before.source_size, before.source_mtime_ns)
        return Skip() if same else Touch()
    return Refuse(refusal) if refusal else Read()


def fingerprint(
    path: Path, roots: Roots = None, *, max_bytes: int = MAX_BYTES, go_on: Callable[[], object] = lambda: None
) -> Fingerprint:
    """Hash a file that lies within the roots and has at most `max_bytes`. Blocks.

    `go_on` is called between two steps and may raise. Raises UnreadableDocument.
    """
    try:
        with open_within(path, roots) as file:
            check_size(os.fstat(file.fileno()), max_bytes)
            digest = digest_of(file, go_on)
            state = os.fstat(file.fileno())
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {reason_of(error)}") from error
    return Fingerprint(digest, state.st_size, state.st_mtime_ns)


def state_within(path: Path, roots: Roots, *, max_bytes: int = MAX_BYTES) -> FileState:
    """Return a file's state without its content, checked as by `fingerprint`. Blocks. Raises UnreadableDocument."""
    with open_within(path, roots) as file:
        status = os.fstat(file.fileno())
        check_size(status, max_bytes)
        return file_state(status)


def looks_unchanged(path: Path, document: Document) -> bool:
    """Return whether the file has the size and time that were indexed. Blocks."""
    try:
        state = path.stat()
        indexed = datetime.fromisoformat(document.upload_date).timestamp()
    except (OSError, ValueError):
        return False
    same = (state.st_size, state.st_mtime_ns) == (document.source_size, document.source_mtime_ns)
    return same and state.st_mtime + COARSE_SECONDS < indexed


def pictures_look_unchanged(pictures: Sequence[LinkedPicture]) -> bool:
    """Return the same for the pictures that a document shows. Blocks."""
    try:
        states = [Path(picture.path).stat() for picture in pictures]
    except (OSError, ValueError):
        return False
    return [(state.st_size, state.st_mtime_ns) for state in states] == [
        (picture.size, picture.mtime_ns) for picture in pictures
    ]


def is_current(document: Document, reader_version: str, *, reads_pictures: bool) -> bool:
    """Return whether reading a document again would give the same, apart from pictures that await recognition. Its
    warnings about these depend on whether text recognition is on."""
    waiting = document.unread if reads_pictures else document.pending
    return document.reader_version == reader_version and not waiting
