"""Which blocks a search considers: the best by words and the best by vectors, among those allowed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.promise import Vectors
from corpus.filters import Filters
from corpus.index.local import kernel, lexical, packs
from corpus.index.local.analysis import query_words
from corpus.index.local.lexical import Scope
from corpus.index.local.matrix import Matrix
from corpus.index.local.replay import damage
from corpus.index.local.rows import KINDS
from corpus.index.local.view import Asked, View

NARROW = 0.25
"""Share of the rows below which copying the allowed ones and scanning those is cheaper than scanning all."""
MOST_FETCHED = 5_000

Scores = dict[int, float]
"""By row id of a block."""


@dataclass(frozen=True, slots=True)
class ByWords:
    """BM25 scores; whether there was a word to ask for; how much of what the query's words could score the best
    passage has, 0..1; whether words were left out."""

    scores: Scores = field(default_factory=dict)
    asked: bool = False
    reach: float = 0.0
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
    with damage():
        full = ranking.full_reach * lexical.attainable(found, words, scope.docs)

    def fetch(limit: int) -> list[tuple[int, float]]:
        with damage():
            return lexical.search(found, query, limit)

    scores = _alive(view, fetch, wanted)
    reach = min(1.0, max(scores.values(), default=0.0) / full) if full else 0.0
    return ByWords(scores, True, reach, cut)


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
    rows = view.connection.execute(
        "SELECT id, doc FROM blocks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(blocks),)
    )
    return {block for block, doc in rows if doc in view.allowed}


@dataclass(frozen=True, slots=True)
class ByVectors:
    """Cosines, and the lowest one of all blocks that were looked at."""

    scores: Scores = field(default_factory=dict)
    lowest: float | None = None


def by_vectors(view: View, asked: Asked, also: Iterable[int]) -> ByVectors:
    """Exact cosines of the best blocks, and of those in `also` that have a vector."""
    if view.matrix is None or asked.vector is None:
        return ByVectors()
    count = max(view.ranking.rescored, 4 * asked.search.top_k)
    mask = _mask(view, view.matrix, asked.search.filters)
    best, lowest = _best(view.matrix, asked.vector, mask, count)
    halves = packs.exact(view.connection, view.embedder, {*best, *also})
    exact = kernel.cosines(asked.vector, list(halves.values()))
    return ByVectors(dict(zip(halves, exact, strict=True)), lowest)


def _mask(view: View, matrix: Matrix, filters: Filters) -> NDArray[np.bool_] | None:
    """Which rows may be found; None for all."""
    if view.allowed.everything and not matrix.dead and not (filters.page_number or filters.block_type):
        return None
    mask = view.allowed.among(matrix.docs)
    if filters.page_number:
        mask &= np.isin(matrix.pages, filters.page_number)
    if filters.block_type:
        mask &= np.isin(matrix.kinds, [KINDS[kind] for kind in filters.block_type])
    return mask


def _best(
    matrix: Matrix, query: Vectors, mask: NDArray[np.bool_] | None, count: int
) -> tuple[list[int], float | None]:
    """Row ids of the blocks nearest by int8, and about the lowest cosine of all; None where there is no block."""
    if mask is not None and np.count_nonzero(mask) < NARROW * len(mask):
        rows = np.flatnonzero(mask)
        near = kernel.similarities(query, matrix.codes[rows], matrix.scales[rows])
        return _top(matrix.blocks[rows], near, count), _lowest(near)
    near = kernel.similarities(query, matrix.codes, matrix.scales)
    if mask is None:
        return _top(matrix.blocks, near, count), _lowest(near)
    lowest = _lowest(near[mask])
    near[~mask] = -np.inf
    return _top(matrix.blocks, near, min(count, int(np.count_nonzero(mask)))), lowest


def _top(blocks: NDArray[np.int64], near: Vectors, count: int) -> list[int]:
    return [int(block) for block in blocks[kernel.highest(near, count)]] if count else []


def _lowest(near: Vectors) -> float | None:
    return float(near.min()) if len(near) else None
