"""The database's blocks as entries of the word index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePath

from corpus.index.local import analysis
from corpus.index.local.lexical_writing import Entry
from corpus.index.local.rows import KINDS

_SELECT = (
    "SELECT blocks.id, blocks.doc, coalesce(page_number, 0), block_type, content, image_caption, heading, "
    "coalesce(blocks.language, documents.language), title, filename, passage IS NOT NULL "
    "FROM blocks JOIN documents ON documents.id = blocks.doc"
)


def entries(connection: sqlite3.Connection, docs: Iterable[int] | None = None) -> Iterator[Entry]:
    """Entries of these documents, or of all, in the order of the row ids."""
    if docs is None:
        rows = connection.execute(f"{_SELECT} ORDER BY blocks.id")
    else:
        held = json.dumps(list(docs))
        where = "WHERE blocks.doc IN (SELECT value FROM json_each(?)) ORDER BY blocks.id"
        rows = connection.execute(f"{_SELECT} {where}", (held,))
    return map(_entry, rows)


def _entry(row: tuple[int, int, int, str, str, str | None, str | None, str | None, str, str, int]) -> Entry:
    block, doc, page, kind, content, caption, heading, language, title, filename, speaks = row
    if not speaks:  # a picture without words is in no answer by words, whatever its document is called
        return Entry(block, doc, page, KINDS[kind], "", "")
    body = analysis.terms(f"{caption}\n{content}" if caption else content, language)
    context = (*_named(title, filename, language), *analysis.terms(heading or "", language))
    return Entry(block, doc, page, KINDS[kind], " ".join(body), " ".join(context))


@lru_cache(maxsize=256)
def _named(title: str, filename: str, language: str | None) -> tuple[str, ...]:
    """The terms of a document's title and file name; a name that only repeats the title is not counted twice."""
    words, stem = analysis.terms(title, language), PurePath(filename).stem
    return (*words, *(term for term in analysis.terms(stem, language) if term not in words))
