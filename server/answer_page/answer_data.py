"""Turn a synthesis or a check into what the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpus.citing.reading import read_citations
from corpus.synthesis.answer import Source, Synthesis
from corpus.synthesis.checking import citable
from corpus.synthesis.refusal import answered_words, body_of, without_refusal
from corpus.synthesis.verdict_notes import remove_notes
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_text import citations_once
from server.answer_page.answer_words import for_people
from server.answer_page.languages import language_of_answer
from server.answer_page.page_data import AnswerData


def answer_data(question: str, made: Synthesis) -> AnswerData:
    """The marks that an answer carries in its text give way to those of the claims."""
    text = citations_once(remove_notes(made.answer))
    answered = answered_words(made)
    if not answered:
        title, _, _ = text.partition("\n")
        body = without_refusal(body_of(text))
        text = f"{title}\n\n{body}" if title.startswith("# ") else body
    return AnswerData(
        question,
        text,
        sourceless(placed(text, made.claims, made.sources)),
        made.sources,
        for_people(made.warnings, answered=answered),
        made.confidence,
        language=language_of_answer(text, [one.language for one in made.sources]),
        question_language=language_of_answer(question, ()),
        answered=None if made.mode == "none" else answered,
        quoted=made.mode == "compose",
    )


def sourceless(claims: Sequence[CheckedClaim]) -> tuple[CheckedClaim, ...]:
    """Claims that cite what is no source have no evidence: what comes nearest elsewhere is not what they cite."""
    return tuple(
        replace(one, evidence=None, missing=()) if one.verdict == "invalid_citation" else one for one in claims
    )


def placed(text: str, claims: Sequence[CheckedClaim], sources: Sequence[Source]) -> tuple[CheckedClaim, ...]:
    """The claims with their offsets in this text. One that is not in it is left out."""
    read = list(read_citations(text, [citable(source) for source in sources]).claims)
    placed_claims = []
    for checked in claims:
        at = next((n for n, claim in enumerate(read) if claim.text == checked.claim.text), None)
        if at is not None:
            here = read[at]
            placed_claims.append(replace(checked, claim=replace(checked.claim, start=here.start, end=here.end)))
            del read[: at + 1]
    return tuple(placed_claims)
