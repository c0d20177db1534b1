"""The tables of the local index: create them, check the version of a database, and upgrade older databases."""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path

from corpus.errors import NotConfigured

APPLICATION = 0x49424944
"""Application id in the file header (`IBID`), which distinguishes our databases from those of other programs."""

VERSION = 3
"""Format version of the tables. Version 2 added line boxes, and version 3 added columns about how a document was
read."""

TABLES = """
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    prefixed INTEGER NOT NULL,
    gen INTEGER NOT NULL,       -- counts committed changes
    nonce TEXT NOT NULL,        -- of that generation
    words INTEGER NOT NULL,     -- the last generation that changed searchable text
    directory TEXT              -- directory of the BM25 index
);
-- A restored older database counts the same generations again, with other nonces.
CREATE TABLE gens (gen INTEGER PRIMARY KEY, nonce TEXT NOT NULL);
CREATE TABLE changes (doc INTEGER PRIMARY KEY, gen INTEGER NOT NULL, words INTEGER NOT NULL);
CREATE INDEX changes_gen ON changes (gen);
CREATE INDEX changes_words ON changes (words);

-- Ids are never reused, because an old hit must not point at new text.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    doc_id TEXT NOT NULL UNIQUE,
    filename TEXT NOT NULL, title TEXT NOT NULL, document_type TEXT NOT NULL,
    upload_date TEXT NOT NULL, document_date TEXT, author TEXT, department TEXT, page_count INTEGER,
    summary_brief TEXT NOT NULL, summary_standard TEXT NOT NULL, language TEXT,
    access_control_list TEXT NOT NULL,
    source_path TEXT NOT NULL, source_size INTEGER NOT NULL, source_mtime_ns INTEGER NOT NULL,
    content_hash TEXT NOT NULL, reader_version TEXT NOT NULL,
    warnings TEXT NOT NULL, outline TEXT NOT NULL, page_labels TEXT NOT NULL,
    pending TEXT NOT NULL DEFAULT '[]', unread TEXT NOT NULL DEFAULT '[]', shown TEXT NOT NULL DEFAULT '[]',
    withheld TEXT NOT NULL DEFAULT '[]',
    -- SQLite folds the case of ASCII only, so text that is compared case-insensitively is stored folded.
    filename_key TEXT NOT NULL, title_key TEXT NOT NULL, type_key TEXT NOT NULL, described TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0, blocks INTEGER NOT NULL DEFAULT 0, images INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX documents_access ON documents (access_control_list);
-- Content that was refused at a path that more people may read than the document with this content.
CREATE TABLE restricted (content_hash TEXT PRIMARY KEY, access_control_list TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE blocks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    doc INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    passage BLOB,               -- digest of the embedded text, or NULL without text
    block_id TEXT NOT NULL UNIQUE,
    block_type TEXT NOT NULL, content TEXT NOT NULL, image_url TEXT, image_caption TEXT,
    page_number INTEGER, page_label TEXT, chunk_number INTEGER NOT NULL, heading TEXT, bbox TEXT,
    start_line INTEGER, end_line INTEGER, char_start INTEGER, char_end INTEGER, language TEXT
);
CREATE UNIQUE INDEX blocks_place ON blocks (doc, position);
CREATE INDEX blocks_passage ON blocks (passage);
CREATE INDEX blocks_language ON blocks (doc, language);
CREATE TABLE pictures (
    block INTEGER PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
    mime_type TEXT NOT NULL, data BLOB NOT NULL
);
CREATE TABLE lines (
    block INTEGER PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
    places BLOB NOT NULL        -- twelve bytes per line, as corpus.documents.line_boxes packs them
);

CREATE TABLE embedders (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
-- By passage, not by block: a passage that is read again unchanged, or that is in two files, is embedded once.
CREATE TABLE vectors (embedder INTEGER NOT NULL, passage BLOB NOT NULL, f16 BLOB NOT NULL);
CREATE UNIQUE INDEX vectors_passage ON vectors (passage, embedder);
-- The same vectors as int8, a few hundred blocks per row, in their memory layout. Two thousand rows load faster
-- than a hundred thousand.
CREATE TABLE packs (
    id INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL, doc INTEGER NOT NULL, part INTEGER NOT NULL, held INTEGER NOT NULL,
    blocks BLOB NOT NULL, pages BLOB NOT NULL, kinds BLOB NOT NULL, scales BLOB NOT NULL, codes BLOB NOT NULL
);
CREATE UNIQUE INDEX packs_place ON packs (embedder, doc, part);
CREATE INDEX packs_held ON packs (embedder, doc, held);
"""


