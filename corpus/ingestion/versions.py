"""Which documents were read as they would be read now, by the version of the reader that each is kept with."""

from __future__ import annotations

from corpus.readers.promise import ReadDocument

_UNREAD_PICTURES = "+noocr"


def version_read(reader_version: str, read: ReadDocument) -> str:
    """The version to keep with a document; one that holds unread pictures is marked."""
    return reader_version + _UNREAD_PICTURES if read.has_unread_pictures else reader_version


def current_versions(reader_version: str, *, reads_pictures: bool) -> frozenset[str]:
    """Versions of documents that need not be read again; marked ones are not among them once pictures are read."""
    marked = reader_version + _UNREAD_PICTURES
    return frozenset((reader_version,) if reads_pictures else (reader_version, marked))
