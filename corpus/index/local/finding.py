"""One search: a view of the database and of what lies beside it, looked at again while writers move on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from corpus.access import Caller
from corpus.filters import Filters
from corpus.index.local import answers
from corpus.index.local.allowed import Allowed, allowed
from corpus.index.local.bm25_index import BM25Index as WordIndex
from corpus.index.local.bm25_sync import DamagedIndex as Damaged
from corpus.index.local.bm25_sync import backlog
from corpus.index.local.caches import IncrementalCache as Followed
from corpus.index.local.caches import LRUCache as Recent
from corpus.index.local.candidates import ByWords, by_words
from corpus.index.local.changes import State
from corpus.index.local.coverage import Held, covered, held
from corpus.index.local.favour import Languages, languages
from corpus.index.local.ranking import Ranking
from corpus.index.local.rows import known_embedder
from corpus.index.local.store import Store
from corpus.index.local.vector_cache import VectorCache as HeldVectors
from corpus.index.local.view import Asked, Coverage, View
from corpus.index.local.within import HeldWithin, Within, within
from corpus.search import Found

LOOKS = 5
"""How often a search looks again before it answers with what there is."""

KEPT = 16
"""Callers and filters whose documents, and questions whose words, are remembered."""


class Finder:
    """Searches of one index. Safe to use from several threads."""

    def __init__(self, store: Store, words: WordIndex, ranking: Ranking) -> None:
        self._store = store
        self._words = words
        self._ranking = ranking
        self._allowed: Followed[Allowed] = Followed(KEPT)
        self._held: Followed[Held] = Followed(1)
        self._spoken: Followed[Languages] = Followed(1)
        self._worded: Recent[ByWords] = Recent(KEPT)
        self._vectors = HeldVectors(store)
        self._within = HeldWithin()

    def close(self) -> None:
        self._within.close()
        self._vectors.close()

    def ahead(self, asked: Asked) -> None:
        """Search by words before the query is embedded: `find` takes it up where nothing has changed meanwhile. What
        fails here fails there again, where it is told."""
        with suppress(Exception), self._store.reading() as (connection, state):
            view = self._view(connection, state, asked, first=True)
            if view.settled:
                self._by_words(view, asked)

    def find(self, asked: Asked) -> Found:
        """The answer of one unchanging view. A word index that lags or is gone is repaired on the way where that
        is quick; the answer says so where it is not."""
        looks = LOOKS
        while True:
            with self._store.reading() as (connection, state):
                view = self._view(connection, state, asked, first=looks == LOOKS)
                if view.settled or not looks:
                    try:
                        return answers.answer(view, asked, self._by_words(view, asked))
                    except Damaged:
                        self._words.mark_damaged(state)
                work = backlog(connection, view.words.marker if view.words else None)
            # The first time it may only be that a write ended between two looks.
            worthwhile = looks == LOOKS or self._words.repair(state, view.health, work)
            looks = looks - 1 if looks and worthwhile else 0

    def _by_words(self, view: View, asked: Asked) -> ByWords:
        """Raises Damaged."""
        marker = view.words.marker if view.words else None
        seen = (view.state.gen, view.state.nonce, view.state.directory, marker)
        return self._worded.of((seen, asked.caller, asked.search, asked.text), lambda: by_words(view, asked))

    def _view(self, connection: sqlite3.Connection, state: State, asked: Asked, *, first: bool) -> View:
        embedder = known_embedder(connection, asked.embedder)
        found = self._found(connection, state, asked.caller, asked.search.filters)
        spoken = self._spoken.of(connection, state, None, partial(languages, connection))
        words, health = self._words.view(connection, state)
        vectors, rows = None, Within()
        if embedder and asked.embedder and asked.vector is not None:
            vectors = self._vectors.of(connection, state, embedder, asked.embedder, newer=first)
            key = (state.gen, state.nonce, asked.caller, asked.search.filters)
            rows = self._within.of(
                vectors, key, partial(within, vectors, found, asked.search.filters, spoken)
            )
        return View(
            connection, state, self._store.prefixed, found, self._coverage(connection, state, asked, embedder),
            words, health, embedder, vectors, rows, spoken, self._ranking,
        )  # fmt: skip

    def _found(
        self, connection: sqlite3.Connection, state: State, caller: Caller, filters: Filters
    ) -> Allowed:
        def renew(known: Allowed | None, changed: Sequence[int]) -> Allowed:
            prefixed = self._store.prefixed
            return allowed(connection, caller, filters, prefixed=prefixed, known=known, changed=changed)

        return self._allowed.of(connection, state, (caller, filters), renew)

    def _coverage(
        self, connection: sqlite3.Connection, state: State, asked: Asked, embedder: int
    ) -> Coverage:
        counts = self._held.of(connection, state, embedder, partial(held, connection, embedder))
        return covered(self._found(connection, state, asked.caller, Filters()), counts)
