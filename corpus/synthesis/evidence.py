"""What an answer is written from: the sources as they were read, what in them could answer, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass

import anyio.to_thread

from corpus.synthesis.answerability import ANSWERS, MAX_NAMES, Signals, signals, unmentioned
from corpus.synthesis.compose import Material, material
from corpus.synthesis.query_similarity import Nearness
from corpus.synthesis.retrieval import Gathered


@dataclass(frozen=True, slots=True)
class Evidence:
    """`signals` say how surely something answers, None where there is no text that could."""

    found: Gathered
    material: Material
    signals: Signals | None

    @property
    def chance(self) -> float | None:
        """That the best candidate answers the question."""
        return self.signals.chance if self.signals else None

    @property
    def is_unanswered(self) -> bool:
        """Whether nothing seems to answer. What the client named or handed in is not judged."""
        searched = [hit for hit in self.found.hits if hit.score_kind != "none"]
        if not searched or len(searched) < len(self.found.sources):
            return False
        return self.chance is not None and self.chance < ANSWERS

    @property
    def missing(self) -> tuple[str, ...]:
        """Names in the question that nothing found has, else words of it that no document has; the first few. Of
        documents in another language than the question, words tell nothing."""
        names = self.signals.missing if self.signals else ()
        if any(each.is_foreign for each in self.material.candidates):
            return names[:MAX_NAMES]
        return (names or self.found.unknown)[:MAX_NAMES]


async def evidence(found: Gathered, nearness: Nearness) -> Evidence:
    """Reads and compares in a thread; equal for equal sources."""
    read = await anyio.to_thread.run_sync(_read, found)
    cosines = await nearness.to(found.in_context, read.to_embed)
    return await anyio.to_thread.run_sync(_judged, found, read.judged(cosines))


def _read(found: Gathered) -> Material:
    return material(found.question, found.sources, before=found.before, is_across=found.is_across)


def _judged(found: Gathered, read: Material) -> Evidence:
    missing = unmentioned(found.question, read.question.language, found.hits)
    judged = signals(read.question, read.readings, read.candidates, missing, found.relevance)
    return Evidence(found, read, judged)
