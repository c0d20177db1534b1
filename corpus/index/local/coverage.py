"""How much of what a caller may read is there for a search, and the sentences about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from corpus.access import Caller
from corpus.filters import Filters
from corpus.index.local.conditions import conditions
from corpus.index.local.rows import VECTORS_HELD
from corpus.index.local.view import Asked, Coverage, View

_HEALTH = {
    "behind": "The word index is being brought up to date; the newest changes may be missing from this answer.",
    "missing": "The word index is damaged or being rebuilt; this answer was found without it.",
}


def warnings(view: View, asked: Asked) -> Iterator[str]:
    if view.health != "current":
        yield _HEALTH[view.health]
    if asked.embedder is None:
        yield "No embedder is configured, so this answer was found by words alone."
    found = view.coverage
    if not found.documents and asked.caller.anonymous:
        yield "No identity is set, so only public documents are readable, and there are none. `ibid ingest` adds some."
    if asked.embedder is not None and found.held < found.passages:
        yield from _pending(view, asked, found)


def _pending(view: View, asked: Asked, found: Coverage) -> Iterator[str]:
    lacking = f"{found.passages - found.held} of {found.passages} passages have no vector yet"
    yield f"{lacking}; those were found by words alone."
    others = view.connection.execute(
        "SELECT name FROM embedders WHERE name <> ?", (asked.embedder,)
    ).fetchall()
    if others and not view.embedder:
        yield (
            f"The index holds vectors of {others[0][0]}, which are not used with {asked.embedder}. "
            "Run `ibid ingest` to compute new ones."
        )


def covered(connection: sqlite3.Connection, caller: Caller, embedder: int, *, prefixed: bool) -> Coverage:
    where, held = conditions(caller, Filters(), prefixed=prefixed)
    row = connection.execute(
        f"SELECT count(*), coalesce(sum(passages), 0), coalesce(sum({VECTORS_HELD}), 0) FROM documents WHERE {where}",
        (embedder, *held),
    ).fetchone()
    return Coverage(*row)
