"""Warnings about documents and links: files that changed since they were indexed, and signed links that expired."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from corpus.documents.block import Block
from corpus.documents.document import Document

Staleness = Literal["current", "changed", "gone", "closed"]

MAX_SENTENCES = 5
"""Maximum number of sentences per kind of warning. If there would be more, a single sentence states how many documents
are affected."""

_SENTENCES = {
    "changed": "changed since it was indexed; ingest it again to see the new text.",
    "gone": "is no longer where it was indexed from; its indexed text is shown.",
    "closed": "cannot be accessed where it was indexed from; its indexed text is shown.",
}
_COUNTED_SENTENCES = {
    "changed": "documents changed since they were indexed; ingest them again to see their new text.",
    "gone": "documents are no longer where they were indexed from; their indexed text is shown.",
    "closed": "documents cannot be accessed where they were indexed from; their indexed text is shown.",
}


def stale_warnings(documents: Iterable[Document]) -> tuple[str, ...]:
    """Return a warning for each document whose file changed or vanished since it was indexed; if there are many, return
    a single sentence."""
    distinct = {document.doc_id: document for document in documents if document.source_path}
    by_kind: dict[str, list[str]] = {kind: [] for kind in _SENTENCES}
    for document in distinct.values():
        kind = staleness(document)
        if kind != "current":
            by_kind[kind].append(document.filename)
    return tuple(sentence for kind, names in by_kind.items() for sentence in _sentences(kind, names))


def staleness(document: Document) -> Staleness:
    """Compare the stored size and modification time with those of the file, which is cheap. Only ingestion compares the
    content."""
    try:
        now = os.stat(document.source_path)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except (OSError, ValueError):
        return "closed"
    same = (now.st_size, now.st_mtime_ns) == (document.source_size, document.source_mtime_ns)
    return "current" if same else "changed"


def _sentences(kind: str, names: list[str]) -> list[str]:
    if len(names) <= MAX_SENTENCES:
        return [f"{name} {_SENTENCES[kind]}" for name in names]
    return [f"{len(names)} {_COUNTED_SENTENCES[kind]} Among them: {', '.join(names[:MAX_SENTENCES])}."]


def expired_warnings(blocks: Iterable[Block], now: datetime | None = None) -> tuple[str, ...]:
    """Return one warning if the signatures of any figure links have expired (the `se` parameter of a SAS URL)."""
    now = now or datetime.now(UTC)
    expired = [block.block_id for block in blocks if block.image_url and _has_expired(block.image_url, now)]
    if not expired:
        return ()
    subject = (
        f"block {expired[0]}" if len(expired) == 1 else f"{len(expired)} figures, the first of block {expired[0]},"
    )
    verb = "has" if len(expired) == 1 else "have"
    return (
        f"The link to the figure of {subject} {verb} expired, so it may not open. "
        "The owner of the index can renew the links.",
    )


def _has_expired(url: str, now: datetime) -> bool:
    try:
        signed = parse_qs(urlsplit(url).query)
        ends = datetime.fromisoformat(signed["se"][0]) if "sig" in signed else None
    except (ValueError, KeyError):  # not an address, not a SAS signature, or not a date
        return False
    if ends is None:
        return False
    return (ends if ends.tzinfo else ends.replace(tzinfo=UTC)) < now