BLOCKS_LANGUAGE = "CREATE INDEX IF NOT EXISTS blocks_language ON blocks (doc, language)"
"""SQL index that was added later, without a new format version, because databases without it are only slower to
read."""
LATER_TABLES = frozenset(("lines", "restricted"))
LATER_COLUMNS = frozenset(("pending", "unread", "shown", "withheld"))
"""Columns that do not exist in older formats; see `bring_up`."""


def new_nonce() -> str:
    """Return a random string that distinguishes generations with the same number."""
    return secrets.token_hex(8)


def create_tables(connection: sqlite3.Connection, *, prefixed: bool) -> None:
    """Create an empty index, unless another process has created one in the meantime."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if not _header(connection, "application_id"):
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        nonce = new_nonce()
        connection.execute("INSERT INTO state VALUES (1, ?, 0, ?, 0, NULL)", (prefixed, nonce))
        connection.execute("INSERT INTO gens VALUES (0, ?)", (nonce,))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether the database has no tables yet."""
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def check_version(connection: sqlite3.Connection, file: Path) -> None:
    """Raise NotConfigured if the database belongs to another program, or has a version that this program does not
    know."""
    if _header(connection, "application_id") != APPLICATION:
        raise NotConfigured(
            f"{file} is a database of another program. Point RAG_DATA_DIR at another folder, or move the file away."
        )
    version = _header(connection, "user_version")
    if version > VERSION:
        raise NotConfigured(
            f"The index in {file.parent} was made by a newer Ibid (format {version}, this one knows {VERSION}). "
            "Update Ibid, or point RAG_DATA_DIR at another folder and ingest again."
        )


def bring_up(connection: sqlite3.Connection) -> None:
    """Add the tables and columns that are missing in an older format. The next ingestion reads the documents again and
    fills them."""
    if _header(connection, "user_version") >= VERSION:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'blocks_language'").fetchone():
            connection.execute(BLOCKS_LANGUAGE)
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(BLOCKS_LANGUAGE)
    if _header(connection, "user_version") < 2:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS lines (block INTEGER PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE, "
            "places BLOB NOT NULL)"
        )
    if _header(connection, "user_version") < 3:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(documents)")}
        for column in sorted(LATER_COLUMNS - columns):
            connection.execute(f"ALTER TABLE documents ADD COLUMN {column} TEXT NOT NULL DEFAULT '[]'")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS restricted "
            "(content_hash TEXT PRIMARY KEY, access_control_list TEXT NOT NULL) WITHOUT ROWID"
        )
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def has_lines(connection: sqlite3.Connection) -> bool:
    """Return whether the index has a table for line boxes. An index in an older format has none if its folder is
    read-only."""
    return _header(connection, "user_version") >= 2


def has_reading_columns(connection: sqlite3.Connection) -> bool:
    """Return whether the documents table has the READING columns from documents_and_blocks. An index in an older format
    has none if its folder is read-only."""
    return _header(connection, "user_version") >= 3


def check_prefixes(connection: sqlite3.Connection, file: Path, setting: bool | None) -> None:
    """Raise NotConfigured if the index was created with a value that differs from the setting."""
    stored = bool(connection.execute("SELECT prefixed FROM state").fetchone()[0])
    if setting is not None and setting != stored:
        raise NotConfigured(
            f"The index in {file.parent} was made with RAG_PRINCIPAL_PREFIXES={_word(stored)}, but the setting is "
            f"{_word(setting)}. Set it to {_word(stored)} or leave it out, or point RAG_DATA_DIR at a new folder and "
            "ingest again."
        )


def _word(choice: bool) -> str:
    return "true" if choice else "false"


def _header(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
