"""Which blocks a search considers, and what speaks for each: the best by words, the nearest by vectors, and those at a
place that the query names."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tantivy import Occur, Query

from corpus.filters import Filters
from corpus.index.local import bm25
from corpus.index.local.analysis import Word, language_of, query_words, written_words
from corpus.index.local.bm25 import Conditions, Scope, Words
from corpus.index.local.bm25_sync import tantivy_errors
from corpus.index.local.nearest_neighbours import Neighbours, nearest
from corpus.index.local.rows import KINDS
from corpus.index.local.snapshot import Question, Snapshot
from corpus.places import Place, PlaceQuery, places_in

MAX_FETCHED = 5_000
MAX_AT_PLACE = 2_000
"""Blocks at a place that are considered: "page 3" is in every document."""
MAX_RARE = 3
"""Passages in which a word stands that is rare."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The `words` that say something: all but the function words, unless there are `only_function_words`. `attainable`
    is about the BM25 score of a passage of average length that has each once. `rare` are the row ids of the blocks with
    each of the `rare_words`, the rarest first. `unknown` are words that no passage has that may be found."""

    words: tuple[Word, ...] = ()
    attainable: float = 0.0
    rare: tuple[frozenset[int], ...] = ()
    rare_words: tuple[Word, ...] = ()
    unknown: tuple[str, ...] = ()
    only_function_words: bool = False


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
    written = written_words(named.text if place else question.text)
    words, cut = query_words(written, snapshot.stemmed, ranking.max_words)
    missing = named.places if not (place and place.exact) and not empty else ()
    at_place = place.blocks if place else frozenset()
    if empty or not words:
        return LexicalMatches(asked=bool(words) or bool(place), at_place=at_place, missing=missing, cut=cut)
    terms = query_terms(index, words, conditions, _readable(snapshot, scope, conditions))
    query = bm25.any_word(terms.words, exact=ranking.exact, context=ranking.context)
    wanted = max(ranking.lexical_candidates, 2 * question.search.top_k)
    scores = _present(snapshot, index, bm25.within(query, conditions), wanted)
    also: list[tuple[Query, Query]] = []
    if not scores.keys() >= {block for blocks in terms.rare for block in blocks}:
        having = [(Occur.Should, bm25.any_of("body", word.variants)) for word in terms.rare_words]
        also.append((query, _without_score(having)))
    if place:
        # At a place of many documents, the one that is named is meant.
        by_names = bm25.any_word(terms.words, exact=ranking.exact, context=ranking.context_at_place)
        also.append((by_names, place.query))
    for best, needed in also:
        both = Query.boolean_query([(Occur.Must, best), (Occur.Must, needed)])
        scores |= _present(snapshot, index, bm25.within(both, conditions), wanted)
    pages: list[tuple[int, float]] = []
    if ranking.page and not scope.kinds:
        pages = _searched(index, bm25.within(bm25.any_word_of_a_page(terms.words), conditions), wanted)
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
    exact: bool


def _place(snapshot: Snapshot, index: Words, named: PlaceQuery, conditions: Conditions) -> _Place | None:
    """The blocks at all that is named, else at any of it, else at what it is a part of; None where there are none."""
    # A deck may be a PDF of which nothing says that its pages are slides.
    groups = [
        [*group, *(Place("page", place.label) for place in group if place.kind == "slide")]
        for group in named.alternatives
    ]
    exact = True
    while any(groups):
        for groups_asked in (groups, [[place for group in groups for place in group]]):
            asked = [
                (Occur.Must, bm25.any_of("places", [place.term for place in group]))
                for group in groups_asked
                if group
            ]
            query = _without_score(asked)
            hits = _searched(index, bm25.within(query, conditions), MAX_AT_PLACE)
            if blocks := _visible(snapshot, [block for block, _ in hits]):
                return _Place(query, frozenset(blocks), exact)
        exact = False
        groups = [[place.wider for place in group if place.wider] for group in groups]
    return None


def _without_score(parts: list[tuple[Occur, Query]]) -> Query:
    return Query.const_score_query(Query.boolean_query(parts), 0.0)


def _searched(index: Words, query: Query, limit: int) -> list[tuple[int, float]]:
    with tantivy_errors():
        return bm25.search(index, query, limit)


def _present(snapshot: Snapshot, index: Words, query: Query, wanted: int) -> dict[int, float]:
    """The hits that the database still has: more are fetched where the word index lags and some are gone, or where the
    last have the same score, since which of these come would depend on the order of ingestion."""
    limit = wanted + 10
    while True:
        hits = _searched(index, query, limit)
        present = dict(hits)
        if snapshot.health != "current":
            there = _visible(snapshot, [*present])
            present = {block: score for block, score in hits if block in there}
        full = len(present) >= wanted and hits[-1][1] < hits[wanted - 1][1]
        if full or len(hits) < limit or limit >= MAX_FETCHED:
            return present
        limit *= 4


def _visible(snapshot: Snapshot, blocks: list[int]) -> set[int]:
    """Those that the database has in documents that may be found."""
    rows = snapshot.connection.execute(
        "SELECT id, doc FROM blocks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(blocks),)
    )
    return {block for block, doc in rows if doc in snapshot.visible}


def neighbours(snapshot: Snapshot, question: Question, also: Collection[int]) -> Neighbours:
    """The nearest blocks, and those in `also` that have a vector."""
    if snapshot.matrix is None or snapshot.mask is None or question.vector is None:
        return Neighbours()
    ranking = snapshot.ranking
    count = max(ranking.dense_candidates, 4 * question.search.top_k)
    return nearest(
        snapshot.matrix, snapshot.mask, snapshot.languages, question.vector, count, also, ranking.language
    )


def query_terms(
    index: Words, words: Sequence[Word], conditions: Conditions, readable: Conditions
) -> QueryTerms:
    """`conditions` hold a search to what may be found, `readable` to what the caller may read whatever the filters: a
    word is not rare for being rare in one document. Raises DamagedIndex.

    A word that no passage has counts as much as the rarest one could: a question in another language than the text
    matches it by a few words at most, and reaches little of what is attainable.
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
            # What may not be read must not make a word known; and what was removed is still counted.
            count = max(index.searcher.doc_freq("body", term) for term in word.variants) if having else 0
            attainable += _weight(passages, count)
            if not having:
                # What documents are called is there, too.
                if not _first_with(index, "context", word.variants, conditions):
                    unknown.append(word.variants[0])
            elif blocks := _rare(index, word, readable):
                rare.append((blocks, word))
    rare.sort(key=lambda found: len(found[0]))
    having_rare, rare_words = zip(*rare, strict=True) if rare else ((), ())
    return QueryTerms(telling, attainable, having_rare, rare_words, tuple(unknown), not content)


