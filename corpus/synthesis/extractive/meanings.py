"""Similarity in meaning between words of a question and of a text that cannot match by form: across languages, and
between synonyms (vet, Tierarztpraxis)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.synthesis.extractive.table_rows import CellsByWord, table_rows
from corpus.synthesis.extractive.term_match import TermMatch
from corpus.text.analysis import function_words, terms

COMMON_WORDS = (
    *("time", "year", "people", "day", "man", "thing", "work", "home", "water", "number", "place", "company", "part"),
    *("Zeit", "Jahr", "Mensch", "Tag", "Arbeit", "Haus", "Wasser", "Zahl", "Stadt", "Geld", "Frage", "Schule", "Weg"),
)
"""Words whose mean is subtracted from each vector. The packaged embedder gives any two words a cosine above .75. With
the mean subtracted, translations have cosines of .2 to .7, and unrelated words less than .15."""
UNRELATED, RELATED = 0.2, 0.45
"""Maximum similarity at which a word counts as absent, and minimum similarity at which it counts as present, with
linear interpolation between them. docs/synthesis.md reports the effect."""
SAME_THING = 0.48
"""Minimum similarity at which a table cell means a word of the question. In a trial of 21 words on two tables in the
other language, six words reach it, all correctly. Between 0.4 and this value, half of the matches are wrong (Fahrrad,
Deutsche Bahn: 0.42)."""
NEAR_BEST = 0.05
"""Maximum difference from the best similarity at which another cell also counts as meaning the word."""
MAX_ASKED, MAX_WORDS, MAX_CELLS = 12, 48, 120
"""Maximum numbers of compared question words, candidate words and table cells, which limits the time."""
MAX_CELL = 40
"""Maximum number of characters in a compared cell. A longer cell is prose."""
_WORD = re.compile(r"[^\W\d_][\w'’-]+")

Similarities = Mapping[str, Mapping[str, float]]
"""Centred cosines, -1..1, by word of the question and by text."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Words of the question, and the texts to compare them with."""

    words: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


def cells_to_compare(readings: Sequence[Reading], candidates: Sequence[Candidate], question: Question) -> Compared:
    """Return the words and cells to compare for an aggregate over the best candidate's table, if none of its rows
    contains a word of the question. The words are those that the header row, the headings and the document's name also
    lack."""
    known = table_rows(readings, candidates, question) if question.aggregate else None
    if known is None:
        return Compared()
    everything = [cell for row in known.rows for cell in row.cells]
    match = TermMatch(question, question.language)
    in_rows = match.count("\n".join(everything))
    in_head = match.count("\n".join((known.about, *known.table.head)))
    words = [n for n, word in enumerate(question.words) if word.isalpha()]
    unmatched = [question.words[n] for n in words if not in_head[n]]
    cells = dict.fromkeys(cell for cell in everything if _WORD.search(cell) and len(cell) <= MAX_CELL)
    if any(in_rows[n] for n in words) or not unmatched or not cells:
        return Compared()
    return Compared(tuple(_phrases(unmatched, question)), tuple(cells)[:MAX_CELLS])


def words_to_compare(readings: Sequence[Reading], candidates: Sequence[Candidate], question: Question) -> Compared:
    """Return the words to compare for a best candidate in a different language: the words of the question that its text
    lacks, and its own words."""
    best = candidates[0] if candidates else None
    if best is None or not readings[best.reading].is_foreign_to(question):
        return Compared()
    counts, text = _counts(readings[best.reading], best, question)
    unmatched = [word for word, count in zip(question.words, counts, strict=True) if not count]
    small = function_words(tuple(terms(text, None)))
    words = dict.fromkeys(word for word in _WORD.findall(text) if word.casefold() not in small)
    return Compared(tuple(_as_written(word, question) for word in unmatched[:MAX_ASKED]), tuple(words)[:MAX_WORDS])


def foreign_coverage(
    readings: Sequence[Reading],
    best: Candidate,
    question: Question,
    similarities: Similarities,
    meanings: CellsByWord,
) -> float:
    """Return the mean presence (0..1) of the question's words. A word is present if the best candidate or its headings
    contain it, literally or by meaning, or if a cell of its table means it."""
    counts, _ = _counts(readings[best.reading], best, question)
    presences = [
        1.0 if word in meanings else max(min(count, 1.0), _presence(similarities.get(_as_written(word, question), {})))
        for word, count in zip(question.words, counts, strict=True)
    ]
    return sum(presences) / len(presences) if presences else 0.0


def _presence(by_text: Mapping[str, float]) -> float:
    best = max(by_text.values(), default=0.0)
    return min(1.0, max(0.0, (best - UNRELATED) / (RELATED - UNRELATED)))


def _counts(reading: Reading, best: Candidate, question: Question) -> tuple[list[float], str]:
    table = reading.table(best.unit)
    text = "\n".join((best.text, reading.path, reading.name, " ".join(table.head) if table else ""))
    return TermMatch(question, reading.source.language or question.language).count(text), text


def _as_written(word: str, question: Question) -> str:
    """Return the word capitalised as in the question, because German nouns have capitals."""
    match = re.search(rf"\b{re.escape(word)}\w*", question.text, re.IGNORECASE)
    return match[0] if match else word


def _phrases(words: Sequence[str], question: Question) -> Iterator[str]:
    """Yield the words, with consecutive words of the question joined into one phrase: `music school`."""
    for is_unmatched, run in groupby(question.words, words.__contains__):
        if is_unmatched:
            yield " ".join(run)


def cells_by_word(similarities: Similarities) -> dict[str, frozenset[str]]:
    """Return, for each word, the most similar cells, which count as meaning it. Words without such a cell are
    omitted."""
    meant: dict[str, frozenset[str]] = {}
    for phrase, by_cell in similarities.items():
        best = max(by_cell.values(), default=0.0)
        if best >= SAME_THING:
            cells = frozenset(cell for cell, value in by_cell.items() if value >= max(SAME_THING, best - NEAR_BEST))
            meant.update(dict.fromkeys(phrase.split(), cells))
    return meant
