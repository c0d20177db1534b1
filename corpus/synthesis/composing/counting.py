"""How often the words of a question stand in a text: by their stems, by the cores of participles, by parts of words."""

from __future__ import annotations

from corpus.index.local.analysis import terms
from corpus.synthesis.composing.question import Asked
from corpus.synthesis.composing.words import core_of

A_CORE = 0.75
"""What a word counts of which only the core stands there: of `gewechselt` what is in `Ölwechsel`."""
_GRAM, _LEAST_GRAMS = 4, 0.6


class Counting:
    """For texts of one language."""

    def __init__(self, asked: Asked, language: str | None) -> None:
        self._language = language
        self._stems = asked.stems(language)
        german = "de" in (asked.language, (language or "").split("-")[0])
        self._cores = [core_of(word) if german else "" for word in asked.words]
        self._grams = [_grams(word) for word in asked.words]

    def count(self, text: str) -> tuple[list[float], int]:
        """How often each word of the question stands in the text, and how many words the text has."""
        if not text:
            return [0.0] * len(self._stems), 0
        held: dict[str, int] = {}
        found = terms(text, self._language)
        for term in found:
            held[term] = held.get(term, 0) + 1
        folded = text.casefold()
        return [
            float(held[stem])
            if stem in held
            else A_CORE
            if core and core in folded
            else _share(grams, folded)
            for stem, core, grams in zip(self._stems, self._cores, self._grams, strict=True)
        ], len(found)


def _grams(word: str) -> tuple[str, ...]:
    if len(word) <= _GRAM:
        return ()
    return tuple(word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1))


def _share(grams: tuple[str, ...], text: str) -> float:
    """Half of the share of the word's parts that stand in the text, where most do."""
    if not grams:
        return 0.0
    share = sum(gram in text for gram in grams) / len(grams)
    return share / 2 if share >= _LEAST_GRAMS else 0.0
