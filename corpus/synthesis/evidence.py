"""The evidence for an answer: retrieved sources, ranked candidates, and the probability that they answer the
question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import anyio.to_thread

from corpus.synthesis.answerability import ANSWERS, MAX_NAMES, Signals, missing_names, signals
from corpus.synthesis.compose import Material, material
from corpus.synthesis.extractive.meanings import Compared, cells_by_word, cells_to_compare, words_to_compare
from corpus.synthesis.query_similarity import QuerySimilarity
from corpus.synthesis.retrieval import Retrieval


@dataclass(frozen=True, slots=True)
class Evidence:
    """Retrieved sources with their ranked candidates. `signals` is None if there are no candidates."""

    retrieval: Retrieval
    material: Material
    signals: Signals | None

    @property
    def chance(self) -> float | None:
        """Return the probability, 0..1, that the best candidate answers the question, or None if there are no
        candidates."""
        return self.signals.chance if self.signals else None

    @property
    def is_unanswered(self) -> bool:
        """Return whether no source seems to answer the question. Return False if the client chose or supplied any
        source."""
        searched = [hit for hit in self.retrieval.hits if hit.score_kind != "none"]
        if not searched or len(searched) < len(self.retrieval.sources):
            return False
        return self.chance is not None and self.chance < ANSWERS

    @property
    def missing(self) -> tuple[str, ...]:
        """Return at most MAX_NAMES names in the question that no source contains. If there are none, return words that
        no document contains, unless a source and the question are in different languages."""
        names = self.signals.missing if self.signals else ()
        if any(each.is_foreign for each in self.material.candidates):
            return names[:MAX_NAMES]
        return (names or self.retrieval.unknown)[:MAX_NAMES]


async def evidence(retrieval: Retrieval, similarity: QuerySimilarity) -> Evidence:
    """Find the evidence in the retrieved sources, in worker threads. Equal sources always give the same result."""
    read = await anyio.to_thread.run_sync(_read, retrieval)
    cosines = await similarity.cosines(retrieval.in_context, read.to_embed)
    ranked, cells, words = await anyio.to_thread.run_sync(_rank, read, cosines)
    meanings = cells_by_word(await similarity.between(cells))
    ranked = replace(ranked, meanings=meanings, similarities=await similarity.between(words))
    return await anyio.to_thread.run_sync(_judge, retrieval, ranked)


def _read(retrieval: Retrieval) -> Material:
    return material(retrieval.question, retrieval.sources, before=retrieval.before, is_across=retrieval.is_across)


def _rank(read: Material, cosines: Mapping[str, float]) -> tuple[Material, Compared, Compared]:
    """Return the ranked candidates, and the table cells and words to compare with the question's words."""
    ranked = read.with_cosines(cosines)
    parts = (ranked.readings, ranked.candidates, ranked.question)
    return ranked, cells_to_compare(*parts), words_to_compare(*parts)


def _document(material: Material) -> str | None:
    """Return the best candidate's document. Return None if there are no candidates, or for a comparison, which uses
    several documents."""
    if not material.candidates or material.question.shape == "comparison" or material.is_across:
        return None
    return material.readings[material.candidates[0].reading].document


def _judge(retrieval: Retrieval, material: Material) -> Evidence:
    missing = missing_names(retrieval.question, material.question.language, retrieval.hits, _document(material))
    signal = signals(material, missing, retrieval.relevance)
    return Evidence(retrieval, material, signal)
