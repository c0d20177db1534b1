"""Confidence of an answer: the probability that it answers the question, capped by its number of sources and lowered
for each flaw that its check found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim

BY_SOURCES = (0.0, 0.8, 0.95)
"""Confidence caps for zero, one and several independent sources. The values are a design decision and were not
measured."""
HANDED_IN_ALONE = 0.6
"""Confidence cap for an answer that is supported only by observations, whose text is unverified."""
UNKNOWN_CHANCE = 0.6
"""Probability assumed for sources without text to judge, such as figures."""
UNCITED_WEIGHT = 0.5
"""Weight of an uncited claim, which may still be true; an unsupported claim has weight 1. The value was not
measured."""
CONTRADICTED = 0.8
"""Confidence factor that is applied if sources contradict each other. The value was not measured."""
NOTICE = "Note: this answer rests on limited evidence. Please check it against further sources."

_SUPPORTS = ("found", "partly")


def independent(sources: Iterable[Source]) -> int:
    """Return the number of independent sources. Each page, document without pages, and observation counts once."""
    return len({_origin(source) for source in sources})


def confidence(
    sources: Sequence[Source],
    claims: Sequence[CheckedClaim],
    chance: float | None = None,
    *,
    contradictions: int = 0,
    quoted: bool = False,
) -> tuple[float, dict[str, float]]:
    """Return the confidence, 0..1, and its factors by name.

    `chance` is the probability that the evidence answers the question. If `quoted` is True, every source counts as
    supporting, including code and figures, which make no claims.
    """
    numbers = {n for claim in claims if claim.verdict in _SUPPORTS for n in claim.claim.citations}
    supporting = [source for source in sources if quoted or source.citation_number in numbers]
    count = independent(supporting)
    bound = BY_SOURCES[min(count, len(BY_SOURCES) - 1)]
    if not any(source.hit for source in supporting):
        bound = min(bound, HANDED_IN_ALONE)
    answers = UNKNOWN_CHANCE if chance is None else chance
    factors = {
        "unsupported": 1 - _share(claims, lambda claim: claim.is_unsupported or claim.verdict == "invalid_citation"),
        "uncited": 1 - UNCITED_WEIGHT * _share(claims, lambda claim: claim.verdict == "uncited"),
        "contradictions": CONTRADICTED if contradictions else 1.0,
    }
    trust = min(bound, answers)
    for factor in factors.values():
        trust *= factor
    return trust, {
        "independent_sources": float(count),
        "answers": round(answers, 4),
        **{name: round(factor, 4) for name, factor in factors.items()},
    }


def _share(claims: Sequence[CheckedClaim], applies: Callable[[CheckedClaim], bool]) -> float:
    return sum(map(applies, claims)) / len(claims) if claims else 0.0


def _origin(source: Source) -> object:
    if source.hit:
        return source.hit.block.doc_id, source.hit.block.page_number
    observation = source.observation
    return observation and (observation.url or observation.title or observation.text)
