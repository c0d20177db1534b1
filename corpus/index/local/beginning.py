"""Ids of documents by what somebody has typed of one, of its title or of its file name."""

from __future__ import annotations

from corpus.filters import Filters
from corpus.index.local.reading import MOST_WORDS, Reader
from corpus.index.protocol import Begun
from corpus.text import clean, folded

_NAMES = "lower(doc_id) || char(10) || title_key || char(10) || filename_key"


def begun(reader: Reader, typed: str, most: int) -> Begun:
    """Those that begin with what was typed first, each part by id."""
    where, held = reader.where(Filters())
    key = folded(clean(typed).strip())
    words = key.split()[:MOST_WORDS]
    fits = " AND ".join([where, *[f"instr({_NAMES}, ?)"] * len(words)])
    rows = reader.connection.execute(
        f"SELECT doc_id, count(*) OVER () FROM documents WHERE {fits} "
        "ORDER BY instr(lower(doc_id), ?) <> 1, doc_id LIMIT ?",
        (*held, *words, key, most),
    ).fetchall()
    return Begun(tuple(doc_id for doc_id, _ in rows), rows[0][1] if rows else 0)
