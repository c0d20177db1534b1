"""A search, from its request to its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.doubles.azure_search.errors import bad_parameter
from tests.doubles.azure_search.facets import facets_of
from tests.doubles.azure_search.full_query import parse_full
from tests.doubles.azure_search.options import MAX_PAGE, PAGE, Options, read_options
from tests.doubles.azure_search.order import ordered
from tests.doubles.azure_search.ranking import Ranked, best_first, fused
from tests.doubles.azure_search.semantic import RERANKED, Reranker, answers, not_enabled, overloaded
from tests.doubles.azure_search.simple_query import parse_simple
from tests.doubles.azure_search.snapshot import Mask, Snapshot
from tests.doubles.azure_search.text_query import Everything, Query
from tests.doubles.azure_search.text_scores import Scorer
from tests.doubles.azure_search.vector_query import Vectorize, VectorQueries
from tests.doubles.azure_search.vectors import Scores

_TEXT_RECALL = 1000
"""Maximum number of text hits in a fusion."""
Answer = dict[str, Any]


class Search:
    """A search on a snapshot. `answer()` returns the status and the body, except for parts that contain the service's
    address."""

    def __init__(
        self, body: Mapping[str, Any], snapshot: Snapshot, *, vectorize: Vectorize | None, ranker: str, seed: list[int]
    ) -> None:  # fmt: skip
        self._body = body
        self._snapshot = snapshot
        self._ranker = ranker
        self._rng = np.random.default_rng(seed)
        self._options = read_options(body, snapshot.definition)
        self._vectors = VectorQueries(body.get("vectorQueries") or [], snapshot, vectorize)
        self._reranked: dict[int, float] = {}
        self._captions: dict[int, dict[str, str]] = {}
        self._answers: list[Answer] = []
        self._status = 200

    def answer(self) -> tuple[int, Answer]:
        options = self._options
        found = self._found(self._snapshot.passing(options.filter))
        scores = np.zeros(self._snapshot.size)
        scores[found.rows] = found.scores
        rows = ordered(found.rows.tolist(), options.order, self._snapshot, scores)
        if options.semantic:
            rows = self._rerank(rows, options)
        page = rows[options.skip : options.skip + self._page_size]
        answer: Answer = {"@odata.count": len(rows)} if options.count else {}
        if "minimumCoverage" in self._body:
            answer["@search.coverage"] = 100.0
        if options.facets:
            answer["@search.facets"] = facets_of(options.facets, self._snapshot, rows)
        if options.semantic:
            answer["@search.answers"] = self._answers
        if self._status == 206:
            answer["@search.semanticPartialResponseReason"] = "capacityOverloaded"
            answer["@search.semanticPartialResponseType"] = "baseResults"
        if next_page := self._next_page(len(rows)):
            answer["@search.nextPageParameters"] = next_page
        return self._status, answer | {"value": [self._hit(row, float(scores[row])) for row in page]}

    def _found(self, passing: Mask) -> Ranked:
        options = self._options
        lists = list(self._vectors.lists(passing, options.filter_mode, self._rng))
        if options.text is not None or not lists:
            scores = self._text_scores(options)
            # A search for words alone has no limit on hits; a fusion has one.
            most = _TEXT_RECALL if lists else None
            lists.append(best_first(scores, passing & (scores > 0), self._rng, most))
        return fused(lists, self._snapshot.size, self._rng)

    def _text_scores(self, options: Options) -> Scores:
        scorer = Scorer(self._snapshot, options.fields, options.weights, every=options.every)
        try:
            query = self._query(options)
            return np.zeros(self._snapshot.size) if query is None else scorer.scores(query)
        except RecursionError:
            raise bad_parameter("The search text is nested too deeply.", "search") from None

    def _query(self, options: Options) -> Query | None:
        text = options.text
        if text is None or text.strip() == "*":
            return Everything()
        if options.query_type != "full":
            return parse_simple(text, every=options.every)
        searchable = frozenset(name for name, field in self._snapshot.definition.fields.items() if field.text)
        return parse_full(text, every=options.every, searchable=searchable)

    def _rerank(self, rows: list[int], options: Options) -> list[int]:
        """Sort the best rows by the ranker's score. The other rows follow in their previous order."""
        assert options.semantic
        if self._ranker == "unavailable":
            raise not_enabled()
        if self._ranker == "partial" and options.fails_whole:
            raise overloaded()
        query = options.semantic_query or options.text
        if self._ranker == "partial":
            self._status = 206
        if self._status == 206 or not query or query.strip() == "*":
            return rows
        reranker = Reranker(self._snapshot, options.semantic, query, self._vectors.closeness())
        self._reranked = {row: reranker.score(row) for row in rows[:RERANKED]}
        if options.captions is not None:
            marked = options.captions.get("highlight") != "false"
            self._captions = {row: reranker.caption(row, marked=marked) for row in self._reranked}
        if options.answers is not None:
            self._answers = answers(reranker, self._reranked, self._snapshot, options.answers)
        return sorted(self._reranked, key=lambda row: -self._reranked[row]) + rows[RERANKED:]

    def _hit(self, row: int, score: float) -> Answer:
        hit: Answer = {"@search.score": float(np.float32(score))}
        if row in self._reranked:
            hit["@search.rerankerScore"] = self._reranked[row]
        if row in self._captions:
            hit["@search.captions"] = [self._captions[row]]
        values = self._snapshot.rows[row]
        return hit | {name: values[name] for name in self._options.select}

    @property
    def _page_size(self) -> int:
        return PAGE if self._options.top is None else min(self._options.top, MAX_PAGE)

    def _next_page(self, found: int) -> Answer | None:
        """Return the request for the remaining rows; None if no rows remain."""
        end = self._options.skip + self._page_size
        top = self._options.top
        if found <= end or (top is not None and top <= MAX_PAGE):
            return None
        return dict(self._body) | {"top": None if top is None else top - MAX_PAGE, "skip": end}
