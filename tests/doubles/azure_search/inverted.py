"""The inverted index of one field: postings, and their BM25 scores."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

K1, B = 1.2, 0.75
_GAP = 100
"""Number of positions between two values of a collection, so that no phrase spans two values."""

Scores = npt.NDArray[np.float64]
Places = dict[int, list[int]]
"""Positions of a term, by row."""


class FieldWords:
    """The inverted index. Rows are numbered. A row's value is a text, several texts, or nothing."""

    def __init__(self, values: Sequence[object], terms_of: Callable[[str], list[str]]) -> None:
        self.size = len(values)
        self._postings: dict[str, Places] = {}
        self._lengths = np.zeros(self.size)
        for row, value in enumerate(values):
            self._add(row, [value] if isinstance(value, str) else value, terms_of)
        self._filled = int(np.count_nonzero(self._lengths))
        average = self._lengths.sum() / max(self._filled, 1)
        self._norms = K1 * (1 - B + B * self._lengths / max(average, 1e-9))
        self._vocabulary: list[str] | None = None
        self._known: dict[str, Scores] = {}

    def _add(self, row: int, texts: object, terms_of: Callable[[str], list[str]]) -> None:
        place = 0
        for text in texts if isinstance(texts, list) else ():
            terms = terms_of(text)
            for at, term in enumerate(terms, place):
                self._postings.setdefault(term, {}).setdefault(row, []).append(at)
            self._lengths[row] += len(terms)
            place += len(terms) + _GAP

    def term(self, term: str) -> Scores:
        """Return each row's score for a term; 0 for a row without it."""
        if term not in self._known:
            self._known[term] = self._bm25(self._postings.get(term, {}), [term])
        return self._known[term]

    def phrase(self, terms: list[str], slop: int = 0) -> Scores:
        postings = [self._postings.get(term, {}) for term in terms]
        rows = set(postings[0]).intersection(*postings[1:])
        found = {row: at for row in rows if (at := _runs([places[row] for places in postings], slop))}
        return self._bm25(found, terms)

    def any_of(self, terms: Iterable[str]) -> Scores:
        """Return 1 for each row with one of the terms, because patterns are not weighted."""
        scores = np.zeros(self.size)
        for term in terms:
            scores[list(self._postings[term])] = 1.0
        return scores

    def starting_with(self, start: str) -> list[str]:
        vocabulary = self.vocabulary
        end = at = bisect_left(vocabulary, start)
        while end < len(vocabulary) and vocabulary[end].startswith(start):
            end += 1
        return vocabulary[at:end]

    @property
    def vocabulary(self) -> list[str]:
        if self._vocabulary is None:
            self._vocabulary = sorted(self._postings)
        return self._vocabulary

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency of the term."""
        having = len(self._postings.get(term, ()))
        return math.log(1 + (self._filled - having + 0.5) / (having + 0.5))

    def _bm25(self, found: Places, terms: list[str]) -> Scores:
        scores = np.zeros(self.size)
        if found:
            rows = np.fromiter(found, dtype=np.intp, count=len(found))
            counts = np.fromiter((len(places) for places in found.values()), dtype=np.float64, count=len(found))
            scores[rows] = sum(map(self.rarity, terms)) * counts / (counts + self._norms[rows])
        return scores


def _runs(places: list[list[int]], slop: int) -> list[int]:
    """Return the positions at which the terms follow each other, with at most `slop` positions between them in
    total."""
    later = [set(own) for own in places[1:]]
    if not slop:
        return [start for start in places[0] if all(start + at in own for at, own in enumerate(later, 1))]
    return [start for start in places[0] if _within(start, places[1:], slop)]


def _within(start: int, later: list[list[int]], slop: int) -> bool:
    end = start
    for own in later:
        following = [place for place in own if place > end]
        if not following:
            return False
        end = min(following)
    return end - start - len(later) <= slop
