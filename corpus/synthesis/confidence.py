"""How far an answer may be trusted: more independent sources that support it, more confidence; each flaw lowers it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim

BY_SOURCES = (0.0, 0.6, 0.8, 0.95)
HANDED_IN_ALONE = 0.6
"""The most for an answer that nothing of the index supports."""
IN_ANOTHER_LANGUAGE = 0.5
"""The most for excerpts of which none is in the language of the question. Of such answers in the development corpora,
nothing that was tried tells those to a question with an answer from the others."""
UNCITED_WEIGHT = 0.5
CONTRADICTED = 0.8
WEAKLY_RETRIEVED = 0.5
UNANSWERED = 0.2
LIMITED = 0.5
NOTICE = "Note: this answer rests on limited evidence. Please check it against further sources."

_SUPPORTS = ("found", "partly")


def independent(sources: Iterable[Source]) -> int:
    """Blocks of one page repeat one author's word, so a page counts once; without pages, a document does."""
    return len({_origin(source) for source in sources})


def confidence(
    sources: Sequence[Source],
    claims: Sequence[CheckedClaim],
    *,
    contradictions: int = 0,
    weak: bool = False,
    unanswered: bool = False,
    speaking: Container[int] | None = None,
    foreign: Container[int] = (),
) -> tuple[float, dict[str, float]]:
    """The confidence, 0..1, and what made it: a count of sources, then factors that it was multiplied by.

    `weak` says that the retrieval found little that speaks to the question, `unanswered` that nothing of it seems to
    answer. Of excerpts, every one stands in its
    source: there, `speaking` are the numbers of those that speak to the question, and without any the evidence is weak.
    """
    numbers = {n for one in claims if one.verdict in _SUPPORTS for n in one.claim.citations}
    supporting = [source for source in sources if source.citation_number in numbers]
    if speaking is not None:
        told = [source for source in supporting if source.citation_number in speaking]
        untold = [source for source in supporting if source.citation_number in foreign]
        weak, supporting = weak or not (told or untold), told or untold or supporting[:1]
    count = independent(supporting)
    start = BY_SOURCES[min(count, len(BY_SOURCES) - 1)]
    if not any(source.hit for source in supporting):
        start = min(start, HANDED_IN_ALONE)
    if supporting and all(source.citation_number in foreign for source in supporting):
        start = min(start, IN_ANOTHER_LANGUAGE)
    factors = {
        "unsupported": 1
        - _share(claims, lambda one: one.is_unsupported or one.verdict == "invalid_citation"),
        "uncited": 1 - UNCITED_WEIGHT * _share(claims, lambda one: one.verdict == "uncited"),
        "contradictions": CONTRADICTED if contradictions else 1.0,
        "retrieval": UNANSWERED if unanswered else WEAKLY_RETRIEVED if weak else 1.0,
    }
    trust = start
    for factor in factors.values():
        trust *= factor
    return trust, {
        "independent_sources": float(count),
        **{name: round(one, 4) for name, one in factors.items()},
    }


def _share(claims: Sequence[CheckedClaim], true: Callable[[CheckedClaim], bool]) -> float:
    return sum(map(true, claims)) / len(claims) if claims else 0.0


def _origin(source: Source) -> object:
    if source.hit:
        return source.hit.block.doc_id, source.hit.block.page_number
    seen = source.observation
    return seen and (seen.url or seen.title or seen.text)
