"""Check an index (the database, its references, the vectors, the BM25 index), and rebuild its derived parts. This
module also copies the rows of a foreign database into a new database with our own tables.

A foreign database can contain its own triggers, views and tables, and values whose types differ from the declared
column types. No part of its schema is copied. Each value is checked, then written to a database that
`corpus.index.local.tables` created. Derived parts are not trusted either, so the path of the BM25 index is omitted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from corpus.access import is_holdable
from corpus.diagnostics import Finding
from corpus.errors import InvalidRequest, Timeout
from corpus.index.local import bm25, sqlite_file, tables
from corpus.index.local.bm25 import DamagedIndex, tantivy_errors
from corpus.index.local.bm25_index import BM25Index, SymlinkFolder, is_current
from corpus.index.local.sqlite_file import connect, make_private
from corpus.index.local.store import FILE, State, Store
from corpus.index.local.tables import has_lines
from corpus.index.local.vectors import vector_cache

ROWS_AT_ONCE = 1_000
MAX_GROWTH = 1.5
"""Maximum ratio of the size of the new file to that of the old one. The pages of the old file may be fuller."""
MIN_BYTES = 1 << 20

_TYPES: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "TEXT": (str,), "BLOB": (bytes,)}
_STRINGS = TypeAdapter(list[str])
_OUTLINE = TypeAdapter(list[tuple[str, int, int | None]])
_PICTURES = TypeAdapter(list[list[Any]])
_BOX = TypeAdapter(tuple[float, float, float, float])
_JSON: dict[str, TypeAdapter[Any]] = {
    "documents.warnings": _STRINGS, "documents.page_labels": _STRINGS, "documents.outline": _OUTLINE,
    "documents.pending": _STRINGS, "documents.unread": _STRINGS, "documents.withheld": _STRINGS,
    "documents.shown": _PICTURES, "blocks.bbox": _BOX,
}  # fmt: skip


def foreign_objects(connection: sqlite3.Connection) -> list[str]:
    """Return the triggers, views, tables and indexes that do not exist in an index created by Ibid, each in the form
    `trigger NAME`."""
    with closing(sqlite3.connect(":memory:")) as ours:
        for statement in tables.TABLES.split(";\n"):
            ours.execute(statement)
        known = {*_objects(ours), ("table", "languages")}  # older indexes have that table, but it is not used
    return [f"{kind} {name}" for kind, name in _objects(connection) if (kind, name) not in known]


def _objects(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the objects in a schema, except those that SQLite itself creates."""
    for kind, name in connection.execute("SELECT type, name FROM sqlite_master"):
        if not str(name).startswith(("sqlite_autoindex_", "sqlite_stat")) and name != "sqlite_sequence":
            yield str(kind), str(name)


def copy_index(source: Path, target: Path, *, prefixed: bool | None, busy_seconds: float) -> None:
    """Create a new index at `target` with the rows of the database at `source`, which is not changed.

    Raises InvalidRequest if the database is damaged or contains foreign objects or invalid values. Raises NotConfigured
    if it belongs to another program, has a newer format, or was created with a different value of `prefixed`.
    """
    make_private(target)
    try:
        with (
            closing(connect(source, busy_seconds, "mode=ro")) as old,
            closing(connect(target, busy_seconds, "mode=rw")) as new,
        ):
            tables.check_version(old, source)
            if strange := foreign_objects(old):
                raise _refused(f"it holds {', '.join(strange[:5])}")
            if old.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise _refused("it is damaged")
            tables.check_prefixes(old, source, prefixed)
            chosen = old.execute("SELECT prefixed FROM state").fetchone()[0]
            tables.create_tables(new, prefixed=bool(chosen))
            (page_size,) = new.execute("PRAGMA page_size").fetchone()
            new.execute(f"PRAGMA max_page_count = {int(source.stat().st_size * MAX_GROWTH + MIN_BYTES) // page_size}")
            new.execute("BEGIN IMMEDIATE")
            for table in _foreign_tables(new):
                _copy_table(old, new, table)
            new.execute("UPDATE state SET directory = NULL, prefixed = ?", (bool(chosen),))
            new.execute("COMMIT")
            new.execute("PRAGMA journal_mode = DELETE")  # keeps everything in a single file, which is then moved
    except sqlite3.IntegrityError as problem:
        raise _refused("its rows contradict each other") from problem
    except sqlite3.DatabaseError as problem:
        if "full" in str(problem):
            raise
        raise _refused("it cannot be read") from problem


