"""Whether an index is whole: the database, what refers to what, the vectors, and the word index."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from corpus.findings import Finding
from corpus.index.local import failures, lexical
from corpus.index.local.bm25_sync import DamagedIndex, is_current, tantivy_errors
from corpus.index.local.changes import State
from corpus.index.local.schema import has_lines
from corpus.index.local.store import FILE, Store

RESTORE = (
    "Import a copy that was exported before (`ibid index import FILE --replace`), or move the folder away and "
    "ingest again."
)
REBUILD = "Run `ibid index rebuild`."
AGAIN = "Run `ibid ingest` over its files again."
MOST_NAMED = 5
"""Problems of one kind that are named."""

_LOOSE = (
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


def findings(folder: Path, busy_seconds: float = 30.0) -> list[Finding]:
    """One for each part, all of one view of the database; other processes go on. Raises NotConfigured where there is no
    index, and Timeout."""
    with failures.in_our_words(folder / FILE, busy_seconds):
        store = Store(folder, prefixed=None, create=False, busy_seconds=busy_seconds)
    try:
        with store.reading() as (connection, state):
            found = [_database(connection)]
            if found[0].level == "ok":
                found += [_tables(connection), _vectors(connection), _words(folder, connection, state)]
            return found
    finally:
        store.close()


def _database(connection: sqlite3.Connection) -> Finding:
    said = [text for (text,) in connection.execute(f"PRAGMA integrity_check({MOST_NAMED})")]
    if said != ["ok"]:
        return Finding("failed", "database", f"It is damaged: {'; '.join(said)}", RESTORE)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return Finding("ok", "database", f"{pages * size / 1e6:,.1f} MB, whole")


def _tables(connection: sqlite3.Connection) -> Finding:
    problems = []
    for what, query in _LOOSE:
        if "lines" in query and not has_lines(connection):
            continue
        names = [str(name) for (name,) in connection.execute(query)]
        if names:
            more = "" if len(names) <= MOST_NAMED else f" and {len(names) - MOST_NAMED} more"
            problems.append(f"{len(names)} {what} ({', '.join(names[:MOST_NAMED])}{more})")
    if problems:
        return Finding("failed", "documents", "; ".join(problems), AGAIN)
    documents, blocks = (
        connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("documents", "blocks")
    )
    return Finding("ok", "documents", f"{documents:,} with {blocks:,} blocks, all in place")


def _vectors(connection: sqlite3.Connection) -> Finding:
    """Their sizes, and whether each passage has one: by embedder, since one index may hold those of several."""
    told, wrong = [], []
    for embedder, name, dimensions in connection.execute("SELECT id, name, dimensions FROM embedders"):
        odd, held = connection.execute(
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
        told.append(f"{held:,} of {name}")
        if odd or packed != ready:
            wrong.append(f"{name}: {odd} of the wrong length, {packed:,} packed for {ready:,} blocks")
    if wrong:
        return Finding("failed", "vectors", "; ".join(wrong), AGAIN)
    return Finding("ok", "vectors", ", ".join(told) or "none")


def _words(folder: Path, connection: sqlite3.Connection, state: State) -> Finding:
    if not state.words:
        return Finding("ok", "words", "nothing to search yet")
    try:
        with tantivy_errors():
            if state.directory is None:
                raise DamagedIndex("there is none")
            words = lexical.view(lexical.opened(folder / state.directory))
            entries = words.searcher.num_docs - 1  # the marker is one
    except DamagedIndex as problem:
        return Finding("failed", "words", f"The word index cannot be read: {str(problem)[:200]}", REBUILD)
    if not is_current(connection, state, words.marker):
        return Finding("warning", "words", "The word index lacks the latest changes", REBUILD)
    (blocks,) = connection.execute("SELECT count(*) FROM blocks").fetchone()
    if entries != blocks:
        return Finding("failed", "words", f"The word index holds {entries:,} of {blocks:,} blocks", REBUILD)
    return Finding("ok", "words", f"{entries:,} blocks")
