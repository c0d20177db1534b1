"""Question outcomes, measures of retrieval and answers over them, and bootstrap confidence intervals (Efron 1979)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corpus.documents.document import Document
from corpus.evaluation.questions import EvalQuestion
from corpus.search import Hit

DRAWS, SEED = 10_000, 7
"""Number of resamples and random seed. With 10,000 resamples, the bounds of an interval vary by less than a hundredth
of its width. The seed makes the intervals reproducible."""
MIN_VALUES = 8
"""Minimum number of values for an interval. With fewer values, the resampled means hardly vary and the interval would
be too narrow."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % confidence interval. The interval has no bounds if there are too few values."""

    mean: float
    low: float | None = None
    high: float | None = None

    @property
    def excludes_zero(self) -> bool:
        """Return whether the entire interval is on one side of zero."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def interval(values: Sequence[float]) -> Interval | None:
    """Return the mean with its interval, or None if there are no values. Calls with equally many values use the same
    resamples."""
    import numpy as np

    if not values:
        return None
    mean = float(np.mean(values))
    if len(values) < MIN_VALUES:
        return Interval(mean)
    array = np.asarray(values, dtype=float)
    random = np.random.default_rng(SEED)
    # Resampling row by row would be slow; resampling all rows together would need gigabytes for ten thousand questions.
    rows_at_once = max(1, 2_000_000 // len(array))
    means = np.concatenate(
        [
            array[random.integers(0, len(array), (min(rows_at_once, DRAWS - start), len(array)))].mean(axis=1)
            for start in range(0, DRAWS, rows_at_once)
        ]
    )
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(mean, float(low), float(high))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Interval | None:
    """Return the mean of the paired differences, ours minus theirs, with its interval."""
    return interval([a - b for a, b in zip(ours, theirs, strict=True)])


@dataclass(frozen=True, slots=True)
class Ranks:
    """1-based ranks of the first correct page among distinct pages, and of the first correct document among distinct
    documents. A rank is None if no hit is correct, or if the question specifies no page or document."""

    page: int | None = None
    document: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """Counts for one answer. `citations` counts the citations that resolve to a readable block, `broken` those that do
    not. `verdicts` counts claims by verdict. `pictured` is True if the answer shows a figure, and `picture_exists` if a
    hit has a figure."""

    text: str
    mode: str
    confidence: float
    milliseconds: float
    refused: bool
    pictured: bool
    picture_exists: bool
    citations: int
    broken: int
    verdicts: dict[str, int] = field(default_factory=dict)
    wanted_words: float | None = None

    @property
    def claims(self) -> int:
        """Return the number of claims."""
        return sum(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one question. `first` lists the best pages as they are shown to a reader; `failure` is the error
    that ended the question."""

    question: EvalQuestion
    ranks: Ranks = Ranks()
    first: tuple[str, ...] = ()
    search_milliseconds: float | None = None
    written: AnswerFacts | None = None
    failure: str | None = None


def ranks(question: EvalQuestion, hits: Sequence[Hit]) -> Ranks:
    """Return the ranks of the correct page and document among those of the hits."""
    pages = list(dict.fromkeys((hit.document.doc_id, hit.block.page_number) for hit in hits))
    right_docs = {hit.document.doc_id for hit in hits if means_document(hit.document, question.document or "")}
    documents = list(dict.fromkeys(doc for doc, _ in pages))
    return Ranks(
        _first([doc in right_docs and page in question.pages for doc, page in pages]),
        _first([doc in right_docs for doc in documents]),
    )


def means_document(document: Document, name: str) -> bool:
    """Return whether a question's document name refers to this document, by file name, title, id or the end of its
    path."""
    target = name.casefold()
    names = (document.filename, document.title or "", document.doc_id)
    path = (document.source_path or "").replace("\\", "/").casefold()
    return target in {known.casefold() for known in names if known} or path.endswith(f"/{target}")


