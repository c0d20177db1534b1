"""Export an index to a single file, and import it again.

The file is a zip archive of `manifest.json` and `index.sqlite3`, a snapshot of the database; the import rebuilds the
derived parts. The file contains the text, pictures and access lists of every document, so only its owner may read it.
An import checks the archive first, then copies its rows into a new database (`corpus.index.local.integrity`). It
replaces an existing index only if `replace` is true.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import secrets
import shutil
import sqlite3
import zipfile
import zlib
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import Field, TypeAdapter

from corpus.errors import InvalidRequest, Timeout
from corpus.index.local import sqlite_file
from corpus.index.local.bm25_index import BM25Index
from corpus.index.local.integrity import copy_index
from corpus.index.local.sqlite_file import make_private, new_private_file
from corpus.index.local.store import FILE, IMPORT_LOCK, STAGING, Store, clear
from corpus.index.local.vectors import vector_cache
from corpus.processes.locks import acquire

MANIFEST = "manifest.json"
FORMAT = 1
"""Version of the archive format."""
COMPANIONS = ("-wal", "-shm", "-journal")
CHUNK_BYTES = 1 << 20
MAX_MANIFEST_BYTES = 64_000
"""Maximum size of a manifest in bytes. A manifest is a few hundred bytes long; a much larger file is not ours."""

UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError)
"""Exceptions that may be raised when a damaged archive is read."""

Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of an archive. `schema` is the format version of the database's tables, and `digest` is the SHA-256
    of the database in hexadecimal."""

    format: Annotated[int, Field(ge=1)]
    ibid: str
    made: str
    schema: Count
    documents: Count
    blocks: Count
    size: Count
    digest: str


_MANIFEST = TypeAdapter(Manifest)


def export_index(folder: Path, target: Path, *, version: str, busy_seconds: float = 30.0) -> Manifest:
    """Write the index in `folder`, which may be in use, to a new file. `version` is this program's version. Raises
    InvalidRequest if the file exists, NotConfigured if there is no index, OSError, or Timeout."""
    if target.exists():
        raise InvalidRequest(f"{target} already exists. Name a new file, or remove it.")
    copy, part = (target.with_name(f".{target.name}.{secrets.token_hex(4)}.{end}") for end in ("copy", "part"))
    try:
        new_private_file(copy).close()
        _copy_database(folder, copy, busy_seconds)
        manifest = _manifest(copy, version)
        with (
            new_private_file(part) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        ):
            packed.writestr(MANIFEST, json.dumps(asdict(manifest), indent=2))
            packed.write(copy, FILE)
        os.replace(part, target)
    finally:
        for file_left in (copy, part):
            file_left.unlink(missing_ok=True)
    return manifest


def _read_manifest(packed: zipfile.ZipFile) -> Manifest:
    """Return the manifest. Raises InvalidRequest if the file is not an exported index or has a newer format."""
    try:
        info = packed.getinfo(MANIFEST)
        if info.file_size > MAX_MANIFEST_BYTES:
            raise ValueError("too long")
        manifest = _MANIFEST.validate_json(packed.read(info), strict=True)
        promised = packed.getinfo(FILE).file_size
    except (KeyError, ValueError, RecursionError, *UNREADABLE) as problem:
        raise InvalidRequest(
            f"{packed.filename} is not an exported index. Make one with `ibid index export FILE`."
        ) from problem
    if manifest.format > FORMAT:
        raise InvalidRequest(
            f"{packed.filename} was made by a newer Ibid ({manifest.ibid}). Update this one, or export there again."
        )
    if promised != manifest.size:
        raise InvalidRequest(f"{packed.filename} is damaged: its database does not match its manifest. Export again.")
    return manifest


def _digest(file: BinaryIO) -> str:
    sha256 = hashlib.sha256()
    while chunk := file.read(CHUNK_BYTES):
        sha256.update(chunk)
    return sha256.hexdigest()


def _copy_database(folder: Path, copy: Path, busy_seconds: float) -> None:
    """Copy a snapshot of the database with SQLite's backup API, which does not block writers."""
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    try:
        with store.reading() as (connection, _), closing(sqlite3.connect(copy)) as into:
            connection.backup(into)
            # In WAL mode, a reader of the copy would have to create files next to it.
            into.execute("PRAGMA journal_mode = DELETE")
    finally:
        store.close()


