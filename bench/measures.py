"""Measures of a ranked list of pages, and the confidence interval of a difference between two rankings."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from bench.questions import Question
from corpus.evaluation.metrics import difference
from corpus.search import Hit

CUTS = (1, 3, 5, 10)
Page = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Result:
    """A text that a method can find, with its file, its page (0 if there is none) and a unique key."""

    doc: str
    page: int
    key: str
    text: str
    score: float = 0.0
    is_image: bool = False

    def scored(self, score: float) -> Result:
        return replace(self, score=score)


@dataclass(frozen=True)
class Rank:
    """1-based ranks of the first correct result, each of which may be None: the correct page, a page at most one page
    away, and the correct document. Ranks count distinct pages or, for the document, distinct documents."""

    exact: int | None
    within_one: int | None
    document: int | None


def ranked(question: Question, hits: Sequence[Hit]) -> Rank:
    return _of_pages(question, [(hit.document.filename, hit.block.page_number or 0) for hit in hits])


def rank_of(question: Question, results: Sequence[Result], answering: Collection[str]) -> Rank:
    """Return the ranks by page or, for a question with patterns, among the individual results. `answering` contains the
    keys of the correct results."""
    of_pages = _of_pages(question, [(result.doc, result.page) for result in results])
    if not question.patterns:
        return of_pages
    return Rank(first([result.key in answering for result in results]), None, of_pages.document)


def answering(question: Question, passages: Sequence[Result]) -> frozenset[str]:
    """Return the keys of the passages that match the most of the question's patterns."""
    counts = {
        one.key: sum(1 for pattern in question.patterns if re.search(pattern, one.text, re.IGNORECASE))
        for one in passages
        if one.doc == question.doc
    }
    most = max(counts.values(), default=0)
    return frozenset(key for key, count in counts.items() if count == most > 0)


def _of_pages(question: Question, found: Sequence[Page]) -> Rank:
    pages = list(dict.fromkeys(found))
    documents = list(dict.fromkeys(name for name, _ in pages))
    near = {page + step for page in question.pages for step in (-1, 0, 1)}
    return Rank(
        first([name == question.doc and page in question.pages for name, page in pages]),
        first([name == question.doc and page in near for name, page in pages]),
        first([name == question.doc for name in documents]),
    )


def first(right: Sequence[bool]) -> int | None:
    """Return the rank of the first correct result, or None if there is none."""
    return right.index(True) + 1 if True in right else None


def hit_at(ranks: Sequence[int | None], cut: int) -> float:
    """Return the fraction of questions whose first correct result is among the first `cut` results."""
    return sum(1 for rank in ranks if rank is not None and rank <= cut) / len(ranks)


def reciprocal(ranks: Sequence[int | None]) -> float:
    """Return the mean reciprocal rank."""
    return sum(1 / rank for rank in ranks if rank) / len(ranks)


def paired_interval(ours: Sequence[int | None], theirs: Sequence[int | None], cut: int) -> tuple[float, float, float]:
    """Return the difference in hit@cut and its 95 % bootstrap interval over questions (Efron 1979). The random seed is
    fixed."""
    pairs = [[float(_within(rank, cut)) for rank in side] for side in (ours, theirs)]
    spread = difference(*pairs)
    if spread is None or spread.low is None or spread.high is None:
        raise ValueError("an interval needs two questions at least")
    return spread.mean, spread.low, spread.high


def _within(rank: int | None, cut: int) -> int:
    return int(rank is not None and rank <= cut)
