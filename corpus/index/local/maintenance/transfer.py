"""Copy the rows of a foreign database into a new database with our tables.

A foreign database can contain its own triggers, views and tables, and values of other types than its columns declare.
Nothing of its schema is copied. Each value is checked and written into a database that `corpus.index.local.tables`
created. Derived parts are not trusted either, so the path of the word index is omitted.
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
from corpus.errors import InvalidRequest
from corpus.index.local import tables
from corpus.index.local.sqlite_file import connect, make_private

ROWS_AT_ONCE = 1_000
MAX_GROWTH = 1.5
"""Maximum ratio of the new file's size to the old one's. Pages of the old file may be fuller."""
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
    """Return triggers, views, tables and indexes that no index of ours has, each as `trigger NAME`."""
    with closing(sqlite3.connect(":memory:")) as ours:
        for statement in tables.TABLES.split(";\n"):
            ours.execute(statement)
        known = {*_objects(ours), ("table", "languages")}  # older indexes have that table; nothing reads it
    return [f"{kind} {name}" for kind, name in _objects(connection) if (kind, name) not in known]


def _objects(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the objects of a schema, except those that SQLite creates itself."""
    for kind, name in connection.execute("SELECT type, name FROM sqlite_master"):
        if not str(name).startswith(("sqlite_autoindex_", "sqlite_stat")) and name != "sqlite_sequence":
            yield str(kind), str(name)


def copy_index(source: Path, target: Path, *, prefixed: bool | None, busy_seconds: float) -> None:
    """Create a new index at `target` with the rows of the database at `source`, which is only read.

    Raises InvalidRequest for a database that is damaged or contains foreign objects or values. Raises NotConfigured for
    a database of another program or a newer format, or with the other choice of `prefixed`.
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
            for table in _tables(new):
                _copy_table(old, new, table)
            new.execute("UPDATE state SET directory = NULL, prefixed = ?", (bool(chosen),))
            new.execute("COMMIT")
            new.execute("PRAGMA journal_mode = DELETE")  # keeps everything in the one file that is moved
    except sqlite3.IntegrityError as problem:
        raise _refused("its rows contradict each other") from problem
    except sqlite3.DatabaseError as problem:
        if "full" in str(problem):
            raise
        raise _refused("it cannot be read") from problem


def _refused(reason: str) -> InvalidRequest:
    return InvalidRequest(f"The archive does not contain a valid Ibid index: {reason[:300]}. Export again.")


def _tables(connection: sqlite3.Connection) -> list[str]:
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
        # Ids are never reused, including those of removed documents.
        if isinstance(number, int):
            new.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            new.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def _check(column: str, types: tuple[type, ...], required: bool) -> Callable[[object], object]:
    """Return a function that converts a value of the column. It raises InvalidRequest for an invalid value."""
    if column == "documents.source_path":
        types = (str, bytes)  # bytes where a path is not valid Unicode
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
    """Return the access list serialised again, so that SQLite reads the same names in it as Python."""
    try:
        names = _STRINGS.validate_python(json.loads(value) if isinstance(value, str) else value, strict=True)
    except (ValueError, RecursionError) as problem:
        raise _refused("an access list has another form") from problem
    if not all(map(is_holdable, names)):
        raise _refused("an access list contains an invalid name")
    return json.dumps(names, ensure_ascii=False)
