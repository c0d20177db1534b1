"""Ask the questions as a client would: search, answer, check the answer, and report unknown document names."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from corpus.access import Caller
from corpus.documents.every_document import every_document
from corpus.errors import IbidError
from corpus.evaluation.outcome import AnswerFacts, Outcome, means_document, ranks
from corpus.evaluation.questions import EvalQuestion
from corpus.library import Library
from corpus.search import Hit
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.request import SynthesisRequest

PLACES = 5
"""Pages of a search that an outcome lists."""


async def outcomes(
    questions: Sequence[EvalQuestion], library: Library, caller: Caller, *, top_k: int, answers: bool
) -> AsyncIterator[Outcome]:
    """The outcomes in question order, one at a time, since time is measured. A failure concerns its question alone."""
    for question in questions:
        try:
            yield await _outcome(question, library, caller, top_k=top_k, answers=answers)
        except IbidError as problem:
            yield Outcome(question, failure=f"{type(problem).__name__}: {problem}")


async def _outcome(question: EvalQuestion, library: Library, caller: Caller, *, top_k: int, answers: bool) -> Outcome:
    start = time.perf_counter()
    results = await library.search(question.question, caller, top_k=top_k)
    milliseconds = _milliseconds_since(start)
    answer = await _answer(question, results.hits, library, caller, top_k) if answers else None
    first = tuple(dict.fromkeys(_page_name(hit) for hit in results.hits))[:PLACES]
    return Outcome(question, ranks(question, results.hits), first, milliseconds, answer)


async def _answer(
    question: EvalQuestion, hits: Sequence[Hit], library: Library, caller: Caller, top_k: int
) -> AnswerFacts:
    start = time.perf_counter()
    answer = await library.synthesize(SynthesisRequest(question.question, top_k=min(top_k, 20)), caller)
    milliseconds = _milliseconds_since(start)
    cited_hits = [source.hit for source in answer.sources if source.hit]
    readable_hits = await library.blocks([hit.block.block_id for hit in cited_hits], caller)
    illustrated = await library.illustrated(list(hits), caller)
    return AnswerFacts(
        answer.answer,
        answer.mode,
        answer.confidence,
        milliseconds,
        refused=not answer.answered,
        pictured="![" in answer.answer and any(hit.block.block_type == "image" for hit in cited_hits),
        picture_exists=any(hit.block.block_type == "image" for hit in illustrated),
        citations=len(readable_hits),
        broken=len(answer.invalid_citations) + len(cited_hits) - len(readable_hits),
        verdicts=dict(Counter(checked_claim.verdict for checked_claim in answer.claims)),
        wanted_words=_word_recall(question, answer.answer),
    )


def _word_recall(question: EvalQuestion, text: str) -> float | None:
    """The share of the expected answer's words that the answer has; None without an expected answer."""
    expected = parse_question(question.answer).words if question.answer else ()
    if not expected:
        return None
    answer_words = set(parse_question(text).words)
    return sum(word in answer_words for word in expected) / len(expected)


def _page_name(hit: Hit) -> str:
    page = hit.block.page_number
    return hit.document.filename if page is None else f"{hit.document.filename}, {page}"


def _milliseconds_since(before: float) -> float:
    return (time.perf_counter() - before) * 1000


async def unknown_names(outcomes: Sequence[Outcome], library: Library, caller: Caller) -> tuple[str, ...]:
    """The unknown names as written. Documents are listed only where a search did not find all that were named."""
    unknown = dict.fromkeys(
        outcome.question.document
        for outcome in outcomes
        if outcome.question.document and outcome.ranks.document is None
    )
    if unknown:
        async for document in every_document(library, caller):
            for name in [name for name in unknown if means_document(document, name)]:
                del unknown[name]
            if not unknown:
                break
    return tuple(unknown)
