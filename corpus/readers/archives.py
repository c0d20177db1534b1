"""Open untrusted ZIP archives, refusing too many entries and zip bombs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.pinned_file import file_start

_MAX_ENTRIES = 10_000
"""Maximum number of entries. Each entry takes memory when the directory is read; documents in the corpora have at most
75."""
_MAX_UNPACKED = 500_000_000
"""Maximum total size in bytes of all unpacked entries: a third of a reading process's memory limit."""
_MAX_XML_PART = 150_000_000
"""Maximum size in bytes of one XML part. A parsed tree takes several times the size of its source."""
_LARGE = 20_000_000
"""Size in bytes above which an entry's compression ratio is checked. Smaller entries are harmless at any ratio."""
_RATIO = 250
"""Maximum ratio of unpacked to packed bytes. Deflate can reach 1,032; the ratio of markup is far smaller."""
_OLE = b"\xd0\xcf\x11\xe0"

BROKEN = (
    BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, KeyError, RuntimeError,
    UnicodeDecodeError,
)  # fmt: skip
"""Exceptions that reading an entry of a damaged archive may raise."""


@contextmanager
def open_archive(path: Path, kind: str, *, definitions: bool = False) -> Iterator[ZipFile]:
    """Open an archive for reading. Raises UnreadableDocument if it is damaged, encrypted, not a ZIP archive, or too
    large when unpacked.

    Unless `definitions` is set, an archive is also refused if a part has a document type definition, because office
    documents contain none.
    """
    if file_start(path, 4) == _OLE:
        raise UnreadableDocument(f"encrypted, needs a password, or an old office document renamed to {kind}")
    try:
        archive = ZipFile(path)
    except BROKEN as error:
        raise UnreadableDocument(f"damaged: it cannot be read as {kind}") from error
    with archive:
        _check(archive)
        if not definitions:
            _refuse_definitions(archive)
        yield archive


def read_entry(archive: ZipFile, name: str, max_bytes: int = _MAX_XML_PART) -> bytes | None:
    """Return an entry's bytes, or None if it is missing, damaged or larger than `max_bytes`."""
    try:
        info = archive.getinfo(name)
        return archive.read(info) if info.file_size <= max_bytes else None
    except BROKEN:
        return None


def _check(archive: ZipFile) -> None:
    """Raise UnreadableDocument if the archive is encrypted or exceeds a limit."""
    entries = archive.infolist()
    if len(entries) > _MAX_ENTRIES:
        raise UnreadableDocument(f"contains {len(entries)} entries, more than the {_MAX_ENTRIES} allowed")
    if any(info.flag_bits & 1 for info in entries):
        raise UnreadableDocument("encrypted, needs a password")
    for info in entries:
        packed_hard = info.file_size > _LARGE and info.file_size > _RATIO * max(1, info.compress_size)
        if packed_hard or (info.filename.endswith(".xml") and info.file_size > _MAX_XML_PART):
            raise UnreadableDocument(f"unpacks to {info.file_size // 1_000_000} MB in one part, which is refused")
    total = sum(info.file_size for info in entries)
    if total > _MAX_UNPACKED:
        raise UnreadableDocument(
            f"unpacks to {total // 1_000_000} MB, more than the {_MAX_UNPACKED // 1_000_000} MB allowed"
        )


def _refuse_definitions(archive: ZipFile) -> None:
    """Raise UnreadableDocument if a part starts with a document type definition."""
    for info in archive.infolist():
        if not info.filename.endswith((".xml", ".rels")):
            continue
        try:
            with archive.open(info) as part:
                start = part.read(4096)
        except BROKEN as error:
            raise UnreadableDocument("damaged: a part of it cannot be unpacked") from error
        if b"<!DOCTYPE" in start or b"<!ENTITY" in start:
            raise UnreadableDocument("defines XML entities, which no office document needs; they are refused")
