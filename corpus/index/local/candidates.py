"""Candidates of a search and their evidence: the best blocks by BM25, the nearest by vector, and blocks at a place that
the query names, such as "page 3"."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tantivy import Occur, Query

from corpus.index.local import bm25
from corpus.index.local.bm25 import Conditions, Words, tantivy_errors
from corpus.index.local.documents_and_blocks import KINDS
from corpus.index.local.snapshot import Question, Snapshot
from corpus.index.local.vectors.nearest_neighbours import Neighbours, nearest
from corpus.places import Place, PlaceQuery, places_in
from corpus.text.analysis import Word, language_of, query_words, written_words

MAX_FETCHED = 5_000
"""Maximum number of hits to fetch in order to find enough that are still in the database."""
MAX_AT_PLACE = 2_000
"""Maximum number of blocks at a place that are considered, because almost every document has a "page 3"."""
MAX_RARE = 3
"""Maximum number of passages that may contain a word for it to count as rare."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms of a query.

    `words` are all words except function words or, if the query has no other words, the function words. `attainable`
    approximates the BM25 score of a passage of average length that contains each word once. `rare` contains the row ids
    of the blocks with each of the `rare_words`, rarest word first. `unknown` contains the words that occur in no
    visible passage.
    """

    words: tuple[Word, ...] = ()
    attainable: float = 0.0
    rare: tuple[frozenset[int], ...] = ()
    rare_words: tuple[Word, ...] = ()
    unknown: tuple[str, ...] = ()
    only_function_words: bool = False


@dataclass(frozen=True, slots=True)
class LexicalMatches:
    """BM25 scores by row id, and page scores by the row id of the page's first block.

    `has_words` is true if the query has a word to search for. `at_place` contains the blocks at the place that the
    query names; `missing` contains the places that no document has. `cut` is true if words were dropped. `language` is
    the language of the query, detected from its function words.
    """

    scores: dict[int, float] = field(default_factory=dict)
    pages: dict[int, float] = field(default_factory=dict)
    has_words: bool = False
    terms: QueryTerms = field(default_factory=QueryTerms)
    at_place: frozenset[int] = frozenset()
    missing: tuple[Place, ...] = ()
    cut: bool = False
    language: str | None = None


def lexical_matches(snapshot: Snapshot, question: Question) -> LexicalMatches:
    """Search the BM25 index for a question in a snapshot. Raises DamagedIndex."""
    ranking, index = snapshot.ranking, snapshot.words
    if index is None:
        return LexicalMatches()
    filters = question.search.filters
    conditions = bm25.conditions(
        snapshot.visible.restriction, filters.page_number, [KINDS[kind] for kind in filters.block_type]
    )
    unfiltered = snapshot.visible is snapshot.readable
    readable = conditions if unfiltered else bm25.conditions(snapshot.readable.restriction)
    place_query = places_in(question.text) if ranking.place else PlaceQuery((), question.text)
    empty = not len(snapshot.visible.docs)
    place = None if empty or not place_query.places else _place(snapshot, index, place_query, conditions)
    surface_words = written_words(place_query.text if place else question.text)
    words, cut = query_words(surface_words, snapshot.stemmed, ranking.max_words)
    missing = place_query.places if not (place and place.exact) and not empty else ()
    at_place = place.blocks if place else frozenset()
    if empty or not words:
        return LexicalMatches(has_words=bool(words) or bool(place), at_place=at_place, missing=missing, cut=cut)
    terms = query_terms(index, words, conditions, readable)
    query = bm25.any_word(terms.words, exact=ranking.exact, context=ranking.context)
    limit = max(ranking.lexical_candidates, 2 * question.search.top_k)
    scores = _present(snapshot, index, bm25.within(query, conditions), limit)
    also: list[tuple[Query, Query]] = []
    if not scores.keys() >= {block for blocks in terms.rare for block in blocks}:
        having = [(Occur.Should, bm25.any_of("body", word.variants)) for word in terms.rare_words]
        also.append((query, _without_score(having)))
    if place:
        # Many documents have this place, so prefer documents whose names match.
        by_names = bm25.any_word(terms.words, exact=ranking.exact, context=ranking.context_at_place)
        also.append((by_names, place.query))
    for best, needed in also:
        both = Query.boolean_query([(Occur.Must, best), (Occur.Must, needed)])
        scores |= _present(snapshot, index, bm25.within(both, conditions), limit)
    pages: list[tuple[int, float]] = []
    if ranking.page and not filters.block_type:
        pages = bm25.search(index, bm25.within(bm25.any_word_of_a_page(terms.words), conditions), limit)
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


@dataclass(frozen=True, slots=True)
class _Place:
    """The blocks at a place, and the query that finds them without adding to their scores."""

    query: Query
    blocks: frozenset[int]
    exact: bool


def _place(snapshot: Snapshot, index: Words, place_query: PlaceQuery, conditions: Conditions) -> _Place | None:
    """Return the blocks at all places in the query. If there are none, return those at any of the places, or else those
    at wider places that contain them. Return None if there are none at all."""
    # Slides that were exported to PDF are indexed only as pages.
    groups = [
        [*group, *(Place("page", place.label) for place in group if place.kind == "slide")]
        for group in place_query.alternatives
    ]
    exact = True
    while any(groups):
        for groups_asked in (groups, [[place for group in groups for place in group]]):
            clauses = [
                (Occur.Must, bm25.any_of("places", [place.term for place in group])) for group in groups_asked if group
            ]
            query = _without_score(clauses)
            hits = bm25.search(index, bm25.within(query, conditions), MAX_AT_PLACE)
            if blocks := _visible(snapshot, [block for block, _ in hits]):
                return _Place(query, frozenset(blocks), exact)
        exact = False
        groups = [[place.wider for place in group if place.wider] for group in groups]
    return None


def _without_score(clauses: list[tuple[Occur, Query]]) -> Query:
    return Query.const_score_query(Query.boolean_query(clauses), 0.0)


def _present(snapshot: Snapshot, index: Words, query: Query, count: int) -> dict[int, float]:
    """Return the hits that are still in the database.

    Fetch more hits if the BM25 index is behind or the last hits tie, because otherwise the choice among ties would
    depend on the order of ingestion.
    """
    limit = count + 10
    while True:
        hits = bm25.search(index, query, limit)
        present = dict(hits)
        if snapshot.health != "current":
            there = _visible(snapshot, [*present])
            present = {block: score for block, score in hits if block in there}
        full = len(present) >= count and hits[-1][1] < hits[count - 1][1]
        if full or len(hits) < limit or limit >= MAX_FETCHED:
            return present
        limit *= 4


def _visible(snapshot: Snapshot, blocks: list[int]) -> set[int]:
    """Return the given blocks that are in visible documents."""
    rows = snapshot.connection.execute(
        "SELECT id, doc FROM blocks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(blocks),)
    )
    return {block for block, doc in rows if doc in snapshot.visible}


def neighbours(snapshot: Snapshot, question: Question, also: Collection[int]) -> Neighbours:
    """Return the nearest blocks by vector, and those blocks in `also` that have a vector."""
    if snapshot.matrix is None or snapshot.mask is None or question.vector is None:
        return Neighbours()
    ranking = snapshot.ranking
    count = max(ranking.dense_candidates, 4 * question.search.top_k)
    return nearest(snapshot.matrix, snapshot.mask, snapshot.languages, question.vector, count, also, ranking.language)


def query_terms(index: Words, words: Sequence[Word], conditions: Conditions, readable: Conditions) -> QueryTerms:
    """Classify the query's words, and estimate the best attainable score from their document frequencies.

    `conditions` restrict the search results. `readable` restricts the counts to readable documents regardless of the
    filters, because a word is not rare merely because it is rare in one document. A word that does not occur counts as
    much as the rarest possible word. A question in a foreign language, which matches by only a few words, therefore
    gets only a small part of the attainable score. Raises DamagedIndex.
    """
    content = tuple(word for word in words if word.kind != "function")
    telling = content or tuple(words)
    rare: list[tuple[frozenset[int], Word]] = []
    unknown, attainable = [], 0.0
    with tantivy_errors():
        passages = index.searcher.num_docs
        for word in telling:
            having = _is_common(index, "body", word.variants, conditions) or bool(
                _first_with(index, "body", word.variants, conditions)
            )
            # Document frequencies include hidden and removed blocks, so they do not prove that a word is known.
            count = max(index.searcher.doc_freq("body", term) for term in word.variants) if having else 0
            # Inverse document frequency as in BM25 (Robertson and Zaragoza 2009).
            count = min(count, passages)
            attainable += math.log(1 + (passages - count + 0.5) / (count + 0.5))
            if not having:
                # The context includes document names.
                if not _first_with(index, "context", word.variants, conditions):
                    unknown.append(word.variants[0])
            elif blocks := _rare(index, word, readable):
                rare.append((blocks, word))
    rare.sort(key=lambda entry: len(entry[0]))
    having_rare, rare_words = zip(*rare, strict=True) if rare else ((), ())
    return QueryTerms(telling, attainable, having_rare, rare_words, tuple(unknown), not content)


def _rare(index: Words, word: Word, readable: Conditions) -> frozenset[int]:
    """Return the blocks that contain a rare word as written or, if there are none, by its stem. Return an empty set if
    the word is not rare."""
    for name, terms in (("exact", word.variants[:1]), ("body", word.variants)):
        if _is_common(index, name, terms, readable):
            return frozenset()
        if blocks := _first_with(index, name, terms, readable):
            return blocks if len(blocks) <= MAX_RARE else frozenset()
    return frozenset()


def _is_common(index: Words, field: str, terms: Sequence[str], conditions: Conditions) -> bool:
    """Return whether document frequencies alone show that a term is not rare. They include hidden blocks, so they show
    this only for searches without conditions."""
    if conditions:
        return False
    _, removed = bm25.entry_counts(index)
    return max(index.searcher.doc_freq(field, term) for term in terms) - removed > MAX_RARE


def _first_with(index: Words, field: str, terms: Sequence[str], conditions: Conditions) -> frozenset[int]:
    """Return up to `MAX_RARE + 1` blocks that contain one of the terms.

    The conditions are part of the query. If hits were filtered afterwards, the response time would reveal how many
    hidden blocks match.
    """
    query: Query = bm25.within(bm25.any_of(field, terms), conditions)
    return frozenset(block for block, _ in bm25.search(index, query, MAX_RARE + 1))
