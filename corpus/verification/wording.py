"""How much of a claim's wording stands in a source, and in which of its sentences most of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

from corpus.headings import behind_headings
from corpus.index.local import analysis
from corpus.verification.protocol import Evidence, SourceText
from corpus.verification.spans import sentence_spans

_WINDOW = 2
"""Words that stand further apart in a source than twice the claim is long do not say it together."""
_SHORTEST_WINDOW = 10
_COMPOUNDING = frozenset({"de", "nl", "da", "sv", "nb", "no"})
_MOST_EVIDENCE = 8
"""Sentences of a source that may be shown for a claim."""
MOST_PLACES = 1_000
"""Places of one source that are looked at for one claim, those of its rarest words first."""
_PART = 5
"""Letters that a part of a compound has at least."""


def content_words(text: str, language: str | None, most: int = 400) -> dict[str, tuple[str, ...]]:
    """Distinct words of a claim that carry its meaning, numbers aside, each as it may be written in a source of that
    language; all words where there are none else."""
    words = analysis.plain_words(text)
    found, _ = analysis.query_words(words, [key] if (key := analysis.stemming(language)) else [], most)
    content = [word for word in found if word.kind in ("content", "identifier")]
    return {word.variants[0]: word.variants for word in content or found}


@dataclass(frozen=True, slots=True)
class Covered:
    """How many content words a claim has, those of them that a source has near to each other, and the sentences that
    have most of them, the best first."""

    asked: int
    words: frozenset[str]
    evidence: tuple[Evidence, ...]


class Wording:
    """One source, its sentences and terms in order."""

    def __init__(self, source: SourceText, language: str | None) -> None:
        self._source = source
        self._language = language
        self._spans = list(sentence_spans(source.text, language))
        self._places: dict[str, list[int]] = {}
        self._sentences: list[int] = []
        for at, (start, end) in enumerate(self._spans):
            for term in analysis.terms(source.text[start:end], language):
                self._places.setdefault(term, []).append(len(self._sentences))
                self._sentences.append(at)

    def covered(self, claim: str) -> Covered:
        words = content_words(claim, self._language)
        hits = self._hits(self._wanted(words))
        if not hits:
            return Covered(len(words), frozenset(), ())
        # Without spaces each pair of characters is a term, and the whole claim one word.
        window = max(_SHORTEST_WINDOW, _WINDOW * max(len(claim.split()), len(words)))
        return Covered(len(words), _densest(hits, window), self._evidence(hits, len(words)))

    def end_of_next(self, start: int) -> int:
        """Where the sentence ends that follows the one in which this offset lies."""
        at = bisect_right(self._spans, start, key=lambda span: span[0])
        return self._spans[min(at, len(self._spans) - 1)][1]

    def _hits(self, wanted: Mapping[str, tuple[str, ...]]) -> list[tuple[int, tuple[str, ...]]]:
        """Where words of the claim stand, in order, and which they are."""
        known = [(self._places[term], found) for term, found in wanted.items() if term in self._places]
        hits: list[tuple[int, tuple[str, ...]]] = []
        for places, found in sorted(known, key=lambda one: len(one[0])):
            hits += [(at, found) for at in places[: MOST_PLACES - len(hits)]]
        return sorted(hits)

    def _wanted(self, words: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Which words of the claim a term of this source says."""
        wanted: dict[str, tuple[str, ...]] = {}
        for word, variants in words.items():
            for term in dict.fromkeys((*variants, *self._compounds(variants[-1]))):
                wanted[term] = (*wanted.get(term, ()), word)
        return wanted

    def _compounds(self, stem: str) -> list[str]:
        """Terms of this source that begin or end a compound, or that it begins or ends."""
        if analysis.stemming(self._language) not in _COMPOUNDING or len(stem) < _PART + 2:
            return []
        near = self._parts.get(stem[:_PART], ()), self._parts.get("-" + stem[-_PART:], ())
        return [term for terms in near for term in terms if term != stem and _is_part(term, stem)]

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        """Terms by their first and by their last letters."""
        found: dict[str, list[str]] = {}
        for term in self._places:
            if len(term) >= _PART:
                for key in (term[:_PART], "-" + term[-_PART:]):
                    terms = found.setdefault(key, [])
                    if len(terms) < 50:
                        terms.append(term)
        return found

    def _evidence(self, hits: Sequence[tuple[int, tuple[str, ...]]], most: int) -> tuple[Evidence, ...]:
        by_sentence: dict[int, set[str]] = {}
        for at, found in hits:
            by_sentence.setdefault(self._sentences[at], set()).update(found)
        best = nsmallest(_MOST_EVIDENCE, by_sentence, key=lambda at: (-len(by_sentence[at]), at))
        return tuple(self._sentence(at, min(1.0, len(by_sentence[at]) / most)) for at in best)

    def _sentence(self, at: int, score: float) -> Evidence:
        start, end = self._spans[at]
        start = behind_headings(self._source.text, self._source.heading, start, end)
        return Evidence(self._source.number, self._source.text[start:end], start, end, score)


def _densest(hits: Sequence[tuple[int, tuple[str, ...]]], window: int) -> frozenset[str]:
    """The words in the stretch of that many terms which has most of them."""
    counts: Counter[str] = Counter()
    best: tuple[int, int, int] = (0, 0, 0)
    first = 0
    for last, (at, found) in enumerate(hits):
        counts.update(found)
        while hits[first][0] <= at - window:
            for word in hits[first][1]:
                counts[word] -= 1
                if not counts[word]:
                    del counts[word]
            first += 1
        if len(counts) > best[0]:
            best = (len(counts), first, last)
    return frozenset(word for _, found in hits[best[1] : best[2] + 1] for word in found)


def _is_part(term: str, stem: str) -> bool:
    short, long = sorted((term, stem), key=len)
    return long.startswith(short) or long.endswith(short)