def _manifest(copy: Path, version: str) -> Manifest:
    with sqlite_file.in_our_words(copy, 0), closing(sqlite3.connect(copy)) as connection:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        (documents,) = connection.execute("SELECT count(*) FROM documents").fetchone()
        (blocks,) = connection.execute("SELECT count(*) FROM blocks").fetchone()
    with copy.open("rb") as file:
        sha256 = _digest(file)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return Manifest(FORMAT, version, made, schema, documents, blocks, copy.stat().st_size, sha256)


def import_index(
    folder: Path,
    archive: Path,
    *,
    replace: bool = False,
    prefixed: bool | None = None,
    busy_seconds: float = 30.0,
) -> tuple[Manifest, Path | None]:
    """Import an archive. Return the manifest, and the path of the previous index if there was one.

    If there is an index already, it is renamed if `replace` is true; otherwise the import is refused. Raises
    InvalidRequest, NotConfigured, OSError, or Timeout if the existing index is in use.
    """
    target = folder / FILE
    if target.exists() and not replace:
        raise InvalidRequest(
            f"{folder} already holds an index. Add --replace, which preserves it next to the new one, or point "
            "RAG_DATA_DIR at another folder."
        )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = acquire(folder / IMPORT_LOCK)
    if lock is None:
        raise Timeout("Another import into this folder is running. Try again when it has finished.")
    staging = folder / f"{STAGING}{secrets.token_hex(4)}"
    try:
        clear(folder)
        manifest = _unpack(archive, staging / "archived.sqlite3")
        with sqlite_file.in_our_words(target, busy_seconds):
            copy_index(staging / "archived.sqlite3", staging / FILE, prefixed=prefixed, busy_seconds=busy_seconds)
        before = _move_aside(target, busy_seconds) if target.exists() else None
        os.replace(staging / FILE, target)
    finally:
        clear(folder)
        lock.release()
    _rebuild_derived(folder, busy_seconds)
    return manifest, before


def _unpack(archive: Path, into: Path) -> Manifest:
    """Extract only the two expected members, and write no more bytes than the manifest declares. The declared size may
    exceed the free space, so check first that the file and its copy fit on the disk."""
    try:
        with zipfile.ZipFile(archive) as packed:
            manifest = _read_manifest(packed)
            make_private(into)
            if 2 * manifest.size > shutil.disk_usage(into.parent).free:
                raise sqlite_file.full()
            with packed.open(FILE) as source, into.open("r+b") as file:
                remaining = manifest.size
                while chunk := source.read(min(CHUNK_BYTES, remaining + 1)):
                    remaining -= len(chunk)
                    if remaining < 0:
                        break
                    file.write(chunk)
            with into.open("rb") as copy:
                whole = remaining == 0 and _digest(copy) == manifest.digest
    except UNREADABLE as problem:
        raise InvalidRequest(f"{archive} is damaged, or not an exported index. Export again.") from problem
    if not whole:
        raise InvalidRequest(f"{archive} is damaged: its database does not match its manifest. Export again.")
    return manifest


def _move_aside(target: Path, busy_seconds: float) -> Path:
    """Rename the current index, after making sure that it is not in use: SQLite leaves WAL mode only if no other
    process has the database open."""
    with closing(sqlite3.connect(target, timeout=min(busy_seconds, 2.0), isolation_level=None)) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.DatabaseError as problem:
            if "locked" in str(problem) or "busy" in str(problem):
                raise _in_use() from problem
            mode = "delete"  # the index is damaged, which may be the reason for the import
    if mode != "delete":
        raise _in_use()
    aside = target.with_name(f"index-before-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.sqlite3")
    os.replace(target, aside)
    for ending in COMPANIONS:
        target.with_name(target.name + ending).unlink(missing_ok=True)
    return aside


def _in_use() -> Timeout:
    return Timeout("The index is in use. Stop the servers and ingestions that use it, then import again.")


def _rebuild_derived(folder: Path, busy_seconds: float) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # lets readers continue while another process writes
    vector_cache.remove_files(folder)
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    bm25 = BM25Index(folder, store, busy_seconds)
    try:
        bm25.catch_up()
    finally:
        bm25.close()
        store.close()
