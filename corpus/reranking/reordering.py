"""Hits of a search in the order of a reranker, or as they were where it fails."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.blocks import passage_text
from corpus.errors import IbidError
from corpus.queries import embeddable
from corpus.reranking.protocol import Reranker
from corpus.search import Found, Hit

LONGEST_TEXT, LONGEST_QUERY = 2_000, 1_000
"""Characters of each text and of the query that a reranker is given."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """`candidates` is how many of the best hits are given to the reranker."""

    reranker: Reranker
    candidates: int = 30

    def asked_of_the_index(self, top_k: int) -> int:
        """How many hits a search must find for `top_k` of them to be chosen here."""
        return max(top_k, self.candidates) if top_k > 0 else top_k

    async def reordered(self, found: Found, query: str, top_k: int) -> Found:
        """The best `top_k`, those given to the reranker by its scores. Whoever calls has found the hits under the
        rights of the one who asks: nothing else is sent."""
        first, rest = found.hits[: self.candidates], found.hits[self.candidates :]
        if len(first) < 2:
            return replace(found, hits=found.hits[:top_k])
        try:
            scores = await self.reranker.scores(query[:LONGEST_QUERY], [_text(hit) for hit in first])
        except IbidError as problem:
            said = f"The results stand in the order of the index: {self.reranker.name} did not rerank them. {problem}"
            return replace(found, hits=found.hits[:top_k], warnings=(*found.warnings, said))
        return replace(found, hits=_in_order(first, rest, _shares(scores))[:top_k])

    async def aclose(self) -> None:
        await self.reranker.aclose()


def _text(hit: Hit) -> str:
    # Some services refuse an empty text.
    return embeddable(passage_text(hit.block), LONGEST_TEXT) or "-"


def _in_order(first: Sequence[Hit], rest: Sequence[Hit], scores: Sequence[float]) -> tuple[Hit, ...]:
    """Best first, equal ones as they were; what was not given to the reranker stays behind."""
    order = sorted(range(len(first)), key=lambda n: (-scores[n], n))
    ranked = [replace(first[n], score=scores[n], score_kind="reranked") for n in order]
    last = min(scores)
    return (*ranked, *(replace(hit, score=min(hit.score, last)) for hit in rest))


def _shares(scores: Sequence[float]) -> list[float]:
    """Scores as they are where all lie in 0..1; the logits that other models give, as probabilities."""
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [1 / (1 + math.exp(-max(-500.0, min(500.0, score)))) for score in scores]
