"""The documents that a search may return: those that the caller may read and that pass the filters.

They are read in the same transaction as the results, so a changed access list takes effect immediately. The BM25 index
and the vectors contain no access lists.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.access import Caller
from corpus.filters import Filters
from corpus.index.local.documents_and_blocks import conditions
from corpus.text.analysis import STEMMERS, stemming

AMONG = "documents.id IN (SELECT value FROM json_each(?))"
"""SQL condition that selects documents by row id. Its parameter is a JSON list."""

UNKNOWN = 0
"""Language number that stands for an unknown language."""


@dataclass(frozen=True, slots=True)
class VisibleDocuments:
    """Visible documents. `docs` contains their row ids in ascending order. `everything` is true if no document is
    excluded. `table`, of shape (last row id + 2,), contains for each row id whether the document is visible; its last
    entry is for unknown ids."""

    docs: NDArray[np.int64]
    everything: bool
    table: NDArray[np.bool_]

    @property
    def restriction(self) -> list[int] | None:
        """Return the row ids, or None if no document is excluded."""
        return None if self.everything else self.docs.tolist()

    def __contains__(self, doc: int) -> bool:
        return bool(doc < len(self.table) - 1 and self.table[doc])

    def among(self, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return, for each row id, whether the document is visible. Unknown ids are not visible."""
        return self.table[np.where(docs < len(self.table), docs, -1)]


def visible_documents(
    connection: sqlite3.Connection,
    caller: Caller,
    filters: Filters,
    *,
    prefixed: bool,
    known: VisibleDocuments | None = None,
    changed: Sequence[int] = (),
) -> VisibleDocuments:
    """Return the documents that the caller may read and that pass the document filters. With `known`, the result for an
    earlier state, only `changed` documents are looked up."""
    where, parameters = conditions(caller, replace(filters, block_type=(), page_number=()), prefixed=prefixed)
    if known is not None:
        where, parameters = f"{where} AND {AMONG}", [*parameters, json.dumps(changed)]
    rows = connection.execute(f"SELECT id FROM documents WHERE {where} ORDER BY id", parameters)
    visible = np.array([doc for (doc,) in rows], dtype=np.int64)
    total, last = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM documents").fetchone()
    table = document_column(known.table if known else None, changed, last, np.dtype(np.bool_))
    table[visible] = True
    docs = np.flatnonzero(table)
    return VisibleDocuments(docs, len(docs) == total, table)


def document_column(known: NDArray[Any] | None, changed: Sequence[int], last: int, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return a column for the row ids up to `last`, with the `known` values of unchanged documents and zeros elsewhere.
    The last entry is for unknown ids."""
    if known is None:
        return np.zeros(last + 2, dtype=kind)
    column = np.zeros(max(last + 2, len(known)), dtype=kind)
    column[: len(known) - 1] = known[:-1]
    column[[doc for doc in changed if doc < len(column)]] = 0
    return column


@dataclass(frozen=True, slots=True)
class Languages:
    """The language numbers of documents, by row id. The last entry of `table` is for unknown ids. `numbers` maps
    language tags to language numbers."""

    table: NDArray[np.int16]
    numbers: Mapping[str, int]

    @property
    def several(self) -> bool:
        """Return whether the index has more than one language."""
        return len(self.numbers) > 1

    def of(self, docs: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the language number for each row id, or `UNKNOWN` for unknown ids."""
        return self.table[np.where(docs < len(self.table), docs, -1)]


def languages(connection: sqlite3.Connection, known: Languages | None = None, changed: Sequence[int] = ()) -> Languages:
    """Return the languages of all documents. With `known`, only `changed` documents are read."""
    among, parameters = (f"AND {AMONG}", [json.dumps(changed)]) if known else ("", [])
    rows = connection.execute(
        f"SELECT id, language FROM documents WHERE language IS NOT NULL {among}", parameters
    ).fetchall()
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM documents").fetchone()
    table = document_column(known.table if known else None, changed, last, np.dtype(np.int16))
    numbers = dict(known.numbers) if known else {}
    of_tag: dict[str, int] = {}
    for doc, tag in rows:
        number = of_tag.get(tag)
        if number is None:
            language = tag.split("-")[0].lower()
            number = of_tag[tag] = numbers.setdefault(language, len(numbers) + 1)
        table[doc] = number
    return Languages(table, numbers)


@dataclass(frozen=True, slots=True)
class Stemmings:
    """The languages whose stemmers apply to each document, as a bit set per row id. The last entry of `table` is for
    unknown ids.

    A search uses only the stemmers that apply to documents the caller may read, because a match through any other
    stemmer would reveal the language of a hidden document.
    """

    table: NDArray[np.uint32]

    def of(self, visible: VisibleDocuments) -> tuple[str, ...]:
        """Return the languages whose stemmers apply to these documents, sorted."""
        bits = int(np.bitwise_or.reduce(self.table[visible.docs], initial=0))
        return tuple(language for language, bit in _BITS.items() if bits & bit)


_BITS = {language: 1 << number for number, language in enumerate(sorted(STEMMERS))}


def stemmings(connection: sqlite3.Connection, known: Stemmings | None = None, changed: Sequence[int] = ()) -> Stemmings:
    """Return the stemmings of all documents, including their blocks. With `known`, only the `changed` documents are
    read."""
    parameters = [json.dumps(changed)] if known else []
    rows = connection.execute(
        f"SELECT id, language FROM documents {f'WHERE {AMONG}' if known else ''}", parameters
    ).fetchall()
    of_blocks = "WHERE doc IN (SELECT value FROM json_each(?))" if known else ""
    rows += connection.execute(f"SELECT DISTINCT doc, language FROM blocks {of_blocks}", parameters).fetchall()
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM documents").fetchone()
    table = document_column(known.table if known else None, changed, last, np.dtype(np.uint32))
    bit_of: dict[str | None, int] = {}
    for doc, tag in rows:
        if tag not in bit_of:
            bit_of[tag] = _BITS.get(stemming(tag), 0)
        table[doc] |= bit_of[tag]
    return Stemmings(table)
