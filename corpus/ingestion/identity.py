"""A document's id: given at the first sight of a path, kept through edits and moves."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Collection
from pathlib import Path

from corpus.documents import Document
from corpus.ingestion.places import is_there


def new_id(path: Path, taken: Collection[str]) -> str:
    """A readable id for a path: its name in plain letters and eight hexadecimal digits of its place."""
    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:48].strip("-") or "document"
    for attempt in range(len(taken) + 1):
        seed = os.fsencode(path) + b"\0" * attempt
        doc_id = f"{slug}-{hashlib.sha256(seed).hexdigest()[:8]}"
        if doc_id not in taken:
            return doc_id
    raise AssertionError("one of n + 1 ids is not among n")


def is_gone(document: Document) -> bool:
    """Whether the file is certainly no longer at its place; a link that leads nowhere is still there."""
    return bool(document.source_path) and not is_there(Path(document.source_path), follow_symlinks=False)