def _refused(reason: str) -> InvalidRequest:
    return InvalidRequest(f"The archive does not contain a valid Ibid index: {reason[:300]}. Export again.")


def _foreign_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables in the order in which the schema creates them, so that referenced tables come first."""
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    return [str(name) for (name,) in rows]


def _copy_table(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> None:
    columns = [
        (str(name), _TYPES[kind], bool(required) and not key)
        for _, name, kind, required, _, key in new.execute(f"PRAGMA table_info({table})")
    ]
    present = {str(row[1]) for row in old.execute(f"PRAGMA table_info({table})")}
    if not present and table in tables.LATER_TABLES:
        return
    if missing := [name for name, _, required in columns if required and name not in present | tables.LATER_COLUMNS]:
        raise _refused(f"{table} lacks {', '.join(missing[:5])}")
    columns = [column for column in columns if column[0] in present]
    names = ", ".join(name for name, _, _ in columns)
    checks = [_check(f"{table}.{name}", types, required) for name, types, required in columns]
    if table in ("state", "gens"):  # create_tables wrote their first rows
        new.execute(f"DELETE FROM {table}")
    rows = old.execute(f"SELECT {names} FROM {table}")
    insert = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"
    while batch := rows.fetchmany(ROWS_AT_ONCE):
        new.executemany(insert, ([check(value) for check, value in zip(checks, row, strict=True)] for row in batch))
    for (number,) in old.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)):
        # Ids must never be reused, not even those of removed documents.
        if isinstance(number, int):
            new.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def _check(column: str, types: tuple[type, ...], required: bool) -> Callable[[object], object]:
    """Return a function that checks and converts a value of this column. The function raises InvalidRequest if the
    value is invalid."""
    if column == "documents.source_path":
        types = (str, bytes)  # bytes if a path is not valid Unicode
    if column.endswith(".access_control_list"):
        return _access_list
    shape = _JSON.get(column)

    def check(value: object) -> object:
        if value is None and not required:
            return None
        if not isinstance(value, types):
            raise _refused(f"a value of {column} is of another type")
        if shape is not None:
            try:
                shape.validate_json(str(value))
            except ValidationError as problem:
                raise _refused(f"a value of {column} has another form") from problem
        return value

    return check


def _access_list(value: object) -> str:
    """Parse and serialise the access list, so that SQLite and Python read the same names from it."""
    try:
        names = _STRINGS.validate_python(json.loads(value) if isinstance(value, str) else value, strict=True)
    except (ValueError, RecursionError) as problem:
        raise _refused("an access list has another form") from problem
    if not all(map(is_holdable, names)):
        raise _refused("an access list contains an invalid name")
    return json.dumps(names, ensure_ascii=False)


RESTORE = (
    "Import a copy that was exported before (`ibid index import FILE --replace`), or move the folder away and "
    "ingest again."
)
REBUILD = "Run `ibid index rebuild`."
AGAIN = "Run `ibid ingest` over its files again."
MAX_EXAMPLES = 5
"""Maximum number of problems of the same kind that are listed."""

_INCONSISTENCIES = (
    ("blocks of no document", "SELECT block_id FROM blocks WHERE doc NOT IN (SELECT id FROM documents)"),
    ("pictures of no block", "SELECT block FROM pictures WHERE block NOT IN (SELECT id FROM blocks)"),
    ("line boxes of no block", "SELECT block FROM lines WHERE block NOT IN (SELECT id FROM blocks)"),
    (
        "documents whose count of blocks is wrong",
        "SELECT doc_id FROM documents WHERE blocks <> (SELECT count(*) FROM blocks WHERE doc = documents.id)",
    ),
    (
        "documents without an access list",
        "SELECT doc_id FROM documents WHERE NOT json_valid(access_control_list) "
        "OR json_type(access_control_list) <> 'array'",
    ),
)


def check(folder: Path, busy_seconds: float = 30.0) -> list[Finding]:
    """Check each part of a snapshot of the index, and return one finding per part. Other processes are not blocked.
    Raises NotConfigured if there is no index, or Timeout."""
    with sqlite_file.in_our_words(folder / FILE, busy_seconds):
        store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    try:
        with store.reading() as (connection, state):
            findings = [_database(connection)]
            if findings[0].level == "ok":
                findings += [
                    _tables(connection),
                    _vectors(connection),
                    _words(folder, connection, state, links=store.read_only),
                ]
            return findings
    finally:
        store.close()


def _database(connection: sqlite3.Connection) -> Finding:
    problems = [text for (text,) in connection.execute(f"PRAGMA integrity_check({MAX_EXAMPLES})")]
    if problems != ["ok"]:
        return Finding("failed", "database", f"It is damaged: {'; '.join(problems)}", RESTORE)
    if strange := foreign_objects(connection):
        return Finding(
            "failed",
            "database",
            f"It contains objects that Ibid never creates: {', '.join(strange[:MAX_EXAMPLES])}",
            RESTORE,
        )
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return Finding("ok", "database", f"{pages * size / 1e6:,.1f} MB, intact")


def _tables(connection: sqlite3.Connection) -> Finding:
    problems = []
    for description, query in _INCONSISTENCIES:
        if "lines" in query and not has_lines(connection):
            continue
        names = [str(name) for (name,) in connection.execute(query)]
        if names:
            more = "" if len(names) <= MAX_EXAMPLES else f" and {len(names) - MAX_EXAMPLES} more"
            problems.append(f"{len(names)} {description} ({', '.join(names[:MAX_EXAMPLES])}{more})")
    if problems:
        return Finding("failed", "documents", "; ".join(problems), AGAIN)
    documents, blocks = (
        connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("documents", "blocks")
    )
    return Finding("ok", "documents", f"{documents:,} with {blocks:,} blocks, all consistent")


def _vectors(connection: sqlite3.Connection) -> Finding:
    """Check, for each embedder, that its vectors have the right size and that each block with a vector is in a pack. An
    index may contain vectors from several embedders."""
    totals, problems = [], []
    for embedder, name, dimensions in connection.execute("SELECT id, name, dimensions FROM embedders"):
        wrong_size, total = connection.execute(
            "SELECT coalesce(sum(length(f16) <> ?), 0), count(*) FROM vectors WHERE embedder = ?",
            (2 * dimensions, embedder),
        ).fetchone()
        (packed,) = connection.execute(
            "SELECT coalesce(sum(held), 0) FROM packs WHERE embedder = ?", (embedder,)
        ).fetchone()
        (ready,) = connection.execute(
            "SELECT count(*) FROM blocks JOIN vectors ON vectors.passage = blocks.passage WHERE embedder = ?",
            (embedder,),
        ).fetchone()
        totals.append(f"{total:,} of {name}")
        if wrong_size or packed != ready:
            problems.append(f"{name}: {wrong_size} of the wrong length, {packed:,} packed for {ready:,} blocks")
    if problems:
        return Finding("failed", "vectors", "; ".join(problems), AGAIN)
    return Finding("ok", "vectors", ", ".join(totals) or "none")


def _words(folder: Path, connection: sqlite3.Connection, state: State, *, links: bool) -> Finding:
    """Check the BM25 index. With `links`, open it through symbolic links, because tantivy can only open an index in a
    folder where it can create its lock files."""
    if not state.words:
        return Finding("ok", "words", "nothing to search yet")
    linked = None
    try:
        with tantivy_errors():
            if state.directory is None:
                raise DamagedIndex("there is none")
            linked = SymlinkFolder(folder / state.directory) if links else None
            words = bm25.view(bm25.open_index(linked.path if linked else folder / state.directory))
            entries = words.searcher.num_docs - 1  # minus the marker
    except DamagedIndex as problem:
        return Finding("failed", "words", f"The word index cannot be read: {str(problem)[:200]}", REBUILD)
    finally:
        if linked:
            linked.close()
    if not is_current(connection, state, words.marker):
        return Finding("warning", "words", "The word index lacks the latest changes", REBUILD)
    (blocks,) = connection.execute("SELECT count(*) FROM blocks").fetchone()
    if entries != blocks:
        return Finding("failed", "words", f"The word index holds {entries:,} of {blocks:,} blocks", REBUILD)
    return Finding("ok", "words", f"{entries:,} blocks")


def rebuild(folder: Path, busy_seconds: float = 30.0) -> None:
    """Rebuild the BM25 index from the database, and remove the mapped vector files, which the next search recreates.
    Meanwhile, searches use the old ones. Raises NotConfigured if there is no index or it is read-only, or Timeout if
    another process is writing the BM25 index."""
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    bm25 = BM25Index(folder, store, busy_seconds)
    try:
        if not bm25.rebuild():
            raise Timeout("Another process is writing the word index. Try again when it is done.")
        vector_cache.remove_files(folder)
    finally:
        bm25.close()
        store.close()
