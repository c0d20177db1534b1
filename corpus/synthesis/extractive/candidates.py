"""Score candidates (the sentences, list items, table rows and code of the sources) by words, kind of answer, search
score and, with an embedder, meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.synthesis.extractive.context_expansion import reply_to
from corpus.synthesis.extractive.lexicon import (
    ENUMERATION,
    LEADING,
    NEGATED,
    POINTING,
    is_front_matter,
)
from corpus.synthesis.extractive.parts import MAIL_HEADER, is_table_caption
from corpus.synthesis.extractive.question import Question, labels_of
from corpus.synthesis.extractive.reading import Reading, Unit, is_label_and_value
from corpus.synthesis.extractive.term_match import TermMatch
from corpus.text.analysis import function_words, terms

ABOVE_WEIGHT = 0.5
"""Weight of a word that occurs only in the headings, the title or the table's header row."""
BESIDE_WEIGHT = 0.25
"""Weight of a word that occurs only in the neighbouring sentence."""
WORDS_WEIGHT, SEARCH_WEIGHT, KIND_WEIGHT = 0.1, 0.1, 0.05
"""Bonuses added to a cosine for full word overlap, for the best search score and for the requested kind of answer. The
packaged embedder's cosines differ by .02 to .05 between a sentence with the answer and its neighbours;
docs/synthesis.md has the ablation."""
FOREIGN_WORDS = 0.4
"""Word score of a candidate if it and the question are in different languages. Only names match across languages, and a
sentence that contains the name of the subject is not a better answer than the sentences around it."""
FOREIGN_COSINE = 0.03
"""Bonus for cosines across languages, which are lower. For a reader's questions, it reduces the rate of false refusals
from .18 to .11."""
LABEL_WEIGHT = 0.1
"""Bonus for a source that contains the table or figure whose number the question mentions."""
POOR_PENALTY = 0.07
"""Penalty for a candidate that states nothing by itself: a question, a caption, a fragment or a reference."""
MAX_COMPARED = 16
"""Maximum number of candidates that are embedded. On the question set `mixed`, the first 16 by words and search include
28 of 29 answers, and the first 30 include no more."""
MAX_CHARACTERS = 400
"""Maximum number of characters embedded per candidate, because the cost grows with the length."""
MAX_HEADING = 80
"""Maximum number of characters in the heading that is embedded with a candidate."""
_FORMULA = re.compile(
    r"(?:Subject|Betreff|AW|WG|Re|Fwd?):\s|(?:kind|best|warm)\s+(?:regards|wishes)\b|(?:yours\s+)?(?:sincerely|faithfully)\b"
    r"|dear\s+\w|(?:mit\s+)?(?:freundliche|viele|liebe|beste|herzliche)[nm]?\s+gr(?:ü|ue)(?:ß|ss)en?\b|sehr\s+geehrte[rns]?\b|liebe[rs]?\s+(?:frau|herr)",
    re.IGNORECASE,
)
"""Pattern for an e-mail's subject line (which is also its heading), salutation or closing."""
_IN_MAIL_HEADER = frozenset({"person", "date"})
"""Kinds of answer that an e-mail's header line may contain."""
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_MIN_WORDS, _MIN_NEW = 3, 2
"""Minimum number of words in a statement, and minimum number of its terms that are not in the question."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit or a table row that may answer the question, with its scores.

    `reading` and `unit` are indices of the readings and their units. `row` is the index of a table row, or None for
    other units. `words` (0..1) is the IDF-weighted fraction of the question's words that it contains. `search` (0..1)
    is the source's score relative to that of the best source. `holds` (0..1) is the degree to which the candidate has
    the kind of answer that the question asks for. `is_labelled` is True if its source contains the figure or table
    whose number the question mentions, `is_foreign` if it and the question are in different languages. `is_blank` is
    True for a row with an empty cell in the column that the question asks for. `cosine` is None if it was not computed.
    """

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
    is_blank: bool = False
    cosine: float | None = None

    @property
    def value(self) -> float:
        """Return the score for ranking: the cosine plus weighted bonuses."""
        known = (self.cosine or 0.0) + WORDS_WEIGHT * self.words + SEARCH_WEIGHT * self.search
        return known + KIND_WEIGHT * self.holds + LABEL_WEIGHT * self.is_labelled - POOR_PENALTY * self.is_poor


def candidates(readings: Sequence[Reading], question: Question) -> list[Candidate]:
    """Return all candidates, ranked without cosines. Titles and running headers are not candidates."""
    lacking = _of_other_things(readings, question)
    counters = [
        _WordCounts(reading, question, n in lacking, _rest_of(reading, readings)) for n, reading in enumerate(readings)
    ]
    weights = _weights([counts for counter in counters for counts in counter.own], _counting_words(readings, question))
    best = max((reading.score for reading in readings), default=0.0) or 1.0
    scored = [
        candidate
        for n, counter in enumerate(counters)
        for candidate in counter.candidates(n, weights, readings[n].score / best, question)
    ]
    return rank(scored)