def _rare(index: Words, word: Word, readable: Conditions) -> frozenset[int]:
    """The blocks that have the word where these are few: as it is written, or else by its stem."""
    for name, terms in (("exact", word.variants[:1]), ("body", word.variants)):
        if _is_common(index, name, terms, readable):
            return frozenset()
        if blocks := _first_with(index, name, terms, readable):
            return blocks if len(blocks) <= MAX_RARE else frozenset()
    return frozenset()


def _is_common(index: Words, field: str, terms: Sequence[str], conditions: Conditions) -> bool:
    """Whether the counts of the index alone say that more blocks have one of the terms than may have a rare word. What
    was removed is in them still, and what may not be found."""
    if conditions:
        return False
    _, removed = bm25.entry_counts(index)
    return max(index.searcher.doc_freq(field, term) for term in terms) - removed > MAX_RARE


def _first_with(index: Words, field: str, terms: Sequence[str], conditions: Conditions) -> frozenset[int]:
    """Blocks with one of the terms, one more than may have a rare word at most.

    Not the first of all, looked through for those that may be read: how many those are would show in the time."""
    query: Query = bm25.within(bm25.any_of(field, terms), conditions)
    return frozenset(block for block, _ in bm25.search(index, query, MAX_RARE + 1))


def _weight(passages: int, having: int) -> float:
    """The inverse document frequency as BM25 has it."""
    count = min(having, passages)
    return math.log(1 + (passages - count + 0.5) / (count + 0.5))
