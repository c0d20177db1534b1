"""Count the words of a question in a text: by stem, participle core, compound head, or character n-grams."""

from __future__ import annotations

from corpus.synthesis.extractive.lexicon import core_of
from corpus.synthesis.extractive.question import Question
from corpus.text.analysis import terms

CORE_WEIGHT = 0.75
"""Count for a word that matches only by its core: `gewechselt` in `Ölwechsel`."""
HEAD_WEIGHT = 0.5
"""Count for a German compound that matches only by its head: `Vereinsvorstand` in `Vorstand`."""
_MIN_COMPOUND, _MIN_HEAD = 9, 5
"""Minimum numbers of characters of a compound and of its head. Shorter ones match by chance."""
_GRAM, _MIN_GRAM_SHARE = 4, 0.6
"""Number of characters in a n-gram, and minimum fraction of a word's n-grams at which the word counts."""


class TermMatch:
    """A counter of the words of a question in texts of one language."""

    def __init__(self, question: Question, language: str | None) -> None:
        self._language = language
        self._stems = question.stems(language)
        german = "de" in (question.language, (language or "").split("-")[0])
        self._compounds = [german and len(word) >= _MIN_COMPOUND for word in question.words]
        self._cores = [core_of(word) if german else "" for word in question.words]
        self._grams = [_grams(word) for word in question.words]

    def count(self, text: str) -> list[float]:
        """Return the count for each word of the question: the occurrences of its stem, or a value below 1 for a partial
        match."""
        if not text:
            return [0.0] * len(self._stems)
        frequencies: dict[str, int] = {}
        for term in terms(text, self._language):
            frequencies[term] = frequencies.get(term, 0) + 1
        folded = text.casefold()
        return [
            float(frequencies[stem])
            if stem in frequencies
            else CORE_WEIGHT
            if core and core in folded
            else HEAD_WEIGHT
            if compound and any(len(term) >= _MIN_HEAD and stem.endswith(term) for term in frequencies)
            else _share(grams, folded)
            for stem, core, grams, compound in zip(self._stems, self._cores, self._grams, self._compounds, strict=True)
        ]


def _grams(word: str) -> tuple[str, ...]:
    if len(word) <= _GRAM:
        return ()
    return tuple(word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1))


def _share(grams: tuple[str, ...], text: str) -> float:
    """Return half of the fraction of n-grams that the text contains, or 0 below _MIN_GRAM_SHARE."""
    if not grams:
        return 0.0
    share = sum(gram in text for gram in grams) / len(grams)
    return share / 2 if share >= _MIN_GRAM_SHARE else 0.0
