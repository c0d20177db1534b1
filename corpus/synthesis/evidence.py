"""What an answer is written from: the sources as they were read, what in them could answer, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass

import anyio.to_thread

from corpus.synthesis.answerability import ANSWERS, MAX_NAMES, Signals, signals, missing_names
from corpus.synthesis.compose import Material, material
from corpus.synthesis.query_similarity import QuerySimilarity
from corpus.synthesis.retrieval import Retrieval


@dataclass(frozen=True, slots=True)
class Evidence:
    """`signals` say how surely something answers, None where there is no text that could."""

    retrieval: Retrieval
    material: Material
    signals: Signals | None

    @property
    def chance(self) -> float | None:
        """That the best candidate answers the question."""
        return self.signals.chance if self.signals else None

    @property
    def is_unanswered(self) -> bool:
        """Whether nothing seems to answer. What the client named or handed in is not judged."""
        searched = [hit for hit in self.retrieval.hits if hit.score_kind != "none"]
        if not searched or len(searched) < len(self.retrieval.sources):
            return False
        return self.chance is not None and self.chance < ANSWERS

    @property
    def missing(self) -> tuple[str, ...]:
        """Names in the question that nothing found has, else words of it that no document has; the first few. Of
        documents in another language than the question, words tell nothing."""
        names = self.signals.missing if self.signals else ()
        if any(each.is_foreign for each in self.material.candidates):
            return names[:MAX_NAMES]
        return (names or self.retrieval.unknown)[:MAX_NAMES]


async def evidence(retrieval: Retrieval, similarity: QuerySimilarity) -> Evidence:
    """Reads and compares in a thread; equal for equal sources."""
    material = await anyio.to_thread.run_sync(_read, retrieval)
    cosines = await similarity.cosines(retrieval.in_context, material.to_embed)
    return await anyio.to_thread.run_sync(_judge, retrieval, material.with_cosines(cosines))


def _read(retrieval: Retrieval) -> Material:
    return material(
        retrieval.question, retrieval.sources, before=retrieval.before, is_across=retrieval.is_across
    )


def _judge(retrieval: Retrieval, material: Material) -> Evidence:
    missing = missing_names(retrieval.question, material.question.language, retrieval.hits)
    signal = signals(material.question, material.readings, material.candidates, missing, retrieval.relevance)
    return Evidence(retrieval, material, signal)
