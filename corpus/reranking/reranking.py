"""Sort search hits by a reranker's scores or, if it fails, leave them in the index's order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.documents.block import passage_text
from corpus.errors import IbidError
from corpus.reranking.protocol import Reranker
from corpus.search import Hit, SearchResult, embeddable

MAX_TEXT, MAX_QUERY = 2_000, 1_000
"""Maximum lengths in characters of a text and of the query sent to a reranker. Most rerankers read up to 512 tokens."""


@dataclass(frozen=True, slots=True)
class Reranking:
    """Reranking of search hits. `candidates` is the number of best hits that the reranker scores."""

    reranker: Reranker
    candidates: int = 30

    def hits_needed(self, top_k: int) -> int:
        """Return how many hits a search must find so that the best `top_k` can be selected from them."""
        return max(top_k, self.candidates) if top_k > 0 else top_k

    async def rerank(self, results: SearchResult, query: str, top_k: int) -> SearchResult:
        """Return the best `top_k` hits, after sorting the candidates by score.

        The hits must come from a search with the user's rights. The reranker receives only those hits.
        """
        first, rest = results.hits[: self.candidates], results.hits[self.candidates :]
        if len(first) < 2:
            return replace(results, hits=results.hits[:top_k])
        try:
            scores = await self.reranker.scores(query[:MAX_QUERY], [_text(hit) for hit in first])
        except IbidError as problem:
            name = self.reranker.name
            warning = f"The results are in the order of the index, because {name} did not rerank them. {problem}"
            return replace(results, hits=results.hits[:top_k], warnings=(*results.warnings, warning))
        return replace(results, hits=_sorted(first, rest, _probabilities(scores))[:top_k])

    async def aclose(self) -> None:
        """Close the reranker."""
        await self.reranker.aclose()


def _text(hit: Hit) -> str:
    # Some services refuse an empty text.
    return embeddable(passage_text(hit.block), MAX_TEXT) or "-"


def _sorted(first: Sequence[Hit], rest: Sequence[Hit], scores: Sequence[float]) -> tuple[Hit, ...]:
    """Sort the candidates by score, and leave ties in their previous order. Hits without a score come after them."""
    order = sorted(range(len(first)), key=lambda n: (-scores[n], n))
    ranked = [replace(first[n], score=scores[n], score_kind="reranked") for n in order]
    last = min(scores)
    return (*ranked, *(replace(hit, score=min(hit.score, last)) for hit in rest))


def _probabilities(scores: Sequence[float]) -> list[float]:
    """Return scores in the range 0..1 unchanged, and convert logits to probabilities (sigmoid)."""
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [1 / (1 + math.exp(-max(-500.0, min(500.0, score)))) for score in scores]
