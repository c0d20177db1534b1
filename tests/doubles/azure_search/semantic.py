"""A substitute for the semantic ranker. It has no language model, but prefers rows that share words with a query or are
close to it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.doubles.azure_search.definition import Semantic
from tests.doubles.azure_search.errors import Refused
from tests.doubles.azure_search.snapshot import Snapshot
from tests.doubles.azure_search.vectors import Scores
from tests.doubles.azure_search.words import standard_terms

RERANKED = 50
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_BEST = 4.0


class Reranker:
    """Scores rows from 0 to 4, always the same for the same query, row and index."""

    def __init__(self, snapshot: Snapshot, of: Semantic, query: str, closeness: Scores | None) -> None:
        self._snapshot = snapshot
        self._of = of
        self._closeness = closeness
        self._terms = dict.fromkeys(standard_terms(query))
        self._weights = {term: self._rarity(term) for term in self._terms}

    def score(self, row: int) -> float:
        """Return the weighted fraction of the query's words in the row; rare words weigh more. If the closeness is
        known, it counts half."""
        words = self._snapshot.bag(row, self._of.fields)
        whole = sum(self._weights.values())
        share = sum(weight for term, weight in self._weights.items() if term in words) / whole if whole else 0.0
        if self._closeness is not None:
            share = (share + float(self._closeness[row])) / 2
        return float(np.float32(_BEST * share))

    def caption(self, row: int, *, marked: bool) -> dict[str, str]:
        """Return the sentence with the largest part of the query, and the same sentence with the query words marked."""
        text = self._best_sentence(row)
        return {"text": text, "highlights": self.marked(text) if marked else ""}

    def marked(self, text: str) -> str:
        def mark(word: re.Match[str]) -> str:
            return f"<em>{word.group()}</em>" if word.group().lower() in self._terms else word.group()

        return re.sub(r"\w+", mark, text)

    def _best_sentence(self, row: int) -> str:
        texts = self._snapshot.texts(row, self._of.content or self._of.fields)
        sentences = [one.strip() for text in texts for one in _SENTENCE_END.split(text) if one.strip()]
        return max(sentences, key=self._weight, default="")

    def _weight(self, sentence: str) -> float:
        return sum(self._weights.get(term, 0.0) for term in set(standard_terms(sentence)))

    def _rarity(self, term: str) -> float:
        return max((self._snapshot.words(name).rarity(term) for name in self._of.fields), default=1.0)


def answers(
    reranker: Reranker, scores: dict[int, float], snapshot: Snapshot, wish: dict[str, str]
) -> list[dict[str, Any]]:
    """Return the best sentences whose score, from 0 to 1, is at least the threshold."""
    count, threshold = int(wish.get("count", 1)), float(wish.get("threshold", 0.7))
    best = sorted(scores, key=lambda row: -scores[row])[:count]
    found = [(row, reranker.caption(row, marked=True)) for row in best if scores[row] / _BEST >= threshold]
    return [{"key": snapshot.keys[row], **caption, "score": scores[row] / _BEST} for row, caption in found]


def not_enabled() -> Refused:
    message = "Semantic search is not enabled for this service.\r\nParameter name: queryType"
    return Refused(400, message, code="FeatureNotSupportedInService", detail="SemanticQueriesNotAvailable")


def overloaded() -> Refused:
    return Refused(503, "The semantic ranker is over its capacity. Try again later.")
