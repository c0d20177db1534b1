"""Find the document that a person names by id, path or file name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpus.documents.document import Document
from corpus.errors import AmbiguousDocument, DocumentNotFound, InvalidRequest
from corpus.ingestion.paths import absolute


def document_named(name: str, known: Sequence[Document]) -> Document:
    """Raises DocumentNotFound, and AmbiguousDocument for a file name that several have."""
    path = _path(name)
    matches = [one for one in known if name == one.doc_id] or [
        one for one in known if path == one.source_path
    ]
    matches = matches or [one for one in known if name.casefold() == one.filename.casefold()]
    if not matches:
        raise DocumentNotFound(f"No document {name!r} in this index. `ibid list` shows ids and file names.")
    if len(matches) > 1:
        options = tuple((one.doc_id, f"{one.doc_id} ({one.source_path})") for one in matches)
        raise AmbiguousDocument(
            f"{name!r} fits {len(matches)} documents. Name one by its id:", options=options
        )
    return matches[0]


def failed_files(name: str, failures: Sequence[str]) -> list[str]:
    """Paths of files that could not be read and that a person means: by path, or by file name."""
    return [path for path in failures if path == _path(name)] or [
        path for path in failures if Path(path).name.casefold() == name.casefold()
    ]


def _path(name: str) -> str | None:
    try:
        return str(absolute(Path(name)))
    except InvalidRequest:  # a name that looks like a home folder may still be that of a document
        return None
