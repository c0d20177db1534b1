"""Which blocks a search considers: the best by words and the best by vectors, among those allowed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from corpus.filters import Filters
from corpus.index.local import favour, kernel, lexical
from corpus.index.local import vector_blobs as packs
from corpus.index.local.analysis import query_words
from corpus.index.local.attainable import attainable
from corpus.index.local.bm25_sync import tantivy_errors as damage
from corpus.index.local.lexical import Scope
from corpus.index.local.near import nearest
from corpus.index.local.rows import KINDS
from corpus.index.local.view import Asked, View

MOST_FETCHED = 5_000

Scores = dict[int, float]
"""By row id of a block."""


@dataclass(frozen=True, slots=True)
class ByWords:
    """BM25 scores; whether there was a word to ask for; `full` and `coded` as `fusion.Match` has them; whether words
    were left out."""

    scores: Scores = field(default_factory=dict)
    asked: bool = False
    full: float = 0.0
    coded: float = 0.0
    cut: bool = False


def by_words(view: View, asked: Asked) -> ByWords:
    """Raises Damaged."""
    ranking, found = view.ranking, view.words
    if found is None:
        return ByWords()
    languages = [language for (language,) in view.connection.execute("SELECT language FROM languages")]
    words, cut = query_words(asked.text, languages, ranking.most_words)
    if not words or not len(view.allowed.docs):
        return ByWords(asked=bool(words))
    scope = _scope(view, asked.search.filters)
    query = lexical.query_for(words, ranking.context, scope)
    wanted = max(ranking.candidates, 2 * asked.search.top_k)
    could = attainable(found, words, scope.docs)

    def fetch(limit: int) -> list[tuple[int, float]]:
        with damage():
            return lexical.search(found, query, limit)

    scores = _alive(view, fetch, wanted)
    return ByWords(scores, True, ranking.full_reach * could.score, could.coded, cut)


def _scope(view: View, filters: Filters) -> Scope:
    docs = None if view.allowed.everything else view.allowed.docs.tolist()
    return Scope(docs, filters.page_number, [KINDS[kind] for kind in filters.block_type])


def _alive(view: View, fetch: Callable[[int], list[tuple[int, float]]], wanted: int) -> Scores:
    """The hits that the database still has, fetching more when the word index lags and some are gone."""
    limit = wanted + 10
    while True:
        hits = fetch(limit)
        there = _there(view, [block for block, _ in hits])
        alive = {block: score for block, score in hits if block in there}
        if len(alive) >= wanted or len(hits) < limit or limit >= MOST_FETCHED:
            return alive
        limit *= 4


def _there(view: View, blocks: list[int]) -> set[int]:
    return {block for block, doc in documents_of(view, blocks).items() if doc in view.allowed}


def documents_of(view: View, blocks: Iterable[int]) -> dict[int, int]:
    """Row ids of the blocks that the database has, each with that of its document."""
    return dict(
        view.connection.execute(
            "SELECT id, doc FROM blocks WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([*blocks]),),
        )
    )


@dataclass(frozen=True, slots=True)
class ByVectors:
    """Cosines; the same with what the embedder gives to a language taken back, to rank by; the lowest of these of
    all blocks that were looked at; and, where there are several, the number of each known language."""

    cosines: Scores = field(default_factory=dict)
    scores: Scores = field(default_factory=dict)
    lowest: float | None = None
    languages: dict[int, int] = field(default_factory=dict)


def by_vectors(view: View, asked: Asked, also: Iterable[int]) -> ByVectors:
    """Exact cosines of the best blocks, and of those in `also` that have a vector."""
    if view.matrix is None or asked.vector is None:
        return ByVectors()
    count = max(view.ranking.rescored, 4 * asked.search.top_k)
    near = nearest(view.matrix, view.within, asked.vector, count, view.ranking)
    halves = packs.exact(view.connection, view.embedder, {*near.blocks, *also})
    exact = dict(zip(halves, kernel.cosines(asked.vector, list(halves.values())), strict=True))
    if near.added is None:
        return ByVectors(exact, exact, near.lowest)
    spoken = _languages(view, exact)
    evened = {block: exact[block] + float(near.added[number]) for block, number in spoken.items()}
    known = {block: number for block, number in spoken.items() if number != favour.UNKNOWN}
    return ByVectors(exact, evened, near.lowest, known)


def _languages(view: View, blocks: Iterable[int]) -> dict[int, int]:
    """The number of the language of each, `favour.UNKNOWN` where it is not known."""
    documents = documents_of(view, blocks)
    spoken = view.languages.of(np.array([*documents.values()], dtype=np.int64))
    return {block: int(number) for block, number in zip(documents, spoken, strict=True)}
