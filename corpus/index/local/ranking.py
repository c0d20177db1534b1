"""From what speaks for each block to an order, and to scores that mean the same for every question.

Pure functions over row ids. docs/retrieval.md says what each rule brings on which set.
"""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

STAND_IN = 0.75
"""A passage whose vector is still to come gets this share of its lexical part as its dense part: all of it would
put every such passage first, none of it last."""

FIRST = 3
"""Among so many first results stands one with a rare word."""

FOREIGN_WORDS = 1.5
"""What the words of a passage in another language than the question's are taken to add to its relevance: they hold what
is asked, but cannot show it. With it one of forty such questions with an answer is told that nothing seems to, instead
of five."""

MAX_RAISED = 2
"""More blocks with rare words are not raised for one query."""

DIGITS = 6
"""Of a strength. Sums in another order differ behind these, and equal passages are to be equal."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The numbers that decide an order. Each is chosen by `python -m bench retrieval`.

    `words` is what a passage that has all the words of a query once is worth in standard deviations of the cosine. A
    word as it is written weighs `exact` of its stem more, title, file name and heading weigh `context` of the passage,
    and all of its page weighs `page`. `language` (0..1) is how much of what an embedder gives to a language is taken
    back; in another language than the query's, where words cannot speak for a passage, nearness weighs `foreign` more.
    `place` is what a block at the place that the query names gains: more than any words can; there, `context_at_place`
    is in place of `context`. `apart` is what a block loses for each one of its document before it, where the query
    compares things. With `rare`, a passage with a rare word is among the first. With `once`, a passage that repeats a
    better one word for word is left out.
    """

    words: float = 4.0
    exact: float = 0.3
    context: float = 0.6
    page: float = 0.5
    language: float = 1.0
    foreign: float = 0.5
    place: float = 100.0
    context_at_place: float = 3.0
    apart: float = 1.0
    rare: int = MAX_RAISED
    once: bool = True
    lexical_candidates: int = 200
    dense_candidates: int = 100
    max_words: int = 64
    max_query: int = 2_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for the candidates, by row id.

    `lexical` are BM25 scores, `pages` those of their pages; `attainable` is about the score of a passage with every
    word of the query once. `nearness` is in standard deviations. `foreign` are blocks in another language than the
    query, `places` those at the place that the query names. `rare` are the blocks with each rare word, the rarest
    first.
    """

    lexical: Mapping[int, float] = field(default_factory=dict)
    pages: Mapping[int, float] = field(default_factory=dict)
    attainable: float = 0.0
    nearness: Mapping[int, float] = field(default_factory=dict)
    foreign: Collection[int] = frozenset()
    places: Collection[int] = frozenset()
    rare: Sequence[Collection[int]] = ()
    single: bool = False
    """Whether the query is one word, so that a block which has it has all that is asked."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Best first: row ids, and their scores from 0 to 1."""

    blocks: list[int]
    scores: dict[int, float]


def ranked(
    evidence: Evidence, ranking: Ranking, keys: Mapping[int, tuple[str, int]], *, compares: bool = False
) -> Ranked:
    """All candidates that have a key, its document and place, by which those of the same strength come: row ids depend
    on the order of ingestion. `compares` says that the query compares things."""
    strengths = {
        block: strength for block, strength in _strengths(evidence, ranking).items() if block in keys
    }

    def order(block: int) -> tuple[object, ...]:
        bonus = ranking.place * (block in evidence.places)
        return -round(strengths[block] + bonus, DIGITS), keys[block]

    blocks = sorted(strengths, key=order)
    if compares and ranking.apart:
        blocks = across_documents(
            blocks, strengths, {block: keys[block][0] for block in blocks}, ranking.apart
        )
    blocks = with_rare_words(blocks, evidence.rare, ranking.rare)
    certain = relevance_by_words if not evidence.nearness else relevance
    scores = {
        block: certain(strengths[block] + FOREIGN_WORDS * (block in evidence.foreign)) for block in blocks
    }
    complete = {*evidence.places, *(evidence.lexical if evidence.single else ())}
    scores |= {block: (1 + scores[block]) / 2 for block in blocks if block in complete}
    return Ranked(blocks, descending(blocks, scores))


