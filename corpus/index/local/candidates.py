"""Which blocks a search considers, and what speaks for each: the best by words, the nearest by vectors, and those at a
place that the query names."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from tantivy import Occur, Query

from corpus.filters import Filters
from corpus.index.local import bm25
from corpus.index.local.analysis import query_words, written_words
from corpus.index.local.bm25 import Conditions, Scope, Words
from corpus.index.local.bm25_sync import tantivy_errors
from corpus.index.local.function_words import language_of
from corpus.index.local.nearest_neighbours import Neighbours, nearest
from corpus.index.local.query_terms import QueryTerms, query_terms
from corpus.index.local.rows import KINDS
from corpus.index.local.snapshot import Question, Snapshot
from corpus.places import Place, PlaceQuery, places_in

MAX_FETCHED = 5_000
MAX_AT_PLACE = 2_000
"""Blocks at a place that are considered: "page 3" is in every document."""


@dataclass(frozen=True, slots=True)
class LexicalMatches:
    """BM25 scores by row id, and those of pages by the row ids of their first blocks; whether there was a word to ask
    for; the row ids of the blocks at the named place, and the places that no document has; whether words were left out;
    the language that the query seems to be in."""

    scores: dict[int, float] = field(default_factory=dict)
    pages: dict[int, float] = field(default_factory=dict)
    asked: bool = False
    terms: QueryTerms = field(default_factory=QueryTerms)
    at_place: frozenset[int] = frozenset()
    missing: tuple[Place, ...] = ()
    cut: bool = False
    language: str | None = None


def lexical_matches(snapshot: Snapshot, question: Question) -> LexicalMatches:
    """Raises DamagedIndex."""
    ranking, index = snapshot.ranking, snapshot.words
    if index is None:
        return LexicalMatches()
    scope = _scope(snapshot, question.search.filters)
    conditions = bm25.conditions(scope)
    named = places_in(question.text) if ranking.place else PlaceQuery((), question.text)
    empty = not len(snapshot.visible.docs)
    place = None if empty or not named.places else _place(snapshot, index, named, conditions)
    languages = [language for (language,) in snapshot.connection.execute("SELECT language FROM languages")]
    written = written_words(named.text if place else question.text)
    words, cut = query_words(written, languages, ranking.max_words)
    missing = named.places if named.places and not place and not empty else ()
    if empty or not words:
        at_place = place.blocks if place else frozenset()
        return LexicalMatches(asked=bool(words) or bool(place), at_place=at_place, missing=missing, cut=cut)
    terms = query_terms(index, words, conditions, _readable(snapshot, scope, conditions))
    query = bm25.any_word(terms.words, exact=ranking.exact, context=ranking.context)
    wanted = max(ranking.lexical_candidates, 2 * question.search.top_k)
    scores = _present(snapshot, _searched(index, bm25.within(query, conditions)), wanted)
    also = [place.query] if place else []
    if not scores.keys() >= {block for blocks in terms.rare for block in blocks}:
        also.append(
            _without_score([(Occur.Should, bm25.any_of("body", word.variants)) for word in terms.rare_words])
        )
    for needed in also:
        both = Query.boolean_query([(Occur.Must, query), (Occur.Must, needed)])
        scores |= _present(snapshot, _searched(index, bm25.within(both, conditions)), wanted)
    pages: list[tuple[int, float]] = []
    if ranking.page and not scope.kinds:
        pages = _searched(index, bm25.within(bm25.any_word_of_a_page(terms.words), conditions))(wanted)
    at_place = place.blocks if place else frozenset()
    return LexicalMatches(
        scores,
        dict(pages),
        True,
        terms,
        at_place,
        missing,
        cut,
        language_of([word.variants[0] for word in words]),
    )


def _readable(snapshot: Snapshot, scope: Scope, conditions: Conditions) -> Conditions:
    docs = None if snapshot.readable.everything else snapshot.readable.docs.tolist()
    return conditions if scope == Scope(docs) else bm25.conditions(Scope(docs))


def _scope(snapshot: Snapshot, filters: Filters) -> Scope:
    docs = None if snapshot.visible.everything else snapshot.visible.docs.tolist()
    return Scope(docs, filters.page_number, [KINDS[kind] for kind in filters.block_type])


@dataclass(frozen=True, slots=True)
class _Place:
    """Finds the blocks at a place, without adding to their scores; and these."""

    query: Query
    blocks: frozenset[int]


def _place(snapshot: Snapshot, index: Words, named: PlaceQuery, conditions: Conditions) -> _Place | None:
    """The blocks at all that is named, else at any of it, else at what it is a part of; None where there are none."""
    # A deck may be a PDF of which nothing says that its pages are slides.
    groups = [
        [*group, *(Place("page", place.label) for place in group if place.kind == "slide")]
        for group in named.alternatives
    ]
    while any(groups):
        for groups_asked in (groups, [[place for group in groups for place in group]]):
            asked = [
                (Occur.Must, bm25.any_of("places", [place.term for place in group]))
                for group in groups_asked
                if group
            ]
            query = _without_score(asked)
            with tantivy_errors():
                hits = bm25.search(index, bm25.within(query, conditions), MAX_AT_PLACE)
            if blocks := _visible(snapshot, [block for block, _ in hits]):
                return _Place(query, frozenset(blocks))
        groups = [[place.wider for place in group if place.wider] for group in groups]
    return None


def _without_score(parts: list[tuple[Occur, Query]]) -> Query:
    return Query.const_score_query(Query.boolean_query(parts), 0.0)


def _searched(index: Words, query: Query) -> Callable[[int], list[tuple[int, float]]]:
    def fetch(limit: int) -> list[tuple[int, float]]:
        with tantivy_errors():
            return bm25.search(index, query, limit)

    return fetch


def _present(
    snapshot: Snapshot, fetch: Callable[[int], list[tuple[int, float]]], wanted: int
) -> dict[int, float]:
    """The hits that the database still has: more are fetched where the word index lags and some are gone, or where the
    last have the same score, since which of these come would depend on the order of ingestion."""
    limit = wanted + 10
    while True:
        hits = fetch(limit)
        present = dict(hits)
        if snapshot.health != "current":
            there = _visible(snapshot, [*present])
            present = {block: score for block, score in hits if block in there}
        full = len(present) >= wanted and hits[-1][1] < hits[wanted - 1][1]
        if full or len(hits) < limit or limit >= MAX_FETCHED:
            return present
        limit *= 4


def _visible(snapshot: Snapshot, blocks: list[int]) -> set[int]:
    return {block for block, doc in documents_of(snapshot, blocks).items() if doc in snapshot.visible}


def documents_of(snapshot: Snapshot, blocks: Iterable[int]) -> dict[int, int]:
    """Row ids of the blocks that the database has, each with that of its document."""
    return dict(
        snapshot.connection.execute(
            "SELECT id, doc FROM blocks WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([*blocks]),),
        )
    )


def neighbours(snapshot: Snapshot, question: Question, also: Collection[int]) -> Neighbours:
    """The nearest blocks, and those in `also` that have a vector."""
    if snapshot.matrix is None or snapshot.mask is None or question.vector is None:
        return Neighbours()
    ranking = snapshot.ranking
    count = max(ranking.dense_candidates, 4 * question.search.top_k)
    return nearest(
        snapshot.matrix, snapshot.mask, snapshot.languages, question.vector, count, also, ranking.language
    )
