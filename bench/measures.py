"""Measures of a ranked list of pages, and how sure a difference between two ways of ranking is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.questions import Question
from corpus.evaluation.intervals import difference
from corpus.search import Hit

CUTS = (1, 3, 5, 10)
Page = tuple[str, int]


@dataclass(frozen=True)
class Rank:
    """1-based ranks of the first right answer, None where there is none: of the page, within one page, of the
    document (ranks count distinct pages, for the document distinct documents)."""

    exact: int | None
    within_one: int | None
    document: int | None


def ranked(question: Question, hits: Sequence[Hit]) -> Rank:
    pages = list(dict.fromkeys((hit.document.filename, hit.block.page_number or 0) for hit in hits))
    documents = list(dict.fromkeys(name for name, _ in pages))
    near = {page + step for page in question.pages for step in (-1, 0, 1)}
    return Rank(
        _first([name == question.doc and page in question.pages for name, page in pages]),
        _first([name == question.doc and page in near for name, page in pages]),
        _first([name == question.doc for name in documents]),
    )


def hit_at(ranks: Sequence[int | None], cut: int) -> float:
    """Share of questions whose first right answer is among the first `cut`."""
    return sum(1 for rank in ranks if rank is not None and rank <= cut) / len(ranks)


def reciprocal(ranks: Sequence[int | None]) -> float:
    """Mean reciprocal rank."""
    return sum(1 / rank for rank in ranks if rank) / len(ranks)


def paired_interval(
    ours: Sequence[int | None], theirs: Sequence[int | None], cut: int
) -> tuple[float, float, float]:
    """Difference of hit@cut and its 95 % bootstrap interval over questions (Efron 1979), seed fixed."""
    pairs = [[float(_within(rank, cut)) for rank in side] for side in (ours, theirs)]
    spread = difference(*pairs)
    if spread is None or spread.low is None or spread.high is None:
        raise ValueError("an interval needs two questions at least")
    return spread.mean, spread.low, spread.high


def _within(rank: int | None, cut: int) -> int:
    return int(rank is not None and rank <= cut)


def _first(right: Sequence[bool]) -> int | None:
    return right.index(True) + 1 if True in right else None
