"""Find the two things, or the documents, that a comparison is about, and the best candidate for each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.reading import Reading
from corpus.text.analysis import terms

OPENS = 0.1
"""Bonus for the first text of a section about a compared thing, because it introduces the thing."""
_SIDES = re.compile(
    r"\b(?:between|zwischen|of|von|compare|vergleiche?|vergleich)\s(?P<one>[^?,;]{1,60}?)\s(?:and|und|with|mit|to|zu|vs\.?|versus)\s(?P<other>[^?,;]{1,60})"
    r"|(?<![^\s?,;])(?P<left>[^\s?,;][^?,;]{0,59}?)\s(?:vs\.?|versus|or|oder|im\svergleich\szu|compared\s(?:with|to))\s(?P<right>[^?,;]{1,60})",
    re.IGNORECASE,
)


def best_of_sides(readings: Sequence[Reading], candidates: Sequence[Candidate], question: Question) -> list[Candidate]:
    """Return, for each of the two compared things, the best candidate that mentions it and not the other. If the
    question does not compare two things, return the best candidate of each document that it mentions, or of each
    document if it mentions none."""
    firsts: list[Candidate] = []
    for wanted, other in _sides(question):
        speaking = [
            each
            for each in candidates
            if _speaks_of(readings[each.reading], each, wanted) and not _speaks_of(readings[each.reading], each, other)
        ]
        speaking.sort(key=lambda each: -each.value - OPENS * _opens_on(readings[each.reading], each, wanted))
        firsts += [each for each in speaking if each not in firsts][:1]
    return firsts if len(firsts) > 1 else _of_documents(readings, candidates, question)


def _of_documents(readings: Sequence[Reading], candidates: Sequence[Candidate], question: Question) -> list[Candidate]:
    compared = _compared_documents(readings, question)
    best: dict[str, Candidate] = {}
    for each in candidates:
        document = readings[each.reading].document
        if document in compared or not compared:
            best.setdefault(document, each)
    return sorted(best.values(), key=lambda each: -each.value)


def _compared_documents(readings: Sequence[Reading], question: Question) -> frozenset[str]:
    """Return the documents that the question mentions, recognised by words that only some document names contain. The
    result is empty if there are fewer than two."""
    names = {reading.document: set(terms(reading.name, None)) for reading in readings if reading.name}
    common = set.intersection(*names.values()) if names else set()
    distinctive = set(question.words) - common
    compared = frozenset(document for document, words in names.items() if words & distinctive)
    return compared if len(compared) > 1 else frozenset()


def _sides(question: Question) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the words of each compared thing, paired with those of the other thing. The result is empty if the
    question does not compare two things."""
    match = _SIDES.search(" ".join(question.text.split()))
    if not match:
        return []
    first, second = (
        tuple(word for word in terms(side, None) if word in question.words)
        for side in (match["one"] or match["left"], match["other"] or match["right"])
    )
    return [(first, second), (second, first)] if first and second else []


def _speaks_of(reading: Reading, each: Candidate, wanted: Sequence[str]) -> bool:
    return _holds_all(f"{each.text}\n{reading.heading}", wanted, reading.source.language)


def _opens_on(reading: Reading, each: Candidate, wanted: Sequence[str]) -> bool:
    """Return whether a candidate is the first text below a heading that contains the thing's name."""
    first = next((n for n, unit in enumerate(reading.units) if unit.kind != "title"), 0)
    return each.unit == first and _holds_all(reading.heading, wanted, reading.source.language)


def _holds_all(text: str, words: Sequence[str], language: str | None) -> bool:
    stems = frozenset(terms(text, language))
    return all(stems.intersection(terms(word, language)) for word in words)
