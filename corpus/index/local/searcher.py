"""Search an immutable snapshot: read derived data, find candidates, rank them, and build hits and warnings.

Data derived from the database is cached, and is updated from only those documents that have changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from corpus.access import Caller, may_read
from corpus.filters import Filters
from corpus.index.local.bm25 import DamagedIndex
from corpus.index.local.bm25_index import BM25Index, backlog
from corpus.index.local.candidates import LexicalMatches, lexical_matches, neighbours
from corpus.index.local.documents_and_blocks import hits_of, known_embedder
from corpus.index.local.ranking import (
    Deduplication,
    Evidence,
    Ranking,
    compares,
    deduplicate,
    rank_blocks,
    repeat_warnings,
)
from corpus.index.local.snapshot import Question, Snapshot, VectorCounts, coverage_of, coverage_warnings, vector_counts
from corpus.index.local.store import State, Store, descends
from corpus.index.local.vectors.matrix import BlockPlace, block_places
from corpus.index.local.vectors.nearest_neighbours import RowMasks, row_mask
from corpus.index.local.vectors.vector_cache import VectorCache
from corpus.index.local.visible_documents import (
    Languages,
    Stemmings,
    VisibleDocuments,
    languages,
    stemmings,
    visible_documents,
)
from corpus.processes.lru_cache import LRUCache
from corpus.search import ANSWERS, Hit, Mode, ScoreKind, SearchResult
from corpus.text.markdown import within_line

MAX_CHANGED = 500
"""Maximum number of changed documents for which a cached value is updated. After more changes, it is computed from
scratch."""

Value = TypeVar("Value")

Update = Callable[[Value | None, Sequence[int]], Value]
"""Function that computes a value from the previous one and the row ids of the documents that have changed since, or
from scratch if the previous one is None."""


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """A value, and the generation from which it was computed."""

    gen: int
    nonce: str
    value: Value


class IncrementalCache(Generic[Value]):
    """A cache of the last `size` values. A value is updated from the documents that have changed since it was computed.
    Thread-safe."""

    def __init__(self, size: int) -> None:
        self._entries: LRUCache[_Entry[Value]] = LRUCache(size)

    def of(self, connection: sqlite3.Connection, state: State, key: Hashable, update: Update[Value]) -> Value:
        """Return the value for this state, which must be the state that the connection sees."""
        entry = self._entries.get(key)
        if entry and (entry.gen, entry.nonce) == (state.gen, state.nonce):
            return entry.value
        value = _update(connection, entry, update)
        self._entries.put(key, _Entry(state.gen, state.nonce, value))
        return value


def _update(connection: sqlite3.Connection, entry: _Entry[Value] | None, update: Update[Value]) -> Value:
    if entry is None or not descends(connection, entry.gen, entry.nonce):
        return update(None, ())
    rows = connection.execute("SELECT doc FROM changes WHERE gen > ? LIMIT ?", (entry.gen, MAX_CHANGED + 1)).fetchall()
    if len(rows) > MAX_CHANGED:
        return update(None, ())
    return update(entry.value, [doc for (doc,) in rows]) if rows else entry.value


LOOKS = 5
"""Maximum number of attempts to get a consistent snapshot. After that, the search uses the data that it has."""

CACHED = 16
"""Number of sets of visible documents, and of lexical matches of questions, that are cached."""

MIN_PASSAGES = 100
"""Minimum number of passages for a relevance to be reported. With fewer, neither the rarity of words nor chance cosines
can be estimated."""

MAX_NAMED = 5
"""Maximum number of words or places that a warning lists."""

_KINDS: dict[Mode, ScoreKind] = {"hybrid": "hybrid", "vector": "vector", "lexical": "text", "none": "none"}


class Searcher:
    """Searches one index. Thread-safe."""

    def __init__(self, store: Store, words: BM25Index, ranking: Ranking) -> None:
        self._store = store
        self._words = words
        self._ranking = ranking
        self._visible: IncrementalCache[VisibleDocuments] = IncrementalCache(CACHED)
        self._held: IncrementalCache[VectorCounts] = IncrementalCache(1)
        self._doc_ids: IncrementalCache[dict[int, str]] = IncrementalCache(1)
        self._languages: IncrementalCache[Languages] = IncrementalCache(1)
        self._stemmings: IncrementalCache[Stemmings] = IncrementalCache(1)
        self._matches: LRUCache[LexicalMatches] = LRUCache(CACHED)
        self._vectors = VectorCache(store)
        self._masks = RowMasks()

    def close(self) -> None:
        """Release masks and mapped vectors."""
        self._masks.close()
        self._vectors.close()

    def prefetch(self, question: Question) -> None:
        """Run the keyword search while the query is being embedded. `search` reuses the result if nothing has changed.
        Failures are ignored here, because `search` runs into them again and reports them."""
        with suppress(Exception), self._store.reading() as (connection, state):
            snapshot = self._snapshot(connection, state, question, first=True)
            if snapshot.settled:
                self._lexical(snapshot, question)

    def search(self, question: Question) -> SearchResult:
        """Search an immutable snapshot. If the BM25 index is behind or missing, repair it first if that is quick,
        otherwise return a warning."""
        looks = LOOKS
        while True:
            with self._store.reading() as (connection, state):
                snapshot = self._snapshot(connection, state, question, first=looks == LOOKS)
                if snapshot.settled or not looks:
                    try:
                        return result(snapshot, question, self._lexical(snapshot, question))
                    except DamagedIndex:
                        self._words.mark_damaged(state)
                work = backlog(connection, snapshot.words.marker if snapshot.words else None)
            # On the first attempt, a write may just have finished between the reading of the two parts.
            worthwhile = looks == LOOKS or self._words.repair(state, snapshot.health, work)
            looks = looks - 1 if looks and worthwhile else 0

    def _lexical(self, snapshot: Snapshot, question: Question) -> LexicalMatches:
        """Return the lexical matches. Raises DamagedIndex."""
        marker = snapshot.words.marker if snapshot.words else None
        version = (snapshot.state.gen, snapshot.state.nonce, snapshot.state.directory, marker)
        key = (version, question.caller, question.search, question.text)
        return self._matches.of(key, lambda: lexical_matches(snapshot, question))

    def _snapshot(self, connection: sqlite3.Connection, state: State, question: Question, *, first: bool) -> Snapshot:
        embedder = known_embedder(connection, question.embedder)
        filters = question.search.filters
        visible = self._visible_documents(connection, state, question.caller, filters)
        spoken = self._languages.of(connection, state, None, partial(languages, connection))
        doc_ids = self._doc_ids.of(connection, state, None, lambda known, _: known or {})
        readable = self._visible_documents(connection, state, question.caller, Filters())
        stemmed = self._stemmings.of(connection, state, None, partial(stemmings, connection)).of(readable)
        words, health = self._words.view(connection, state)
        counts = self._held.of(connection, state, embedder, partial(vector_counts, connection, embedder))
        vectors, mask = None, None
        if embedder and question.embedder and question.vector is not None:
            vectors = self._vectors.of(connection, state, embedder, question.embedder, newer=first)
            key = (state.gen, state.nonce, question.caller, filters)
            mask = self._masks.of(vectors, key, partial(row_mask, vectors, visible, filters, spoken))
        return Snapshot(
            connection, state, self._store.prefixed, visible, readable,
            coverage_of(readable, counts), coverage_of(visible, counts).passages,
            words, health, embedder, vectors, mask, spoken, stemmed, doc_ids, self._ranking,
        )  # fmt: skip

    def _visible_documents(
        self, connection: sqlite3.Connection, state: State, caller: Caller, filters: Filters
    ) -> VisibleDocuments:
        def renew(known: VisibleDocuments | None, changed: Sequence[int]) -> VisibleDocuments:
            prefixed = self._store.prefixed
            return visible_documents(connection, caller, filters, prefixed=prefixed, known=known, changed=changed)

        return self._visible.of(connection, state, (caller, filters), renew)


def result(snapshot: Snapshot, question: Question, lexical: LexicalMatches) -> SearchResult:
    """Rank the candidates in a snapshot, and build the hits, scores and warnings."""
    near = neighbours(snapshot, question, lexical.scores.keys() | lexical.at_place)
    candidates = lexical.scores.keys() | near.nearness.keys() | lexical.at_place
    places = block_places(snapshot.connection, snapshot.matrix, snapshot.doc_ids, candidates | lexical.pages.keys())
    evidence = Evidence(nearness=near.nearness, places=lexical.at_place)
    # Function words of one language are rare in texts in another language, so IDF would give them the highest weight.
    if not (near.nearness and lexical.terms.only_function_words):
        evidence = replace(
            evidence, lexical=lexical.scores, pages=_by_page(lexical, places, candidates),
            attainable=lexical.terms.attainable, rare=lexical.terms.rare,
            single=len(lexical.terms.words) == 1,
            foreign={block for block, place in places.items() if lexical.language and place.language not in (
                "", lexical.language)},
        )  # fmt: skip
    keys = {block: place.key for block, place in places.items()}
    order = rank_blocks(evidence, snapshot.ranking, keys, compares=compares(question.text))
    mode: Mode = "vector" if snapshot.health == "missing" or not lexical.has_words else "hybrid"
    if snapshot.matrix is None or not len(snapshot.matrix.columns.blocks):
        mode = "lexical"
    count = max(0, question.search.top_k)
    chosen = Deduplication(tuple(order.blocks[:count]))
    if snapshot.ranking.once:
        chosen = deduplicate(snapshot.connection, order.blocks, count)
    rows = hits_of(
        snapshot.connection, chosen.kept + chosen.left_out, snapshot.embedder,
        embeds=question.embedder is not None,
    )  # fmt: skip
    scores = _cap_repeats(chosen, order.scores)

    def hits(blocks: Sequence[int]) -> tuple[Hit, ...]:
        return tuple(
            Hit(*rows[block], scores[block], _KINDS[mode], lexical.scores.get(block), near.cosines.get(block))
            for block in blocks
            # Candidates are visible by construction; check the hits once more.
            if block in rows
            and may_read(rows[block][1].access_control_list, question.caller, prefixed=snapshot.prefixed)
        )

    shown_hits = hits(chosen.kept)
    relevance = None
    if snapshot.searched >= MIN_PASSAGES:
        relevance = shown_hits[0].score if shown_hits else 0.0
    cut = (f"The query was cut to its first {snapshot.ranking.max_words} different words.",) if lexical.cut else ()
    doubts = tuple(_doubts(lexical, relevance)) if shown_hits else ()
    repeats = tuple(repeat_warnings(hits(chosen.left_out)))
    warnings = (
        *question.warnings, *cut, *doubts, *coverage_warnings(snapshot, question), *repeats,
    )  # fmt: skip
    return SearchResult(shown_hits, mode, warnings, relevance, (*doubts, *repeats), lexical.terms.unknown)


def _by_page(
    lexical: LexicalMatches, places: Mapping[int, BlockPlace], candidates: Collection[int]
) -> dict[int, float]:
    by_unit = {places[first].unit: score for first, score in lexical.pages.items() if first in places}
    return {
        block: by_unit[place.unit] for block, place in places.items() if block in candidates and place.unit in by_unit
    }


def _doubts(lexical: LexicalMatches, relevance: float | None) -> Iterator[str]:
    """Yield warnings about places that no searched document has, and about a low relevance."""
    if lexical.missing:
        places = ", ".join(str(place) for place in lexical.missing[:MAX_NAMED])
        yield f"No searched document has {places}."
    if relevance is not None and relevance < ANSWERS:
        unknown = lexical.terms.unknown[:MAX_NAMED]
        quoted = ", ".join(f'"{within_line(word)}"' for word in unknown)
        words = f" No searched document has {quoted}." if unknown else ""
        yield f"Nothing that was found seems to answer this (relevance {relevance:.2f} of 1).{words}"


def _cap_repeats(chosen: Deduplication, scores: Mapping[int, float]) -> dict[int, float]:
    """Return the scores. The score of a repeat is limited to that of the last distinct hit."""
    first = len(chosen.kept) - chosen.again
    lowest = scores[chosen.kept[first - 1]] if first else 1.0
    return {**scores, **{block: min(scores[block], lowest) for block in chosen.kept[first:]}}
