"""How far an answer may be trusted: the chance that it answers, bounded by its sources and lowered by each flaw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim

BY_SOURCES = (0.0, 0.8, 0.95)
"""The most for none, one and several independent sources, as the design documents have it."""
HANDED_IN_ALONE = 0.6
"""The most for an answer that nothing of the index supports."""
UNKNOWN_CHANCE = 0.6
"""For sources without a text that could be judged, such as figures alone."""
UNCITED_WEIGHT = 0.5
CONTRADICTED = 0.8
NOTICE = "Note: this answer rests on limited evidence. Please check it against further sources."

_SUPPORTS = ("found", "partly")


def independent(sources: Iterable[Source]) -> int:
    """Blocks of one page repeat one author's word, so a page counts once; without pages, a document does."""
    return len({_origin(source) for source in sources})


def confidence(
    sources: Sequence[Source],
    claims: Sequence[CheckedClaim],
    chance: float | None = None,
    *,
    contradictions: int = 0,
    quoted: bool = False,
) -> tuple[float, dict[str, float]]:
    """The confidence, 0..1, and its factors. `chance` is that the evidence answers the question. What is `quoted` is
    supported by its source, also code and figures, which make no claims."""
    numbers = {n for claim in claims if claim.verdict in _SUPPORTS for n in claim.claim.citations}
    supporting = [source for source in sources if quoted or source.citation_number in numbers]
    count = independent(supporting)
    bound = BY_SOURCES[min(count, len(BY_SOURCES) - 1)]
    if not any(source.hit for source in supporting):
        bound = min(bound, HANDED_IN_ALONE)
    answers = UNKNOWN_CHANCE if chance is None else chance
    factors = {
        "unsupported": 1
        - _share(claims, lambda claim: claim.is_unsupported or claim.verdict == "invalid_citation"),
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