def _first(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure. `name` is its name on the command line, `means` its description."""

    name: str
    means: str
    of: Callable[[Outcome], float | None]
    better: Literal["higher", "lower"] = "higher"
    unit: Literal["share", "ms"] = "share"


@dataclass(frozen=True, slots=True)
class Measurement:
    """The value of a measure over the `count` questions to which it applies. `median` and `p95` are shown for times."""

    measure: Measure
    count: int
    interval: Interval
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between the second run and the first, over the questions to which the measure applies in both."""

    measure: Measure
    count: int
    difference: Interval


def measurements(outcomes: Sequence[Outcome]) -> list[Measurement]:
    """Return the measurements of all measures that have at least one value."""
    rows = []
    for measure in MEASURES:
        numbers = values(outcomes, measure)
        spread = interval(numbers)
        if spread:
            rows.append(Measurement(measure, len(numbers), spread, _at(numbers, 50), _at(numbers, 95)))
    return rows


def values(outcomes: Sequence[Outcome], measure: Measure) -> list[float]:
    """Return the values of the outcomes to which the measure applies, in order."""
    return [value for outcome in outcomes if (value := measure.of(outcome)) is not None]


def comparisons(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[Comparison]:
    """Return a comparison for each measure with at least one pair of values. Raise ValueError if the runs have
    different questions."""
    rows = []
    for measure in MEASURES:
        pairs = [(measure.of(a), measure.of(b)) for a, b in zip(first, second, strict=True)]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        spread = difference([b for _, b in both], [a for a, _ in both])
        if spread:
            rows.append(Comparison(measure, len(both), spread))
    return rows


def _at(values: Sequence[float], percent: int) -> float:
    import numpy as np

    return float(np.percentile(values, percent))


def _names_document(outcome: Outcome) -> bool:
    """Return whether the question specifies its document, is answerable, and did not fail."""
    question = outcome.question
    return bool(question.document) and question.answerable and not outcome.failure


def _page(outcome: Outcome, limit: int) -> float | None:
    if not outcome.question.pages or not _names_document(outcome):
        return None
    return float(outcome.ranks.page is not None and outcome.ranks.page <= limit)


def _document(outcome: Outcome) -> float | None:
    if not _names_document(outcome):
        return None
    return float(outcome.ranks.document is not None and outcome.ranks.document <= 5)


def _reciprocal(outcome: Outcome) -> float | None:
    if not _names_document(outcome):
        return None
    rank = outcome.ranks.page if outcome.question.pages else outcome.ranks.document
    return 1 / rank if rank else 0.0


def _of_answer(look: Callable[[AnswerFacts], float | None]) -> Callable[[Outcome], float | None]:
    return lambda outcome: look(outcome.written) if outcome.written else None


def _refusals(answerable: bool) -> Callable[[Outcome], float | None]:
    def look(outcome: Outcome) -> float | None:
        bears = outcome.question.answerable is answerable
        return float(outcome.written.refused) if outcome.written and bears else None

    return look


def _validity(written: AnswerFacts) -> float | None:
    total = written.citations + written.broken
    return written.citations / total if total else None


def _claims(*verdicts: str) -> Callable[[AnswerFacts], float | None]:
    def look(written: AnswerFacts) -> float | None:
        return (
            sum(written.verdicts.get(verdict, 0) for verdict in verdicts) / written.claims if written.claims else None
        )

    return look


MEASURES = (
    Measure("page_hit@1", "a right page comes first", lambda outcome: _page(outcome, 1)),
    Measure("page_hit@5", "a right page is among the first five pages", lambda outcome: _page(outcome, 5)),
    Measure("page_hit@10", "a right page is among the first ten pages", lambda outcome: _page(outcome, 10)),
    Measure("document_hit@5", "the right document is among the first five", _document),
    Measure("mrr", "reciprocal rank of the first right page, or document where no page is named", _reciprocal),
    Measure(
        "multimodal",
        "the answer shows a figure, where a figure belongs to what was found",
        _of_answer(lambda written: float(written.pictured) if written.picture_exists else None),
    ),
    Measure("citation_validity", "citations that name a block which may be read", _of_answer(_validity)),
    Measure("grounding", "claims whose words stand in their sources", _of_answer(_claims("found"))),
    Measure("uncited", "claims without a citation", _of_answer(_claims("uncited")), "lower"),
    Measure("answer_words", "words of the wanted answer that the answer has",
            _of_answer(lambda written: written.wanted_words)),
    Measure("refused_answerable", "questions with an answer that are refused", _refusals(answerable=True), "lower"),
    Measure("refused_unanswerable", "questions without an answer that are refused", _refusals(answerable=False)),
    Measure("failed", "questions that ended in an error", lambda outcome: float(outcome.failure is not None), "lower"),
    Measure("search_ms", "time of the search", lambda outcome: outcome.search_milliseconds, "lower", "ms"),
    Measure("answer_ms", "time of the whole answer", _of_answer(lambda written: written.milliseconds), "lower", "ms"),
)  # fmt: skip
NAMES = tuple(measure.name for measure in MEASURES)
