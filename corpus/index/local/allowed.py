"""The set of documents that a search is held to.

It is computed in the transaction that answers, so a changed access list counts at once; the word index knows
nothing of access.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from corpus.access import Caller
from corpus.filters import Filters
from corpus.index.local.conditions import Conditions, conditions
from corpus.index.local.store import State

KEPT = 16


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


class AllowedSets:
    """The sets last used, each good for one generation, caller and filter."""

    def __init__(self) -> None:
        self._sets: OrderedDict[object, Allowed] = OrderedDict()
        self._lock = Lock()

    def of(
        self,
        connection: sqlite3.Connection,
        state: State,
        caller: Caller,
        filters: Filters,
        *,
        prefixed: bool,
    ) -> Allowed:
        documents_only = replace(filters, block_type=(), page_number=())
        principals = caller.principals(prefixed=prefixed)
        key = (state.gen, state.nonce, principals, caller.unfiltered, documents_only)
        with self._lock:
            known = self._sets.get(key)
            if known is not None:
                self._sets.move_to_end(key)
                return known
        found = _allowed(connection, conditions(caller, documents_only, prefixed=prefixed))
        with self._lock:
            self._sets[key] = found
            while len(self._sets) > KEPT:
                self._sets.popitem(last=False)
        return found


def _allowed(connection: sqlite3.Connection, where: Conditions) -> Allowed:
    rows = connection.execute(f"SELECT id FROM documents WHERE {where[0]} ORDER BY id", where[1]).fetchall()
    docs = np.array([doc for (doc,) in rows], dtype=np.int64)
    every, last = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM documents").fetchone()
    table = np.zeros(last + 2, dtype=np.bool_)
    table[docs] = True
    return Allowed(docs, len(docs) == every, table)