def _strengths(evidence: Evidence, ranking: Ranking) -> dict[int, float]:
    """In standard deviations of the cosine."""
    attainable = max(evidence.attainable, 1e-9)
    words = {
        block: (evidence.lexical.get(block, 0.0) + ranking.page * evidence.pages.get(block, 0.0)) / attainable
        for block in evidence.lexical.keys() | evidence.pages.keys()
    }
    nearness = evidence.nearness
    nearest, most = max(nearness.values(), default=0.0), max(words.values(), default=0.0)
    strengths = {}
    for block in words.keys() | nearness.keys() | set(evidence.places):
        share = words.get(block, 0.0)
        stand_in = STAND_IN * nearest * share / most if most else 0.0
        near = nearness.get(block, stand_in) * (1 + ranking.foreign * (block in evidence.foreign))
        strengths[block] = ranking.words * share + near
    return strengths


def with_rare_words(
    blocks: Sequence[int], rare: Sequence[Collection[int]], most: int = MAX_RAISED
) -> list[int]:
    """The same order, but that a block with each rare word is among the first. At most `most` are raised, for the
    rarest words that no block there has, and none to the first place: what has many of the words is there by itself."""
    first, rest = list(blocks[:FIRST]), list(blocks[FIRST:])
    fixed = set(first[:1])
    for having in rare:
        there = next((block for block in first if block in having), None)
        if there is None and most:
            there = next((block for block in rest if block in having), None)
            last = next((block for block in reversed(first) if block not in fixed), None)
            if there is None or last is None:
                continue
            first.remove(last)
            rest.remove(there)
            first.append(there)
            rest.insert(0, last)
            most -= 1
        if there is not None:
            fixed.add(there)
    return first + rest


def relevance(strength: float) -> float:
    """0..1, from words and vectors together; `corpus.search.ANSWERS` where one of seven real questions with an answer,
    and a quarter of those that the documents have nothing to do with, lie on the other side (docs/retrieval.md)."""
    return 1 / (1 + math.exp((5.5 - strength) / 3.0))


def relevance_by_words(strength: float) -> float:
    """The same, where there are no vectors."""
    return 1 / (1 + math.exp((3.2 - strength) / 1.8))


def descending(blocks: Sequence[int], scores: Mapping[int, float]) -> dict[int, float]:
    """Scores that never rise: a block that a place or a rare word put before a better one has the score of that."""
    highest, result = 0.0, {}
    for block in reversed(blocks):
        highest = max(highest, scores[block])
        result[block] = highest
    return result


_ENGLISH = r"compar(?:e[sd]?|ing|isons?) differ(?:s|ed|ing|ences?)? versus vs contrast(?:s|ed|ing)?"
_GERMAN = r"vergleich(?:e|en|t)? verglichen unterschied(?:e|en|lich)? unterscheide(?:n|t|st)?"
_FRENCH = r"compar(?:er|ez|ons|aisons?) différences? diffèrent"
_SPANISH_ITALIAN = r"compara(?:r|ción|ciones)? diferencias? confront(?:o|a|are) differenz[ae]"
_COMPARES = re.compile(
    rf"\b(?:{'|'.join(' '.join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH_ITALIAN)).split())})\b", re.IGNORECASE
)


def compares(query: str) -> bool:
    """Whether the query asks what is the same or different between things."""
    return bool(_COMPARES.search(query))


def across_documents(
    blocks: Sequence[int], strengths: Mapping[int, float], documents: Mapping[int, object], apart: float
) -> list[int]:
    """The blocks, best first, in an order in which each has `apart` less for each block of its document before it.

    This is maximal marginal relevance (Carbonell and Goldstein 1998) with "the same document" for likeness.
    """
    queues: dict[object, deque[int]] = {}
    for block in blocks:
        queues.setdefault(documents[block], deque()).append(block)
    counts: Counter[object] = Counter()
    order = []
    for _ in blocks:
        # Within a document the order stays, so only the first of each can be next; equal ones come as they came.
        best = max(queues, key=lambda document: strengths[queues[document][0]] - apart * counts[document])
        order.append(queues[best].popleft())
        counts[best] += 1
        if not queues[best]:
            del queues[best]
    return order
