"""Lexical overlap: the part of a claim's wording that a source contains, and the sentences that contain it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

from corpus.documents.headings import behind_headings
from corpus.text import analysis
from corpus.text.sentences import sentence_spans
from corpus.verification.protocol import Evidence, SourceText

_WINDOW_FACTOR = 2
"""Maximum distance between related words in a source, as a multiple of the claim's length."""
_MIN_WINDOW = 10
"""Lower limit of this maximum distance, in terms, for short claims."""
_COMPOUNDING = frozenset({"de", "nl", "da", "sv", "nb", "no"})
_MAX_EVIDENCE = 8
"""Maximum number of sentences per source that are returned as evidence for a claim."""
MAX_PLACES = 1_000
"""Maximum number of positions in a source that are examined for a claim. The positions of its rarest words are examined
first."""
_MIN_PART = 5
"""Minimum length of a part of a compound, in characters."""


def content_words(text: str, language: str | None, limit: int = 400) -> dict[str, tuple[str, ...]]:
    """Return the distinct content words of a claim, without numbers, each with its variants in a source of this
    language. If there are no content words, return all words."""
    words = analysis.plain_words(text)
    query_terms, _ = analysis.query_words(words, [key] if (key := analysis.stemming(language)) else [], limit)
    content = [word for word in query_terms if word.kind in ("content", "identifier")]
    return {word.variants[0]: word.variants for word in content or query_terms}


@dataclass(frozen=True, slots=True)
class Overlap:
    """Overlap of a claim with a source. `word_count` is the number of content words in the claim; `words` contains
    those of them that occur close together in the source; `evidence` lists the sentences that contain most of them,
    best first."""

    word_count: int
    words: frozenset[str]
    evidence: tuple[Evidence, ...]


class Wording:
    """The wording of a source: its sentences and terms in order."""

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

    def covered(self, claim: str) -> Overlap:
        """Return the overlap of a claim with this source."""
        claim_words = content_words(claim, self._language)
        hits = self._hits(self._by_term(claim_words))
        if not hits:
            return Overlap(len(claim_words), frozenset(), ())
        # In unspaced scripts each pair of characters is a term, and the entire claim is one word.
        window = max(_MIN_WINDOW, _WINDOW_FACTOR * max(len(claim.split()), len(claim_words)))
        return Overlap(len(claim_words), _densest(hits, window), self._evidence(hits, len(claim_words)))

    def end_of_next(self, start: int) -> int:
        """Return the end of the sentence that follows the one at this offset."""
        at = bisect_right(self._spans, start, key=lambda span: span[0])
        return self._spans[min(at, len(self._spans) - 1)][1]

    def _hits(self, words_by_term: Mapping[str, tuple[str, ...]]) -> list[tuple[int, tuple[str, ...]]]:
        """Return the positions at which words of the claim occur, in order, with the words at each position."""
        entries = [(self._places[term], words) for term, words in words_by_term.items() if term in self._places]
        hits: list[tuple[int, tuple[str, ...]]] = []
        for places, words in sorted(entries, key=lambda entry: len(entry[0])):
            hits += [(at, words) for at in places[: MAX_PLACES - len(hits)]]
        return sorted(hits)

    def _by_term(self, words: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Return the claim's words, keyed by the terms of this source that match them."""
        by_term: dict[str, tuple[str, ...]] = {}
        for word, variants in words.items():
            for term in dict.fromkeys((*variants, *self._compounds(variants[-1]))):
                by_term[term] = (*by_term.get(term, ()), word)
        return by_term

    def _compounds(self, stem: str) -> list[str]:
        """Return the terms of this source that start or end with the stem, or that the stem starts or ends with."""
        if analysis.stemming(self._language) not in _COMPOUNDING or len(stem) < _MIN_PART + 2:
            return []
        near = self._parts.get(stem[:_MIN_PART], ()), self._parts.get("-" + stem[-_MIN_PART:], ())
        return [term for terms in near for term in terms if term != stem and _is_part(term, stem)]

    @cached_property
    def _parts(self) -> dict[str, list[str]]:
        """Return the terms, indexed by their first and last characters."""
        by_part: dict[str, list[str]] = {}
        for term in self._places:
            if len(term) >= _MIN_PART:
                for key in (term[:_MIN_PART], "-" + term[-_MIN_PART:]):
                    terms = by_part.setdefault(key, [])
                    if len(terms) < 50:
                        terms.append(term)
        return by_part

    def _evidence(self, hits: Sequence[tuple[int, tuple[str, ...]]], claim_words: int) -> tuple[Evidence, ...]:
        by_sentence: dict[int, set[str]] = {}
        for at, words in hits:
            by_sentence.setdefault(self._sentences[at], set()).update(words)
        best = nsmallest(_MAX_EVIDENCE, by_sentence, key=lambda at: (-len(by_sentence[at]), at))
        return tuple(self._sentence(at, min(1.0, len(by_sentence[at]) / claim_words)) for at in best)

    def _sentence(self, at: int, score: float) -> Evidence:
        start, end = self._spans[at]
        start = behind_headings(self._source.text, self._source.heading, start, end)
        return Evidence(self._source.number, self._source.text[start:end], start, end, score)


def _densest(hits: Sequence[tuple[int, tuple[str, ...]]], window: int) -> frozenset[str]:
    """Return the words in the window of `window` terms that contains the most of them."""
    counts: Counter[str] = Counter()
    best: tuple[int, int, int] = (0, 0, 0)
    first = 0
    for last, (at, words) in enumerate(hits):
        counts.update(words)
        while hits[first][0] <= at - window:
            for word in hits[first][1]:
                counts[word] -= 1
                if not counts[word]:
                    del counts[word]
            first += 1
        if len(counts) > best[0]:
            best = (len(counts), first, last)
    return frozenset(word for _, words in hits[best[1] : best[2] + 1] for word in words)


def _is_part(term: str, stem: str) -> bool:
    short, long = sorted((term, stem), key=len)
    return long.startswith(short) or long.endswith(short)
