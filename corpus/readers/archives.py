"""ZIP archives of strangers: opened only when their number of entries and their unpacked size are bearable."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.files import file_start

_ENTRIES = 10_000
_UNPACKED = 500_000_000
_XML_PART = 150_000_000
_LARGE = 20_000_000
_RATIO = 250
_OLE = b"\xd0\xcf\x11\xe0"

BROKEN = (
    BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    KeyError,
    RuntimeError,
    UnicodeDecodeError,
)
"""What reading an entry of a damaged archive may raise."""


@contextmanager
def opened_archive(path: Path, kind: str, *, definitions: bool = False) -> Iterator[ZipFile]:
    """The archive for reading. UnreadableDocument when it is none, damaged, locked or far too large inside.

    Without `definitions` a part with a document type definition is refused: office documents have none.
    """
    if file_start(path, 4) == _OLE:
        raise UnreadableDocument(f"encrypted, needs a password, or an old office document named as {kind}")
    try:
        archive = ZipFile(path)
    except BROKEN as error:
        raise UnreadableDocument(f"damaged: it cannot be read as {kind}") from error
    with archive:
        _check(archive)
        if not definitions:
            _refuse_definitions(archive)
        yield archive


def entry(archive: ZipFile, name: str, most_bytes: int = _XML_PART) -> bytes | None:
    """An entry unpacked, or None when it is missing, damaged or larger."""
    try:
        info = archive.getinfo(name)
        return archive.read(info) if info.file_size <= most_bytes else None
    except BROKEN:
        return None


def _check(archive: ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > _ENTRIES:
        raise UnreadableDocument(f"holds {len(entries)} entries, more than the {_ENTRIES} allowed")
    if any(each.flag_bits & 1 for each in entries):
        raise UnreadableDocument("encrypted, needs a password")
    for each in entries:
        packed_hard = each.file_size > _LARGE and each.file_size > _RATIO * max(1, each.compress_size)
        if packed_hard or (each.filename.endswith(".xml") and each.file_size > _XML_PART):
            raise UnreadableDocument(
                f"unpacks to {each.file_size // 1_000_000} MB in one part; it is refused"
            )
    total = sum(each.file_size for each in entries)
    if total > _UNPACKED:
        raise UnreadableDocument(
            f"unpacks to {total // 1_000_000} MB, more than the {_UNPACKED // 1_000_000} MB allowed"
        )


def _refuse_definitions(archive: ZipFile) -> None:
    for each in archive.infolist():
        if not each.filename.endswith((".xml", ".rels")):
            continue
        try:
            with archive.open(each) as part:
                start = part.read(4096)
        except BROKEN as error:
            raise UnreadableDocument("damaged: a part of it cannot be unpacked") from error
        if b"<!DOCTYPE" in start or b"<!ENTITY" in start:
            raise UnreadableDocument("defines XML entities, which no office document needs; they are refused")
