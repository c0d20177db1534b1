"""Check an index (the database, its references, the vectors, the BM25 index), and rebuild its derived parts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from corpus.diagnostics import Finding
from corpus.errors import Timeout
from corpus.index.local import bm25, sqlite_file
from corpus.index.local.bm25 import DamagedIndex, tantivy_errors
from corpus.index.local.bm25_index import BM25Index, SymlinkFolder, is_current
from corpus.index.local.maintenance.transfer import foreign_objects
from corpus.index.local.store import FILE, State, Store
from corpus.index.local.tables import has_lines
from corpus.index.local.vectors import vector_cache

RESTORE = (
    "Import a copy that was exported before (`ibid index import FILE --replace`), or move the folder away and "
    "ingest again."
)
REBUILD = "Run `ibid index rebuild`."
AGAIN = "Run `ibid ingest` over its files again."
MAX_EXAMPLES = 5
"""Maximum number of problems of one kind that are listed."""

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
    """Return one finding for each part, all from one snapshot of the database. Other processes can continue. Raises
    NotConfigured if there is no index, and Timeout."""
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
            f"It holds what Ibid never makes: {', '.join(strange[:MAX_EXAMPLES])}",
            RESTORE,
        )
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return Finding("ok", "database", f"{pages * size / 1e6:,.1f} MB, whole")


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
    return Finding("ok", "documents", f"{documents:,} with {blocks:,} blocks, all in place")


def _vectors(connection: sqlite3.Connection) -> Finding:
    """Check for each embedder the sizes of its vectors, and that each passage has one. An index may have vectors of
    several embedders."""
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
    """Check the BM25 index. With `links`, open links to its files, because tantivy needs a folder where it can create
    locks."""
    if not state.words:
        return Finding("ok", "words", "nothing to search yet")
    linked = None
    try:
        with tantivy_errors():
            if state.directory is None:
                raise DamagedIndex("there is none")
            linked = SymlinkFolder(folder / state.directory) if links else None
            words = bm25.view(bm25.open_index(linked.path if linked else folder / state.directory))
            entries = words.searcher.num_docs - 1  # except the marker
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
    """Rebuild the BM25 index and the mapped vectors from the database. Searches use the old ones meanwhile. Raises
    NotConfigured if there is no index or it is read-only, and Timeout if another process writes the BM25 index."""
    store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    bm25 = BM25Index(folder, store, busy_seconds)
    try:
        if not bm25.rebuild():
            raise Timeout("Another process is writing the word index. Try again when it has finished.")
        vector_cache.remove_files(folder)
    finally:
        bm25.close()
        store.close()
