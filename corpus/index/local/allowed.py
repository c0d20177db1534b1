"""The set of documents that a search is held to.

It is computed in the transaction that answers, so a changed access list counts at once; the word index knows
nothing of access.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corpus.access import Caller
from corpus.filters import Filters
from corpus.index.local.by_document import AMONG, by_document
from corpus.index.local.conditions import conditions


@dataclass(frozen=True, slots=True)
class Allowed:
    """Row ids of documents, ascending; `everything` when no document is left out. `table` answers by row id, its
    last entry standing for no document."""

    docs: NDArray[np.int64]
    everything: bool
    table: NDArray[np.bool_]

    def __contains__(self, doc: int) -> bool:
        return bool(doc < len(self.table) - 1 and self.table[doc])

    def among(self, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each row id whether it is allowed; an id that this set never saw is not."""
        return self.table[np.where(docs < len(self.table), docs, -1)]


def allowed(
    connection: sqlite3.Connection,
    caller: Caller,
    filters: Filters,
    *,
    prefixed: bool,
    known: Allowed | None = None,
    changed: Sequence[int] = (),
) -> Allowed:
    """What the caller may read and the filters let through; those on blocks are not looked at. With `known`, only the
    documents that changed since."""
    where, held = conditions(caller, replace(filters, block_type=(), page_number=()), prefixed=prefixed)
    if known is not None:
        where, held = f"{where} AND {AMONG}", [*held, json.dumps(changed)]
    rows = connection.execute(f"SELECT id FROM documents WHERE {where} ORDER BY id", held)
    found = np.array([doc for (doc,) in rows], dtype=np.int64)
    every, last = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM documents").fetchone()
    table = by_document(known.table if known else None, changed, last, np.dtype(np.bool_))
    table[found] = True
    docs = np.flatnonzero(table)
    return Allowed(docs, len(docs) == every, table)
