"""Find the document that a person names by id, path or file name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpus.documents.document import Document
from corpus.errors import AmbiguousDocument, DocumentNotFound, InvalidRequest
from corpus.ingestion.paths import absolute


def find_document(name: str, known: Sequence[Document]) -> Document:
    """Return the document with this id, path or file name. Raise DocumentNotFound if there is none, and
    AmbiguousDocument if several documents have the name."""
    path = _path(name)
    matches = [document for document in known if name == document.doc_id] or [
        document for document in known if path == document.source_path
    ]
    matches = matches or [document for document in known if name.casefold() == document.filename.casefold()]
    if not matches:
        raise DocumentNotFound(f"There is no document {name!r} in this index. `ibid list` shows ids and file names.")
    if len(matches) > 1:
        options = tuple((document.doc_id, f"{document.doc_id} ({document.source_path})") for document in matches)
        raise AmbiguousDocument(f"{name!r} fits {len(matches)} documents. Specify one by its id:", options=options)
    return matches[0]


def failed_files(name: str, failures: Sequence[str]) -> list[str]:
    """Return the unreadable files with this path or file name."""
    return [path for path in failures if path == _path(name)] or [
        path for path in failures if Path(path).name.casefold() == name.casefold()
    ]


def _path(name: str) -> str | None:
    try:
        return str(absolute(Path(name)))
    except InvalidRequest:  # such as an unknown home folder
        return None
