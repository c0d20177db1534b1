"""An exported index, unpacked into a data folder: checked before it takes its place, never over another unasked."""

from __future__ import annotations

import os
import secrets
import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from corpus.errors import InvalidRequest, Timeout
from corpus.index.local import vector_cache
from corpus.index.local.bm25_index import BM25Index
from corpus.index.local.care.archive import PIECE, UNREADABLE, Manifest, digest, read_manifest
from corpus.index.local.connection import make_private
from corpus.index.local.store import FILE, Store

COMPANIONS = ("-wal", "-shm", "-journal")


def import_into(
    folder: Path,
    archive: Path,
    *,
    replace: bool = False,
    prefixed: bool | None = None,
    busy_seconds: float = 30.0,
) -> tuple[Manifest, Path | None]:
    """The manifest, and where the index lies that was there before. `replace` allows one to be there; it is moved aside
    and kept. Raises InvalidRequest, NotConfigured, OSError, and Timeout where the one before is in use."""
    place = folder / FILE
    if place.exists() and not replace:
        raise InvalidRequest(
            f"There is an index in {folder} already. Add --replace, which keeps it beside the new one, or point "
            "RAG_DATA_DIR at another folder."
        )
    fresh = folder / f".import-{secrets.token_hex(4)}"
    try:
        manifest = _unpacked(archive, fresh / FILE)
        _sound(fresh, prefixed, busy_seconds)
        before = _put_aside(place, busy_seconds) if place.exists() else None
        os.replace(fresh / FILE, place)
    finally:
        for left in fresh.glob("*"):
            left.unlink(missing_ok=True)
        if fresh.exists():
            fresh.rmdir()
    _derived(folder, busy_seconds)
    return manifest, before


def _unpacked(archive: Path, into: Path) -> Manifest:
    """Only the two names that an archive has are looked at, and no more is written than the manifest says."""
    try:
        with zipfile.ZipFile(archive) as packed:
            manifest = read_manifest(packed)
            make_private(into)
            with packed.open(FILE) as source, into.open("r+b") as target:
                left = manifest.size
                while left >= 0 and (piece := source.read(PIECE)):
                    left -= len(piece)
                    target.write(piece)
            with into.open("rb") as written:
                whole = left == 0 and digest(written) == manifest.digest
    except UNREADABLE as problem:
        raise InvalidRequest(f"{archive} is damaged, or no exported index. Export again.") from problem
    if not whole:
        raise InvalidRequest(
            f"{archive} is damaged: its database is not the one of its manifest. Export again."
        )
    return manifest


def _sound(fresh: Path, prefixed: bool | None, busy_seconds: float) -> None:
    """One of ours, of a format that this program knows, with no damage; an older one is brought up to date here."""
    store = Store(fresh, prefixed=prefixed, create=False, busy_seconds=busy_seconds)
    try:
        with store.reading() as (connection, _):
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise InvalidRequest("The exported database is damaged. Export again.")
    finally:
        store.close()
    with closing(sqlite3.connect(fresh / FILE)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")  # all of it in the one file that is moved


def _put_aside(place: Path, busy_seconds: float) -> Path:
    """The present index under another name. SQLite gives it up whole only where no process has it open."""
    with closing(sqlite3.connect(place, timeout=min(busy_seconds, 2.0), isolation_level=None)) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.DatabaseError as problem:
            if "locked" in str(problem) or "busy" in str(problem):
                raise _in_use() from problem
            mode = "delete"  # a damaged one is what an import is for
    if mode != "delete":
        raise _in_use()
    aside = place.with_name(f"index-before-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}.sqlite3")
    os.replace(place, aside)
    for ending in COMPANIONS:
        place.with_name(place.name + ending).unlink(missing_ok=True)
    return aside


def _in_use() -> Timeout:
    return Timeout("The index is in use. Stop the servers and ingestions that work on it, then import again.")


def _derived(folder: Path, busy_seconds: float) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer side by side
    vector_cache.remove_files(folder)
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    words = BM25Index(folder, store, busy_seconds)
    try:
        words.catch_up()
    finally:
        words.close()
        store.close()
