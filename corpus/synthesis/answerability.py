"""The one judgement whether what was found answers the question: the chance that the best candidate does."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.documents.block import passage_text
from corpus.search import Hit
from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.term_match import TermMatch
from corpus.synthesis.query_entities import all_stand, query_names
from corpus.text.normalization import clean

ANSWERS = 0.25
"""The chance from which the reply quotes what was found, and below which it says that the documents do not answer."""
UNSURE = 0.5
"""Below this an answer ends with a notice."""
UNKNOWN_RELEVANCE = 0.75
"""Of an index that does not judge its hits, and of sources that the client chose."""
FOREIGN_COVERAGE = 0.65
"""The share of the question's words in a text of another language, where words cannot tell: the mean of those that
answer."""
FIRST_FIGURES = 3
"""Sources among which a figure counts as what answers."""
MAX_NAMES, MAX_NAME = 3, 40
_PRESENT = 0.5


@dataclass(frozen=True, slots=True)
class _Weights:
    """Of a logistic regression on whether the composed answer is right."""

    base: float
    relevance: float
    coverage: float
    missing: float
    cosine: float = 0.0

    def chance(self, signals: Signals) -> float:
        odds = (
            self.base
            + self.relevance * signals.relevance
            + self.coverage * signals.coverage
            + self.missing * bool(signals.missing)
            + self.cosine * (signals.cosine or 0.0)
        )
        return 1 / (1 + math.exp(-odds))


BY_MEANING = _Weights(base=-28.0, relevance=3.4, coverage=2.1, missing=-2.6, cosine=28.2)
BY_WORDS = _Weights(base=-6.8, relevance=7.2, coverage=1.75, missing=-2.7)
"""Fitted on 163 questions over two folders of mixed documents, half of them without an answer there, with a ridge of 1;
docs/answers.md has what they reach on questions that they were not fitted on, and without each signal."""


@dataclass(frozen=True, slots=True)
class Signals:
    """`relevance` (0..1) is the search's, `coverage` (0..1) the share of the question's words, rare ones more, in the
    best candidate's source, `cosine` that of the best candidate, `missing` names of the question that no hit has."""

    relevance: float
    coverage: float
    cosine: float | None
    missing: tuple[str, ...]

    @property
    def chance(self) -> float:
        return (BY_WORDS if self.cosine is None else BY_MEANING).chance(self)


def signals(
    question: Question,
    readings: Sequence[Reading],
    candidates: Sequence[Candidate],
    missing: tuple[str, ...],
    relevance: float | None,
) -> Signals | None:
    """None where nothing could answer. In a text of another language names are often written otherwise (Greenland,
    Grönland), so that only a name with digits counts as missing there."""
    if not candidates:
        return None
    best = candidates[0]
    if best.is_foreign:
        missing = tuple(name for name in missing if any(map(str.isdigit, name)))
    return Signals(
        relevance=UNKNOWN_RELEVANCE if relevance is None else relevance,
        coverage=_coverage(question, readings, readings[best.reading]),
        cosine=best.cosine,
        missing=missing,
    )


def _coverage(question: Question, readings: Sequence[Reading], best: Reading) -> float:
    """Of the best candidate's source, or of a figure among the first, whose caption may say all that is asked."""
    if best.is_foreign_to(question):
        return FOREIGN_COVERAGE
    counts = [_word_counts(question, reading) for reading in readings]
    weights = [
        math.log((len(counts) + 1) / (sum(row[n] >= _PRESENT for row in counts) + 0.5)) + 0.2
        for n in range(len(question.words))
    ]
    total = sum(weights) or 1.0
    places = [
        n
        for n, reading in enumerate(readings)
        if reading is best or (reading.is_figure and n < FIRST_FIGURES)
    ]
    return max(
        sum(weight * count for weight, count in zip(weights, counts[n], strict=True)) / total for n in places
    )


def _word_counts(question: Question, reading: Reading) -> list[float]:
    match = TermMatch(question, reading.source.language or question.language)
    return [
        min(count, 1.0) for count in match.count(f"{reading.source.text}\n{reading.path}\n{reading.name}")
    ]


def missing_names(query: str, language: str | None, hits: Sequence[Hit]) -> tuple[str, ...]:
    """The first few names of the question that no hit has, as it writes them."""
    query = clean(query)
    text = "\n".join(_text(hit) for hit in hits)
    missing = [name for name in query_names(query, language) if not all_stand([name], text)]
    return tuple(dict.fromkeys(_with_affixes(name, query)[:MAX_NAME] for name in missing))[:MAX_NAMES]


def _text(hit: Hit) -> str:
    """What the hit says and under which names, with its page numbers."""
    block, document = hit.block, hit.document
    parts = (passage_text(block), document.title, document.filename, block.page_number, block.page_label)
    return "\n".join(str(part) for part in parts if part)


def _with_affixes(name: str, query: str) -> str:
    """With what it is written together with: of "900" the "XR-900"."""
    match = re.search(rf"(?:(?<![\w/-])(?:\w++[-/])*)?{re.escape(name)}(?:[-/]\w+)*", query)
    return match[0] if match else name
