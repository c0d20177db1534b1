"""The extractive answer with its check and confidence, or a refusal if the documents do not answer the question."""

from __future__ import annotations

import anyio.to_thread

from corpus.synthesis.answer import Source, Synthesis
from corpus.synthesis.answerability import UNSURE
from corpus.synthesis.checking import check_claims
from corpus.synthesis.compose import compose, left_out, title
from corpus.synthesis.confidence import confidence
from corpus.synthesis.evidence import Evidence
from corpus.synthesis.phrases import phrases
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.sources import renumber
from corpus.text.markdown import as_line

MAX_NEAREST = 3
"""Maximum number of nearest sources that a refusal lists."""
MAX_SNIPPET = 120
"""Maximum number of characters that a refusal quotes from each nearest source."""
NEAR = 0.01
"""Minimum nearness at which a refusal lists sources. Readers found that sources below it had nothing to do with the
question."""


async def compose_answer(request: SynthesisRequest, evidence: Evidence) -> Synthesis:
    """Compose and check the extractive answer in a thread. Return a refusal if no source seems to answer the
    question."""
    make = _unanswered if evidence.is_unanswered else _answered
    return await anyio.to_thread.run_sync(make, request, evidence)


def _answered(request: SynthesisRequest, evidence: Evidence) -> Synthesis:
    retrieval = evidence.retrieval
    style = request.citation_style or "source"
    made = compose(retrieval.question, evidence.material, style=style, max_tokens=request.max_tokens)
    if not made.sources:
        return Synthesis(made.answer, "compose", warnings=retrieval.warnings, answered=False)
    check = check_claims(made.answer, made.sources, retrieval.language)
    trust, factors = confidence(
        made.sources, check.claims, evidence.chance, contradictions=len(check.contradictions), quoted=True
    )
    return Synthesis(
        answer=made.answer if trust >= UNSURE else _doubted(made.answer, evidence),
        mode="compose",
        sources=made.sources,
        confidence=trust,
        confidence_factors=factors,
        claims=check.claims,
        invalid_citations=check.invalid,
        contradictions=check.contradictions,
        warnings=(*left_out(made.left_out, retrieval.question), *retrieval.warnings),
    )


def _doubted(answer: str, evidence: Evidence) -> str:
    """Return the answer with a notice of doubt below its title, so that a reader sees it before the quotes."""
    head, _, body = answer.partition("\n\n")
    return "\n\n".join((head, _with_missing(phrases(evidence.retrieval.question).doubtful, evidence), body))


def _unanswered(request: SynthesisRequest, evidence: Evidence) -> Synthesis:
    """Return the refusal. It lists the nearest sources, each with a snippet, so that a reader can decide whether to
    look there."""
    retrieval, words = evidence.retrieval, phrases(evidence.retrieval.question)
    parts = [title(retrieval.question, words), refusal(evidence)]
    near = _nearest(evidence) if evidence.signals and evidence.signals.nearness >= NEAR else []
    nearest = renumber([source for source, _ in near])
    places = [f"- {words.quotes.format(text)} *{source.citation}*" for source, text in near]
    parts += [f"**{words.nearest}**", "\n".join(places)] if places else []
    return Synthesis(
        "\n\n".join(parts),
        "compose",
        sources=nearest,
        confidence_factors={"answers": round(evidence.chance or 0.0, 4)},
        warnings=retrieval.warnings,
        answered=False,
    )


def refusal(evidence: Evidence) -> str:
    """Return one line: the statement that the documents do not seem to answer the question, and the missing names or
    words."""
    return _with_missing(phrases(evidence.retrieval.question).unanswered, evidence)


def _with_missing(sentence: str, evidence: Evidence) -> str:
    """Return the sentence, followed by a sentence that lists the missing names or words, if any."""
    words = phrases(evidence.retrieval.question)
    names = ", ".join(words.quotes.format(as_line(name)) for name in evidence.missing)
    return f"{sentence} {words.unmentioned.format(names)}" if names else sentence


def _nearest(evidence: Evidence) -> list[tuple[Source, str]]:
    """Return the sources of the best candidates, one per page, each with the start of its candidate."""
    best: dict[str, tuple[Source, str]] = {}
    for each in evidence.material.candidates:
        source = evidence.material.readings[each.reading].source
        best.setdefault(source.citation, (source, as_line(_snippet(each.text))))
    return list(best.values())[:MAX_NEAREST]


def _snippet(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SNIPPET else f"{line[:MAX_SNIPPET].rsplit(' ', 1)[0]} …"