def rank(scored: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates sorted by value, best first. Candidates of equal value keep their reading order."""
    return sorted(scored, key=lambda each: (-each.value, each.reading, each.unit, each.row or 0))


def to_compare(scored: Sequence[Candidate]) -> list[Candidate]:
    """Return the MAX_COMPARED candidates to embed for `with_meaning`: the best by their scores for words, search and
    kind."""
    by_both = sorted(scored, key=lambda each: (-(each.words + each.search + 0.2 * each.holds), each.reading, each.unit))
    return by_both[:MAX_COMPARED]


def embedded_text(candidate: Candidate) -> str:
    """Return the text to embed: the heading, which gives the subject, followed by the candidate."""
    heading = f"{candidate.heading[:MAX_HEADING]}: " if candidate.heading else ""
    return f"{heading}{candidate.text}"[:MAX_CHARACTERS]


def with_meaning(scored: Sequence[Candidate], cosines: Mapping[str, float]) -> list[Candidate]:
    """Return the candidates, reranked by `cosines`, which are keyed by `embedded_text`. Candidates without a cosine get
    the lowest one."""
    if not cosines:
        return list(scored)
    lowest = min(cosines.values())
    measured = ((each, cosines.get(embedded_text(each), lowest)) for each in scored)
    return rank([replace(each, cosine=cosine + FOREIGN_COSINE * each.is_foreign) for each, cosine in measured])


class _WordCounts:
    """Counts of each word of the question in the units of a reading, its table rows, and the headings above."""

    def __init__(self, reading: Reading, question: Question, is_of_other: bool, rest: str) -> None:
        self._reading, self._shape, self._is_of_other = reading, question.shape, is_of_other
        self._rest, self._kind = rest, question.wanted.kind if question.wanted else None
        self._is_negated, self._negated = question.is_negated, question.vocabulary.negated
        about_document = question.vocabulary.of_document.search(question.text)
        self._is_front_matter = is_front_matter(reading.heading) and not about_document
        self._language = reading.source.language or question.language
        self._stems = frozenset(question.stems(self._language))
        self._match = TermMatch(question, self._language)
        self._path = self._most(self._match.count(reading.path), self._match.count(reading.name))
        self._texts = [unit.text for unit in reading.units]
        if rest:
            self._texts[-1] = f"{self._texts[-1]} {rest}"
        self._replied: set[int] = set()
        for at, text in enumerate(self._texts):
            if replies := reply_to(reading.units, at):
                self._texts[at] = " ".join((text, *(reading.units[n].text for n in replies)))
                self._replied.add(at)
        self.own = [self._match.count(text) for text in self._texts]

    def candidates(self, n: int, weights: Sequence[float], search: float, question: Question) -> list[Candidate]:
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
            blank_rows = self._blank_rows(at)
            for row, text, counts, around in self._rows(at, unit, above):
                words = self._share(counts, around, self._beside(at), weights)
                words = FOREIGN_WORDS if is_foreign else words
                is_blank = row in blank_rows
                # A row with an empty cell is ranked as if the cell had a value, because no other row can supply that
                # value.
                holds = 1.0 if is_blank else _holds(question, unit, text)
                scored.append(
                    Candidate(
                        n,
                        at,
                        row,
                        text,
                        words,
                        search,
                        holds,
                        self._is_poor(
                            at, unit, is_keyword_match=question.is_topic and self._matches_all(counts, around)
                        )
                        or self._affirms(text, title)
                        or lacks_answer(question, holds, is_row=row is not None),
                        is_labelled,
                        self._reading.heading,
                        is_foreign,
                        is_blank,
                    )
                )
        return scored

    def _blank_rows(self, at: int) -> frozenset[int]:
        """Return the indices of the rows whose cell is empty in the column that the question asks for: all words of the
        column's name are in the question, and no other such column has more words."""
        table = self._reading.table(at)
        if table is None or self._shape != "fact" or self._is_negated:
            return frozenset()
        words_by_column = ((n, set(terms(name, self._language))) for n, name in enumerate(table.head))
        sizes = {n: len(words) for n, words in words_by_column if words and words <= self._stems}
        columns = [n for n, size in sizes.items() if size == max(sizes.values())]
        if not columns:
            return frozenset()
        return frozenset(n for n, row in enumerate(table.rows) if not any(row[column] for column in columns))

    def _rows(
        self, at: int, unit: Unit, above: Sequence[float]
    ) -> list[tuple[int | None, str, Sequence[float], Sequence[float]]]:
        table = self._reading.table(at)
        if not table or not table.rows:
            return [(None, self._texts[at], self.own[at], above)]
        head = self._most(above, self._match.count(" ".join(table.head)))
        return [(n, table.record(n), self._match.count(" ".join(row)), head) for n, row in enumerate(table.rows)]

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

    def _matches_all(self, row: Sequence[float], around: Sequence[float]) -> bool:
        """Return whether each word of a query with several keywords occurs in this table row, its header row or a
        heading above: `hotel limit norway`."""
        return len(self._stems) > 1 and any(row) and all(map(max, row, around))

    def _is_poor(self, at: int, unit: Unit, *, is_keyword_match: bool) -> bool:
        if self._is_of_other or self._is_front_matter:
            return True
        if unit.kind == "table":
            return self._shape == "overview" and not is_keyword_match
        if unit.kind == "code":
            return self._shape in ("fact", "comparison", "overview")
        last = at == len(self._reading.units) - 1
        if at in self._replied:
            return False
        leads_nowhere = unit.text.endswith("?") or (last and bool(LEADING.search(unit.text)))
        return (
            leads_nowhere
            or not (
                self._reading.is_statement(at)
                or (last and self._rest)
                or (self._shape != "overview" and is_label_and_value(unit.text))
            )
            or bool(POINTING.match(unit.text))
            or is_table_caption(unit.text)
            or not _LINK.sub("", unit.text).strip()
            or bool(_FORMULA.match(unit.text))
            or (unit.kind == "item" and self._kind not in _IN_MAIL_HEADER and bool(MAIL_HEADER.match(unit.text)))
            or (unit.kind == "text" and len(unit.text.split()) < _MIN_WORDS and ":" not in unit.text)
            or (unit.kind == "text" and self._says_nothing_new(unit))
        )

    def _affirms(self, text: str, title: str) -> bool:
        """Return whether the question is negated, but neither the candidate nor its heading contains a negation."""
        where = f"{self._reading.heading}\n{title}\n{text}"
        return self._is_negated and not (self._negated.search(where) or NEGATED.search(where))

    def _says_nothing_new(self, unit: Unit) -> bool:
        """Return whether the candidate has hardly any words besides the question's, and no function words or digits,
        such as a bare name."""
        unit_terms = frozenset(terms(unit.text, self._language))
        if any(map(str.isdigit, unit.text)) or function_words(tuple(unit_terms)):
            return False
        return len(unit_terms - self._stems) < _MIN_NEW

    def _most(self, *rows: Sequence[float]) -> list[float]:
        return [max(column) for column in zip(*rows, strict=True)]


def _rest_of(reading: Reading, readings: Sequence[Reading]) -> str:
    """Return the rest of the last sentence if a page or column break splits it, or an empty string otherwise."""
    last = len(reading.units) - 1
    if last < 0 or not reading.ends_early(last):
        return ""
    following = (other for other in readings if other.units and other.starts_late(0) and other.follows(reading))
    after = next(following, None)
    return after.units[0].text if after else ""


def _of_other_things(readings: Sequence[Reading], question: Question) -> frozenset[int]:
    """Return the indices of readings about something else: they lack a name with digits from the question, such as
    "F10", that other readings contain."""
    if question.shape == "comparison":
        return frozenset()
    names = [word for word in question.words if any(map(str.isdigit, word)) and any(map(str.isalpha, word))]
    having = [{n for n, reading in enumerate(readings) if name in reading.all_words} for name in names]
    return frozenset(n for n in range(len(readings)) if any(some and n not in some for some in having))


def _holds(question: Question, unit: Unit, text: str) -> float:
    """Return the degree (0..1) to which a candidate has the kind of answer that the question asks for. A list needs
    items or rows; an enumeration counts half. Steps need items or code."""
    if question.wanted:
        return question.wanted.degree(text, is_row=unit.kind == "table")
    if question.shape == "list":
        return 1.0 if unit.kind in ("item", "table") else 0.5 * bool(ENUMERATION.search(text))
    return float(question.shape == "steps" and unit.kind in ("item", "code"))


def lacks_answer(question: Question, holds: float, *, is_row: bool) -> bool:
    """Return whether a candidate with this `holds` certainly lacks the kind of answer that the question asks for. This
    is certain only for four kinds: a number; an exact form, such as an e-mail address; a date, if the question's
    language is known; and a reason, which no table row contains. A person or a definition may be worded in ways that no
    pattern matches."""
    wanted = question.wanted
    if wanted is None or holds:
        return False
    if wanted.is_exact:
        return True
    if wanted.kind == "reason":
        return is_row
    return wanted.is_numeric or (wanted.kind == "date" and question.language is not None)


def _counting_words(readings: Sequence[Reading], question: Question) -> list[bool]:
    """Return, for each word of the question, whether it counts. In a comparison of documents, the words of their names
    do not count; the other words apply to every document."""
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
    """Return the IDF weights of the question's words by their frequency in the units. They sum to 1."""
    frequencies = [sum(row[n] > 0 for row in units) for n in range(len(counts))]
    raw = [
        math.log(1 + (len(units) - count + 0.5) / (count + 0.5)) if is_counted else 0.0
        for count, is_counted in zip(frequencies, counts, strict=True)
    ]
    total = sum(weight for weight, count in zip(raw, frequencies, strict=True) if count) or sum(raw) or 1.0
    return [weight / total for weight in raw]
