"""The composed answer as a whole: checked like any other."""

from __future__ import annotations

from collections import defaultdict

import anyio.to_thread

from corpus.synthesis.answer import Synthesis
from corpus.synthesis.checking import Checked, checked
from corpus.synthesis.compose import compose, left_out
from corpus.synthesis.confidence import LIMITED, confidence
from corpus.synthesis.doubt import doubts, is_unanswered, unmentioned
from corpus.synthesis.gathering import Gathered
from corpus.synthesis.phrases import phrases
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.strength import answers_to, is_foreign


async def composed_answer(request: SynthesisRequest, found: Gathered) -> Synthesis:
    return await anyio.to_thread.run_sync(_made, request, found)


def _made(request: SynthesisRequest, found: Gathered) -> Synthesis:
    style = request.citation_style or "source"
    nothing = is_unanswered(found)
    made = compose(
        found.question,
        found.sources,
        before=found.before,
        style=style,
        max_tokens=request.max_tokens,
        answers=not nothing,
        unmentioned=unmentioned(found),
    )
    if not made.sources:
        return Synthesis(made.answer, "compose", warnings=found.warnings)
    check: Checked = checked(made.answer, made.sources, found.language)
    doubt, words = doubts(found), phrases(found.question)
    quoted = _quoted(check)
    foreign = {
        one.citation_number for one in made.sources if one.hit and is_foreign(found.in_context, one.hit)
    }
    speaking = {
        one.citation_number
        for one in made.sources
        if one.citation_number not in foreign
        and (one.hit is None or answers_to(found.in_context, one.hit, quoted[one.citation_number]))
    }
    trust, factors = confidence(
        made.sources,
        check.claims,
        contradictions=len(check.contradictions),
        weak=bool(doubt),
        unanswered=nothing,
        speaking=speaking,
        foreign=foreign,
    )
    everything = len(foreign) == len(made.sources)
    untold = (words.untold if everything else words.partly_untold,) if foreign and not speaking else ()
    return Synthesis(
        answer=made.answer if trust >= LIMITED else f"{made.answer}\n\n{words.limited}",
        mode="compose",
        sources=made.sources,
        confidence=trust,
        confidence_factors=factors,
        claims=check.claims,
        invalid_citations=check.invalid,
        contradictions=check.contradictions,
        warnings=(*doubt, *untold, *left_out(made.left_out, found.question), *found.warnings),
    )


def _quoted(check: Checked) -> dict[int, str]:
    """What the answer says with each source."""
    said: dict[int, str] = defaultdict(str)
    for one in check.claims:
        for number in one.claim.citations:
            said[number] += f"{one.claim.text}\n"
    return said
