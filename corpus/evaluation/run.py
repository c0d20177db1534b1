"""Run one evaluation, or two side by side: ask every question and collect the data for a report."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from corpus.access import Caller
from corpus.errors import IbidError
from corpus.evaluation.metrics import (
    NAMES,
    AnswerFacts,
    Comparison,
    Measurement,
    Outcome,
    comparisons,
    means_document,
    measurements,
    ranks,
)
from corpus.evaluation.questions import EvalQuestion
from corpus.library import Library
from corpus.search import Hit, every_document
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.request import SynthesisRequest

PLACES = 5
"""Maximum number of result pages that an outcome lists."""


async def outcomes(
    questions: Sequence[EvalQuestion], library: Library, caller: Caller, *, top_k: int, answers: bool
) -> AsyncIterator[Outcome]:
    """Yield the outcomes in question order. Questions run one at a time, because their response times are measured. A
    failure affects only its own question."""
    for question in questions:
        try:
            yield await _ask(question, library, caller, top_k=top_k, answers=answers)
        except IbidError as problem:
            yield Outcome(question, failure=f"{type(problem).__name__}: {problem}")


async def _ask(question: EvalQuestion, library: Library, caller: Caller, *, top_k: int, answers: bool) -> Outcome:
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
    """Return the fraction of the expected answer's words that the answer contains, or None if the question has no
    expected answer."""
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
    """Return the document names from the questions that match no readable document, as written. The index's documents
    are listed only if the searches did not find every document named in the questions."""
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


@dataclass(frozen=True, slots=True)
class Run:
    """An evaluation run. `settings` maps the names of settings that differ from the environment to their values.
    `unknown` lists document names from the questions that match no readable document."""

    outcomes: tuple[Outcome, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return a label that lists the settings."""
        return " ".join(f"{name}={value}" for name, value in self.settings.items()) or "as set"

    @property
    def measured(self) -> list[Measurement]:
        """Return the measurements of this run."""
        return measurements(self.outcomes)

    @property
    def drafts(self) -> int:
        """Return the number of drafts among the questions."""
        return sum(outcome.question.draft for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Return the outcomes that ended in an error."""
        return tuple(outcome for outcome in self.outcomes if outcome.failure)


MAX_NAMES = 5
"""Maximum number of unknown document names that a note lists."""


def notes(runs: Sequence[Run]) -> list[str]:
    """Return caveats about the numbers."""
    sentences = []
    if runs[0].drafts:
        sentences.append(
            f"{runs[0].drafts} of the questions are drafts that a program made. Review them, and remove "
            '"draft" from the good ones, before you rely on these numbers.'
        )
    alike = len({run.unknown for run in runs}) == 1
    for run in runs[:1] if alike else runs:
        if run.unknown:
            names = ", ".join(run.unknown[:MAX_NAMES])
            more = len(run.unknown) - MAX_NAMES
            sentences.append(
                f"The index has no document that the questions call {names}{f' and {more} more' if more > 0 else ''}"
                f"{'' if alike else f' ({run.name})'}: those questions count as not found. `ibid list` shows the names."
            )
    for run in runs:
        of_run = f" ({run.name})" if len(runs) > 1 else ""
        if run.failures:
            sentences.append(f"{len(run.failures)} questions ended in an error{of_run}; they are named below.")
    return sentences


def difference(runs: Sequence[Run]) -> list[Comparison]:
    """Return the differences between the second run and the first. The result is empty for a single run."""
    return comparisons(runs[0].outcomes, runs[1].outcomes) if len(runs) > 1 else []


APART = (
    "Questions as 6, 5 (4): 6 bear on the measure with the first setting, 5 with the second, 4 with both. The "
    "difference is over those 4 alone, so it is not the difference of the two means."
)


def bearing(rows: Sequence[Measurement | None], comparison: Comparison | None) -> str:
    """Return the number of questions to which a measure applies: in each run and, if that number differs, in both runs.
    `APART` explains the notation."""
    counts = [each.count if each else 0 for each in rows]
    both = comparison.count if comparison else 0
    if len(counts) == 1 or {*counts, both} == {both}:
        return str(counts[0])
    return f"{', '.join(map(str, counts))} ({both})"


def below(run: Run, floors: Mapping[str, float]) -> list[str]:
    """Return a sentence for each measure of a run that is below its minimum in `floors`. A measure that applies to no
    question also counts as below it."""
    rows = {row.measure.name: row for row in run.measured}
    misses = []
    for name in NAMES:
        if name not in floors:
            continue
        floor, row = floors[name], rows.get(name)
        if row is None:
            misses.append(f"{name}: no question bears on it")
        elif row.measure.better == "higher" and row.interval.mean < floor:
            misses.append(f"{name}: {row.interval.mean:.3f} is below {floor:g}")
        elif row.measure.better == "lower" and row.interval.mean > floor:
            misses.append(f"{name}: {row.interval.mean:.3f} is above {floor:g}")
    return misses


def as_json(runs: Sequence[Run]) -> dict[str, object]:
    """Return all the numbers of an evaluation as JSON data."""
    return {
        "questions": len(runs[0].outcomes),
        "drafts": runs[0].drafts,
        "runs": [
            {
                "settings": dict(run.settings),
                "unknown_documents": list(run.unknown),
                "measures": {row.measure.name: _numbers(row) for row in run.measured},
                "outcomes": [_outcome(outcome) for outcome in run.outcomes],
            }
            for run in runs
        ],
        "difference": {
            row.measure.name: {"questions": row.count, **asdict(row.difference)} for row in difference(runs)
        },
    }


def _numbers(row: Measurement) -> dict[str, object]:
    times = {"median": row.median, "p95": row.p95} if row.measure.unit == "ms" else {}
    return {"questions": row.count, **asdict(row.interval), **times}


def _outcome(outcome: Outcome) -> dict[str, object]:
    return {
        "id": outcome.question.id,
        "question": outcome.question.question,
        "page_rank": outcome.ranks.page,
        "document_rank": outcome.ranks.document,
        "first": list(outcome.first),
        "search_ms": outcome.search_milliseconds,
        "answer": asdict(outcome.written) if outcome.written else None,
        "failure": outcome.failure,
    }
