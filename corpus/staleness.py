"""Whether the file behind a document is still the one that was indexed."""

from __future__ import annotations

import os
from collections.abc import Iterable

from corpus.documents import Document


def stale_warnings(documents: Iterable[Document]) -> tuple[str, ...]:
    """One sentence for each document whose file changed or vanished since it was indexed, each named once."""
    distinct = {document.doc_id: document for document in documents if document.source_path}
    return tuple(sentence for document in distinct.values() if (sentence := _stale(document)))


def _stale(document: Document) -> str | None:
    """By size and time of change, as a look that costs nothing; the content is compared at ingestion."""
    try:
        now = os.stat(document.source_path)
    except OSError:
        return f"{document.filename} is no longer where it was indexed from; its indexed text is shown."
    if (now.st_size, now.st_mtime_ns) == (document.source_size, document.source_mtime_ns):
        return None
    return f"{document.filename} changed since it was indexed; ingest it again to see the new text."
