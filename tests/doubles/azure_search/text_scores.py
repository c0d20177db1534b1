"""Scores that a text query gives to the rows of a snapshot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.inverted import FieldWords, Scores
from tests.doubles.azure_search.snapshot import Snapshot
from tests.doubles.azure_search.text_query import (
    Close,
    Combined,
    Everything,
    Pattern,
    Phrase,
    Prefix,
    Query,
    Within,
    Words,
)

_MAX_CLAUSES = 3000


class Scorer:
    """Computes a score for each row of a snapshot. A score of 0 or less is not a match."""

    def __init__(self, snapshot: Snapshot, fields: list[str], weights: dict[str, float], *, every: bool) -> None:
        self._snapshot = snapshot
        self._fields = fields
        self._weights = weights
        self._every = every
        self._clauses = 0

    def scores(self, query: Query) -> Scores:
        match query:
            case Everything():
                return np.ones(self._snapshot.size)
            case Within(inner, field, boost):
                chosen = [field] if field else self._fields
                scorer = Scorer(self._snapshot, chosen, self._weights, every=self._every)
                return scorer.scores(inner) * boost
            case Combined():
                return self._combined(query)
            case Words(text):
                return self._words(text)
            case Phrase(text, slop):
                return self._summed(lambda name, field: self._phrase(name, field, text, slop))
            case Prefix(text):
                return self._summed(lambda _, field: field.any_of(field.starting_with(text.lower())))
            case Pattern(expression):
                return self._matching(lambda term: bool(expression.fullmatch(term)))
            case Close(text, edits):
                return self._matching(lambda term: _near(term, text.lower(), edits))

    def _combined(self, query: Combined) -> Scores:
        must = [self.scores(one) for one in query.must]
        should = [self.scores(one) for one in query.should]
        denied = [self.scores(one) for one in query.must_not]
        total = np.zeros(self._snapshot.size)
        for scores in (*must, *should):
            total = total + scores
        for scores in must:
            total[scores <= 0] = 0
        for scores in denied:
            total[scores > 0] = 0
        return total

    def _words(self, text: str) -> Scores:
        """Score the terms of one word, which are alternatives or all required, depending on the search mode."""
        per_field = {name: self._snapshot.query_terms(name, text) for name in self._fields}
        places = max((len(terms) for terms in per_field.values()), default=0)
        found = [self._summed(self._scored_at(per_field, at)) for at in range(places)]
        total = np.sum(found, axis=0) if found else np.zeros(self._snapshot.size)
        if self._every and found:
            total[np.min(found, axis=0) <= 0] = 0
        return total

    def _scored_at(self, per_field: dict[str, list[str]], at: int) -> Callable[[str, FieldWords], Scores]:
        def score(name: str, field: FieldWords) -> Scores:
            terms = per_field[name]
            return field.term(terms[at]) if at < len(terms) else np.zeros(field.size)

        return score

    def _phrase(self, name: str, field: FieldWords, text: str, slop: int) -> Scores:
        terms = self._snapshot.query_terms(name, text)
        return field.phrase(terms, slop) if terms else np.zeros(self._snapshot.size)

    def _matching(self, fits: Callable[[str], bool]) -> Scores:
        return self._summed(lambda _, field: field.any_of(term for term in field.vocabulary if fits(term)))

    def _summed(self, score: Callable[[str, FieldWords], Scores]) -> Scores:
        total = np.zeros(self._snapshot.size)
        for name in self._fields:
            self._count()
            total = total + score(name, self._snapshot.words(name)) * self._weights.get(name, 1.0)
        return total

    def _count(self) -> None:
        self._clauses += 1
        if self._clauses > _MAX_CLAUSES:
            message = "The query generated too many clauses: more than 3000."
            raise Refused(400, message, code="InvalidRequestParameter", detail="ClauseLimitExceeded")


def _near(one: str, other: str, edits: int) -> bool:
    if abs(len(one) - len(other)) > edits:
        return False
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for to, wanted in enumerate(other, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (letter != wanted))
        if min(row) > edits:
            return False
    return row[-1] <= edits
