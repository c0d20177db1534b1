"""Searches by keywords, by vectors and by both, within each scope, in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench.blocks import SCOPES, NoEmbedder, Source
from bench.measured import measured
from bench.record import Row
from bench.search.truth import Truth
from corpus.access import Caller
from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.index.local.snapshot import Question
from corpus.search import Search, SearchResult

TOP = 10
WAYS = {"words": "lexical", "vectors": "vector", "both": "hybrid"}


class Questions:
    """The texts and vectors of questions, which are the same in every run."""

    def __init__(self, source: Source, count: int) -> None:
        self.texts = [source.query() for _ in range(count)]
        self.vectors: Vectors = source.vectors(count)

    def asked(self, n: int, way: str, caller: Caller, filters: Filters) -> Question:
        n %= len(self.texts)
        text = "" if way == "vectors" else self.texts[n]
        vector = None if way == "words" else self.vectors[n]
        return Question(Search(text, TOP, filters), caller, text, NoEmbedder.id, vector)


def searching(index: LocalIndex, questions: Questions, way: str, scope: str) -> Callable[[int], SearchResult]:
    """Return a function that runs the search with the given number. Queries do not repeat, so caches have no effect."""
    caller, filters = SCOPES[scope]
    # The result omits a passage that is inside a better one. That does not count as a miss of the vectors.
    only_vectors = Ranking(words=0.0, rare=False, place=0.0, page=0.0, once=False)
    index._searcher._ranking = only_vectors if way == "vectors" else Ranking()
    return lambda n: index._searcher.search(questions.asked(n, way, caller, filters))


def rows(index: LocalIndex, questions: Questions, truth: Truth, count: int) -> list[Row]:
    """Return one row for each scope and way, with times and the numbers of forbidden and missing hits."""
    measured_rows: list[Row] = []
    for scope, (caller, filters) in SCOPES.items():
        allowed = truth.allowed(caller, filters)
        for way, mode in WAYS.items():
            search = searching(index, questions, way, scope)
            times = measured(search, count)
            found = [*map(partial(search), range(min(50, count)))]
            assert {one.mode for one in found} == {mode}
            recall = truth.recall(found, questions.vectors, allowed, TOP) if way == "vectors" else None
            measured_rows.append(
                {"part": "search", "what": way, "scope": scope, **times.row(),
                 "recall": recall, "leaks": truth.leaks(found, allowed)}
            )  # fmt: skip
    return measured_rows
