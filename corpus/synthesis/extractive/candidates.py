"""Everything that could answer a question: the sentences, lines, list items, table rows and code of its sources, valued
by their words, by the kind of answer asked for, by the search and, where an embedder is there, by meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.synthesis.extractive.lexicon import (
    ENUMERATION,
    LEADING,
    NEGATED,
    OF_DOCUMENT,
    POINTING,
    is_front_matter,
)
from corpus.synthesis.extractive.parts import is_caption
from corpus.synthesis.extractive.question import Question, labels_of
from corpus.synthesis.extractive.reading import Reading, Unit, is_label_and_value
from corpus.synthesis.extractive.term_match import TermMatch
from corpus.text.analysis import function_words, terms

ABOVE_WEIGHT = 0.5
"""What a word counts that stands only in the headings, the title or the head of the table above."""
BESIDE_WEIGHT = 0.25
"""What a word counts that stands only in the sentence before or after."""
WORDS_WEIGHT, SEARCH_WEIGHT, KIND_WEIGHT = 0.1, 0.1, 0.05
"""What full agreement in words, the best score of the search and the right kind of answer add to a cosine. Cosines of
the packaged embedder differ by .02 to .05 between a sentence that answers and its neighbours."""
FOREIGN_WORDS = 0.4
"""What the words count at least in a text that is known to be in another language than the question."""
FOREIGN_COSINE = 0.03
"""What a cosine across languages lacks against one within a language. Without it .18 of a reader's questions are
refused although the documents answer, with it .11."""
LABEL_WEIGHT = 0.1
"""What a source gains that has the table or figure which the question gives by number."""
POOR_PENALTY = 0.07
"""What is taken from a candidate that states nothing by itself: a question, a caption, a scrap, a pointer."""
MAX_COMPARED = 16
"""Candidates that are embedded. Of 33 answers that stood among the first eight passages of a search on the set `mixed`,
28 of 29 are among the first 16 candidates by words and search, and as many among the first 30."""
MAX_CHARACTERS = 400
"""Of a candidate that are embedded: its cost grows with its length."""
MAX_HEADING = 80
_MIN_WORDS, _MIN_NEW = 3, 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """`reading` and `unit` are places in the readings and their units; `row` is that of a table. `words` (0..1) is the
    weighted share of the question's words that it holds, `search` (0..1) the score of its source against the best one,
    `holds` (0..1) how far it has the kind of answer asked for, `is_labelled` whether it has the figure or table that
    the question gives by number, `is_foreign` whether it is in another language than the
    question, `cosine` how near it is in meaning, where that was measured."""

    reading: int
    unit: int
    row: int | None
    text: str
    words: float
    search: float
    holds: float
    is_poor: bool = False
    is_labelled: bool = False
    heading: str = ""
    is_foreign: bool = False
    cosine: float | None = None

    @property
    def value(self) -> float:
        known = (self.cosine or 0.0) + WORDS_WEIGHT * self.words + SEARCH_WEIGHT * self.search
        return (
            known + KIND_WEIGHT * self.holds + LABEL_WEIGHT * self.is_labelled - POOR_PENALTY * self.is_poor
        )


def candidates(readings: Sequence[Reading], question: Question) -> list[Candidate]:
    """Best first, by words alone. Titles stand above what they name and are no candidates."""
    lacking = _of_other_things(readings, question)
    all_counts = [_WordCounts(reading, question, n in lacking) for n, reading in enumerate(readings)]
    weights = _weights(
        [counts for all_counts in all_counts for counts in all_counts.own],
        _counting_words(readings, question),
    )
    best = max((reading.score for reading in readings), default=0.0) or 1.0
    scored = [
        candidate
        for n, all_counts in enumerate(all_counts)
        for candidate in all_counts.candidates(n, weights, readings[n].score / best, question)
    ]
    return rank(scored)


def rank(scored: Sequence[Candidate]) -> list[Candidate]:
    return sorted(scored, key=lambda each: (-each.value, each.reading, each.unit, each.row or 0))


def to_compare(scored: Sequence[Candidate]) -> list[Candidate]:
    """Those whose meaning is worth a look, for `with_meaning`."""
    by_both = sorted(
        scored, key=lambda each: (-(each.words + each.search + 0.2 * each.holds), each.reading, each.unit)
    )
    return by_both[:MAX_COMPARED]


def embedded_text(candidate: Candidate) -> str:
    """With its heading, which tells what it is about."""
    heading = f"{candidate.heading[:MAX_HEADING]}: " if candidate.heading else ""
    return f"{heading}{candidate.text}"[:MAX_CHARACTERS]


def with_meaning(scored: Sequence[Candidate], cosines: Mapping[str, float]) -> list[Candidate]:
    """The candidates with the `cosines` of their texts, best first. What was not compared counts as far as the farthest
    that was."""
    if not cosines:
        return list(scored)
    farthest = min(cosines.values())
    return rank(
        [
            replace(
                each,
                cosine=cosines.get(embedded_text(each), farthest) + FOREIGN_COSINE * each.is_foreign,
            )
            for each in scored
        ]
    )


class _WordCounts:
    """How often each word of the question stands in each unit of a reading, in each row of its tables, and above."""

    def __init__(self, reading: Reading, question: Question, is_of_other: bool) -> None:
        self._reading, self._shape, self._is_of_other = reading, question.shape, is_of_other
        self._is_negated = question.is_negated
        self._is_front_matter = is_front_matter(reading.heading) and not OF_DOCUMENT.search(question.text)
        self._language = reading.source.language or question.language
        self._stems = frozenset(question.stems(self._language))
        self._match = TermMatch(question, self._language)
        self._path = self._most(self._match.count(reading.path), self._match.count(reading.name))
        self.own = [self._match.count(unit.text) for unit in reading.units]

    def candidates(
        self, n: int, weights: Sequence[float], search: float, question: Question
    ) -> list[Candidate]:
        scored: list[Candidate] = []
        above, title = self._path, ""
        is_foreign = self._reading.is_foreign_to(question)
        is_labelled = bool(question.labels and question.labels & labels_of(self._reading.source.text))
        for at, unit in enumerate(self._reading.units):
            if unit.kind == "title":
                above, title = self._most(self._path, self.own[at]), unit.text
                continue
            if self._reading.is_header(unit.text):
                continue
            for row, text, counts, around in self._rows(at, unit, above):
                words = self._share(counts, around, self._beside(at), weights)
                words = max(words, FOREIGN_WORDS) if is_foreign else words
                holds = _holds(question, unit, text)
                scored.append(
                    Candidate(
                        n,
                        at,
                        row,
                        text,
                        words,
                        search,
                        holds,
                        self._is_poor(at, unit) or self._affirms(text, title),
                        is_labelled,
                        self._reading.heading,
                        is_foreign,
                    )
                )
        return scored

    def _rows(
        self, at: int, unit: Unit, above: Sequence[float]
    ) -> list[tuple[int | None, str, Sequence[float], Sequence[float]]]:
        table = self._reading.table(at)
        if not table or not table.rows:
            return [(None, unit.text, self.own[at], above)]
        head = self._most(above, self._match.count(" ".join(table.head)))
        return [
            (n, table.record(n), self._match.count(" ".join(row)), head) for n, row in enumerate(table.rows)
        ]

    def _beside(self, at: int) -> Sequence[float]:
        near = [self.own[n] for n in (at - 1, at + 1) if 0 <= n < len(self.own)]
        return self._most(*near) if near else [0.0] * len(self._path)

    def _share(
        self,
        own: Sequence[float],
        above: Sequence[float],
        beside: Sequence[float],
        weights: Sequence[float],
    ) -> float:
        share = sum(
            weight * max(min(count, 1.0), ABOVE_WEIGHT * min(up, 1.0), BESIDE_WEIGHT * min(by, 1.0))
            for weight, count, up, by in zip(weights, own, above, beside, strict=True)
        )
        return min(share, 1.0)

    def _is_poor(self, at: int, unit: Unit) -> bool:
        if self._is_of_other or self._is_front_matter:
            return True
        if unit.kind == "table":
            return self._shape == "overview"
        if unit.kind == "code":
            return self._shape in ("fact", "comparison", "overview")
        last = at == len(self._reading.units) - 1
        leads_nowhere = unit.text.endswith("?") or (last and bool(LEADING.search(unit.text)))
        return (
            leads_nowhere
            or not (self._reading.is_statement(at) or is_label_and_value(unit.text))
            or bool(POINTING.match(unit.text))
            or is_caption(unit.text)
            or (unit.kind == "text" and len(unit.text.split()) < _MIN_WORDS and ":" not in unit.text)
            or (unit.kind == "text" and self._says_nothing_new(unit))
        )

    def _affirms(self, text: str, title: str) -> bool:
        """Whether it says what is so, below a heading that does, where the question asks for what is not."""
        return self._is_negated and not NEGATED.search(f"{self._reading.heading}\n{title}\n{text}")

    def _says_nothing_new(self, unit: Unit) -> bool:
        """Whether it is hardly more than words of the question without any between them, as a name alone is."""
        unit_terms = frozenset(terms(unit.text, self._language))
        if any(map(str.isdigit, unit.text)) or function_words(tuple(unit_terms)):
            return False
        return len(unit_terms - self._stems) < _MIN_NEW

    def _most(self, *rows: Sequence[float]) -> list[float]:
        return [max(column) for column in zip(*rows, strict=True)]


def _of_other_things(readings: Sequence[Reading], question: Question) -> frozenset[int]:
    """Readings that lack a name with digits of the question, such as "F10", which others have: what they say is of
    another thing."""
    if question.shape == "comparison":
        return frozenset()
    names = [word for word in question.words if any(map(str.isdigit, word)) and any(map(str.isalpha, word))]
    readings_by_name = [
        {n for n, reading in enumerate(readings) if name in reading.all_words} for name in names
    ]
    return frozenset(
        n
        for n in range(len(readings))
        if any(readings_with_name and n not in readings_with_name for readings_with_name in readings_by_name)
    )


def _holds(question: Question, unit: Unit, text: str) -> float:
    """Whether it has the kind of answer asked for; of a list its items, of steps also their code."""
    if question.wanted:
        return float(question.wanted.is_in(text))
    if question.shape == "list":
        return 1.0 if unit.kind in ("item", "table") else 0.5 * bool(ENUMERATION.search(text))
    return float(question.shape == "steps" and unit.kind in ("item", "code"))


def _counting_words(readings: Sequence[Reading], question: Question) -> list[bool]:
    """Which words of the question count: of a comparison of documents not those that name them, since what else it asks
    is asked of each."""
    documents = {reading.document: reading for reading in readings if reading.name}
    if question.shape != "comparison" or len(documents) < 2:
        return [True] * len(question.words)
    counts_by_name = [
        TermMatch(question, reading.source.language or question.language).count(reading.name)
        for reading in documents.values()
    ]
    counting = [not any(row[n] >= 1 for row in counts_by_name) for n in range(len(question.words))]
    return counting if any(counting) else [True] * len(question.words)


def _weights(units: Sequence[Sequence[float]], counts: Sequence[bool]) -> list[float]:
    """Rare words count more. Together they make 1."""
    frequencies = [sum(row[n] > 0 for row in units) for n in range(len(counts))]
    raw = [
        math.log(1 + (len(units) - count + 0.5) / (count + 0.5)) if is_counted else 0.0
        for count, is_counted in zip(frequencies, counts, strict=True)
    ]
    total = sum(weight for weight, count in zip(raw, frequencies, strict=True) if count) or sum(raw) or 1.0
    return [weight / total for weight in raw]
