"""A copy of an index in one file: the database as of one moment, with a manifest. What is derived is made anew where
the copy is unpacked.

The file is a zip archive of `manifest.json` and `index.sqlite3`. It holds the text and pictures of every document, with
their access lists, so it is made for its owner alone.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import secrets
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import Field, TypeAdapter

from corpus.errors import InvalidRequest
from corpus.index.local import failures
from corpus.index.local.store import FILE, Store

MANIFEST = "manifest.json"
FORMAT = 1
PIECE = 1 << 20
LONGEST_MANIFEST = 64_000


UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError)
"""What reading a damaged archive raises."""

Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class Manifest:
    """`schema` is the version of the database's tables, `digest` the SHA-256 of the database in hexadecimal."""

    format: Annotated[int, Field(ge=1)]
    ibid: str
    made: str
    schema: Count
    documents: Count
    blocks: Count
    size: Count
    digest: str


_SHAPE = TypeAdapter(Manifest)


def export(folder: Path, target: Path, *, version: str, busy_seconds: float = 30.0) -> Manifest:
    """Write the index in `folder` to a new file; it may be in use. `version` is that of this program. Raises
    InvalidRequest where the file is there already, NotConfigured where there is no index, OSError, Timeout."""
    if target.exists():
        raise InvalidRequest(f"{target} is there already. Name a new file, or remove it.")
    copy, part = (
        target.with_name(f".{target.name}.{secrets.token_hex(4)}.{end}") for end in ("copy", "part")
    )
    try:
        with _private(copy):
            pass
        _copied(folder, copy, busy_seconds)
        manifest = _manifest(copy, version)
        with (
            _private(part) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        ):
            packed.writestr(MANIFEST, json.dumps(asdict(manifest), indent=2))
            packed.write(copy, FILE)
        os.replace(part, target)
    finally:
        for left in (copy, part):
            left.unlink(missing_ok=True)
    return manifest


def read_manifest(packed: zipfile.ZipFile) -> Manifest:
    """Raises InvalidRequest for an archive that is none of ours, or of a newer format."""
    try:
        info = packed.getinfo(MANIFEST)
        if info.file_size > LONGEST_MANIFEST:
            raise ValueError("too long")
        manifest = _SHAPE.validate_json(packed.read(info), strict=True)
        packed.getinfo(FILE)
    except (KeyError, ValueError, RecursionError, *UNREADABLE) as problem:
        raise InvalidRequest(
            f"{packed.filename} is no exported index. Make one with `ibid index export FILE`."
        ) from problem
    if manifest.format > FORMAT:
        raise InvalidRequest(
            f"{packed.filename} was made by a newer Ibid ({manifest.ibid}). Update this one, or export there again."
        )
    return manifest


def digest(file: BinaryIO) -> str:
    found = hashlib.sha256()
    while piece := file.read(PIECE):
        found.update(piece)
    return found.hexdigest()


def _copied(folder: Path, copy: Path, busy_seconds: float) -> None:
    """By SQLite's own backup, which sees one moment and lets writers go on."""
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    try:
        with store.reading() as (connection, _), closing(sqlite3.connect(copy)) as into:
            connection.backup(into)
            # Without it, who opens the copy for reading alone would need files beside it.
            into.execute("PRAGMA journal_mode = DELETE")
    finally:
        store.close()


def _manifest(copy: Path, version: str) -> Manifest:
    with failures.in_our_words(copy, 0), closing(sqlite3.connect(copy)) as connection:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        (documents,) = connection.execute("SELECT count(*) FROM documents").fetchone()
        (blocks,) = connection.execute("SELECT count(*) FROM blocks").fetchone()
    with copy.open("rb") as file:
        found = digest(file)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return Manifest(FORMAT, version, made, schema, documents, blocks, copy.stat().st_size, found)


@contextmanager
def _private(path: Path) -> Iterator[BinaryIO]:
    """A new file that only its owner opens."""
    with open(
        os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600), "w+b"
    ) as file:
        yield file
