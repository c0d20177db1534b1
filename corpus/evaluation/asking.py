"""A question asked as a client would: searched, answered, and the answer checked once more."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from corpus.access import Caller
from corpus.errors import IbidError
from corpus.evaluation.outcome import Outcome, Written, ranks
from corpus.evaluation.questions import EvalQuestion
from corpus.library import Library
from corpus.search import Hit
from corpus.synthesis.extractive.question import asked
from corpus.synthesis.request import SynthesisRequest

PLACES = 5
"""Pages of a search that an outcome names."""


async def outcomes(
    questions: Sequence[EvalQuestion], library: Library, caller: Caller, *, top_k: int, answers: bool
) -> AsyncIterator[Outcome]:
    """One after the other, since time is measured. A failure is of its question alone."""
    for question in questions:
        try:
            yield await _outcome(question, library, caller, top_k=top_k, answers=answers)
        except IbidError as problem:
            yield Outcome(question, failure=f"{type(problem).__name__}: {problem}")


async def _outcome(
    question: EvalQuestion, library: Library, caller: Caller, *, top_k: int, answers: bool
) -> Outcome:
    before = time.perf_counter()
    found = await library.search(question.question, caller, top_k=top_k)
    took = _since(before)
    written = await _written(question, found.hits, library, caller, top_k) if answers else None
    first = tuple(dict.fromkeys(_place(hit) for hit in found.hits))[:PLACES]
    return Outcome(question, ranks(question, found.hits), first, took, written)


async def _written(
    question: EvalQuestion, hits: Sequence[Hit], library: Library, caller: Caller, top_k: int
) -> Written:
    before = time.perf_counter()
    answer = await library.synthesize(SynthesisRequest(question.question, top_k=min(top_k, 20)), caller)
    took = _since(before)
    shown = [source.hit for source in answer.sources if source.hit]
    readable = await library.blocks([hit.block.block_id for hit in shown], caller)
    beside = await library.illustrated(list(hits), caller)
    return Written(
        answer.answer,
        answer.mode,
        answer.confidence,
        took,
        refused=not answer.answered,
        pictured="![" in answer.answer and any(hit.block.block_type == "image" for hit in shown),
        picture_exists=any(hit.block.block_type == "image" for hit in beside),
        citations=len(readable),
        broken=len(answer.invalid_citations) + len(shown) - len(readable),
        verdicts=dict(Counter(one.verdict for one in answer.claims)),
        wanted_words=_share(question, answer.answer),
    )


def _share(question: EvalQuestion, text: str) -> float | None:
    """How many of the words of the answer that was wanted stand in the one that was given."""
    wanted = asked(question.answer).words if question.answer else ()
    if not wanted:
        return None
    given = set(asked(text).words)
    return sum(word in given for word in wanted) / len(wanted)


def _place(hit: Hit) -> str:
    page = hit.block.page_number
    return hit.document.filename if page is None else f"{hit.document.filename}, {page}"


def _since(before: float) -> float:
    return (time.perf_counter() - before) * 1000
