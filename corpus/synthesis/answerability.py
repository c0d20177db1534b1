"""Answerability: the probability, by logistic regression, that the best candidate answers the question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.documents.block import passage_text
from corpus.search import Hit
from corpus.synthesis.compose import Material
from corpus.synthesis.extractive.aggregates import lacks_period
from corpus.synthesis.extractive.candidates import Candidate, lacks_answer
from corpus.synthesis.extractive.meanings import foreign_coverage
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.term_match import TermMatch
from corpus.synthesis.query_entities import absent_names, is_year, query_names
from corpus.text.normalization import clean
from corpus.verification.names import is_code

ANSWERS = 0.25
"""Minimum probability at which an answer is given. Below it, the reply says that the documents do not answer the
question. docs/synthesis.md reports the refusals at this value."""
UNSURE = 0.5
"""Minimum confidence at which an answer carries no notice of doubt. Below it, the answer is more likely wrong than
correct."""
UNKNOWN_RELEVANCE = 0.75
"""Relevance assumed for an index that reports none, and for sources that the client chose."""
FOREIGN_COVERAGE = 0.65
"""Coverage assumed if the text and the question are in different languages and there is no embedder, because word
overlap is then meaningless. The value is the mean over texts that do answer their question."""
FIRST_FIGURES = 3
"""Number of top-ranked sources in which a figure may count as the answer."""
MIN_CODE = 4
"""Minimum length in characters at which an acronym or code is assumed to be written the same way in every language."""
MAX_NAMES, MAX_NAME = 3, 40
"""Maximum number of missing names that a reply lists, and maximum length in characters of each."""
_PRESENT = 0.5
"""Minimum `TermMatch` count at which a word counts as present in a source: its stem, core or compound head matches, or
all of its parts do."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """Weights of a logistic regression that predicts whether the composed answer is correct."""

    base: float
    relevance: float
    coverage: float
    missing: float
    cosine: float = 0.0
    lacking: float = -2.6

    def chance(self, signals: Signals) -> float:
        """Return the probability, 0..1, that the answer is correct."""
        odds = (
            self.base
            + self.relevance * signals.relevance
            + self.coverage * signals.coverage
            + self.missing * (bool(signals.missing) or signals.lacks_period or signals.is_blank)
            + self.cosine * (signals.cosine or 0.0)
            + self.lacking * signals.lacks_kind
        )
        return 1 / (1 + math.exp(-odds))


BY_MEANING = _Weights(base=-28.0, relevance=3.4, coverage=2.1, missing=-5.0, cosine=28.2)
BY_WORDS = _Weights(base=-6.8, relevance=7.2, coverage=1.75, missing=-5.0)
"""Weights fitted with a ridge penalty of 1 on 163 questions about two folders of mixed documents, which do not contain
the answers to half of the questions. The weight of a missing name is not fitted but set to outweigh the rest: across
four question sets, only 3 of 354 questions with a missing name were answered correctly, and the fit included few of
them. docs/synthesis.md has the results for further questions."""


@dataclass(frozen=True, slots=True)
class Signals:
    """The inputs of the regression.

    `relevance` (0..1) comes from the search. `coverage` (0..1) is the IDF-weighted fraction of the question's words
    that occur in the best candidate's source. `cosine` is the best candidate's cosine, or None if there is no embedder.
    `missing` contains the names in the question that no hit contains. `lacks_kind` is True if the best candidate lacks
    the kind of answer that the question asks for (`lacks_answer`). `lacks_period` is True if the question asks for a
    sum over a period and the table has no row in that period. `is_blank` is True if the best candidate is a row whose
    cell is empty in the column that the question asks for.
    """

    relevance: float
    coverage: float
    cosine: float | None
    missing: tuple[str, ...]
    lacks_kind: bool = False
    lacks_period: bool = False
    is_blank: bool = False

    @property
    def chance(self) -> float:
        """Return the probability, 0..1, that the best candidate answers the question."""
        return (BY_WORDS if self.cosine is None else BY_MEANING).chance(self)

    @property
    def nearness(self) -> float:
        """Return the probability, 0..1, as if nothing were missing. It measures how close the best candidate is to the
        subject."""
        return replace(self, missing=(), lacks_kind=False, lacks_period=False, is_blank=False).chance


def signals(material: Material, missing: tuple[str, ...], relevance: float | None) -> Signals | None:
    """Return the signals for the first candidate, or None if there are no candidates.

    A text in a different language often translates names (Greenland, Grönland) and short acronyms (UN, VN). For such a
    text, only longer codes count as missing.
    """
    question, readings, candidates = material.question, material.readings, material.candidates
    if not candidates:
        return None
    best = candidates[0]
    if best.is_foreign:
        missing = tuple(name for name in missing if _is_code(name))
    return Signals(
        relevance=UNKNOWN_RELEVANCE if relevance is None else relevance,
        coverage=_coverage(material, best),
        cosine=best.cosine,
        missing=missing,
        lacks_kind=lacks_answer(question, best.holds, is_row=best.row is not None),
        lacks_period=question.aggregate is not None and lacks_period(readings, candidates, question, material.meanings),
        is_blank=best.is_blank,
    )


def _coverage(material: Material, candidate: Candidate) -> float:
    """Return the coverage of the best candidate's source, or that of a figure among the top-ranked sources if it is
    higher. If the source and the question are in different languages, return the candidate's own coverage, which
    compares words by meaning."""
    question, readings = material.question, material.readings
    best = readings[candidate.reading]
    if best.is_foreign_to(question):
        if not material.similarities:
            return FOREIGN_COVERAGE
        return foreign_coverage(readings, candidate, question, material.similarities, material.meanings)
    counts = [_word_counts(question, reading) for reading in readings]
    weights = [
        math.log((len(counts) + 1) / (sum(row[n] >= _PRESENT for row in counts) + 0.5)) + 0.2
        for n in range(len(question.words))
    ]
    total = sum(weights) or 1.0
    return max(
        sum(weight * count for weight, count in zip(weights, row, strict=True)) / total
        for n, (reading, row) in enumerate(zip(readings, counts, strict=True))
        if reading is best or (reading.is_figure and n < FIRST_FIGURES)
    )


def _word_counts(question: Question, reading: Reading) -> list[float]:
    match = TermMatch(question, reading.source.language or question.language)
    return [min(count, 1.0) for count in match.count(f"{reading.source.text}\n{reading.path}\n{reading.name}")]


def _is_code(name: str) -> bool:
    """Return whether the name is written the same way in every language: it has a digit, or is a code of at least
    MIN_CODE characters (`LinuxCNC`)."""
    return any(map(str.isdigit, name)) or (is_code(name) and len(name) >= MIN_CODE)


def missing_names(
    query: str, language: str | None, hits: Sequence[Hit], document: str | None = None
) -> tuple[str, ...]:
    """Return the first MAX_NAMES names in the question that no hit contains, as written in the question.

    If `document` is given, a year must occur in one of its hits. Otherwise, a question about 2023 could be answered
    with the expenses of 2024 because another document mentions 2023. Other names may occur in any hit, because a
    document often omits the name of its own subject.
    """
    query = clean(query)
    names = query_names(query, language)
    missing = set(absent_names(names, "\n".join(map(_text, hits))))
    own = [hit for hit in hits if hit.block.doc_id == document]
    if own:
        missing.update(name for name in absent_names(names, "\n".join(map(_text, own))) if is_year(name))
    as_written = (_with_affixes(name, query)[:MAX_NAME] for name in names if name in missing)
    return tuple(dict.fromkeys(as_written))[:MAX_NAMES]


def _text(hit: Hit) -> str:
    """Return the text of a hit, together with its document's title and file name and its page numbers."""
    block, document = hit.block, hit.document
    parts = (passage_text(block), document.title, document.filename, block.page_number, block.page_label)
    return "\n".join(str(part) for part in parts if part)


def _with_affixes(name: str, query: str) -> str:
    """Return the name with the parts that are attached to it in the question: "XR-900" for "900", "3.13" for "313"."""
    written = r"[.,'’\u202f]?".join(name) if name.isdigit() else re.escape(name)
    match = re.search(rf"(?:(?<![\w/-])(?:\w++[-/])*)?{written}(?:[-/]\w+)*", query)
    return match[0] if match else name
