"""How each document was read, as it is kept with it: the reader's version, and the pictures beside it that it shows."""

from __future__ import annotations

import json

from corpus.readers.promise import ReadDocument

Shown = tuple[tuple[str, str, int, int], ...]
"""Path, SHA-256, size and time of each picture."""

_UNREAD_PICTURES = "+noocr"
_SHOWS = "+shows:"


def version_read(reader_version: str, read: ReadDocument, shown: Shown = ()) -> str:
    """The version to keep with a document; one that holds unread pictures is marked."""
    version = reader_version + _UNREAD_PICTURES if read.has_unread_pictures else reader_version
    return f"{version}{_SHOWS}{json.dumps(shown)}" if shown else version


def shown_by(version: str) -> Shown:
    _, mark, shown = version.partition(_SHOWS)
    return tuple((path, digest, size, time) for path, digest, size, time in json.loads(shown)) if mark else ()


def current_versions(reader_version: str, *, reads_pictures: bool) -> frozenset[str]:
    """Versions of documents that need not be read again; marked ones are not among them once pictures are read."""
    marked = reader_version + _UNREAD_PICTURES
    return frozenset((reader_version,) if reads_pictures else (reader_version, marked))


def is_current(version: str, current: frozenset[str]) -> bool:
    return version.partition(_SHOWS)[0] in current
