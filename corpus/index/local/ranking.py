"""Combine the evidence for each block into a ranking and into scores that are comparable between questions.

These are pure functions on row ids. docs/retrieval.md reports the effect of each rule on each bench set.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from corpus.search import Hit
from corpus.text.markdown import within_line

STAND_IN = 0.75
"""A passage without a vector is assigned a nearness derived from its lexical score; this is the weight of that
nearness. At 1, such passages would rank first; at 0, they would rank last."""

FIRST = 3
"""Number of top results among which every rare word must occur in at least one block."""

FOREIGN_WORDS = 1.5
"""Bonus added to the strength of a passage in a language other than the question's, because its words cannot match.
With the bonus, one of forty answerable cross-lingual questions is reported as unanswered; without it, five are."""

MAX_RAISED = 2
"""Maximum number of blocks with rare words that are moved up for one query."""

DIGITS = 6
"""Number of decimals to which a strength is rounded. Later decimals depend on the order of summation, but equal
passages must tie."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Weights of the ranking, each chosen by `python -m bench retrieval`.

    `words` is the value, in standard deviations of the cosine, of a passage that contains every query word once.
    `exact` is the weight of the unstemmed word, and `context` is that of the title, file name and heading, both
    relative to the content; `page` is the weight of the entire page. `language` (0..1) is the fraction of the
    embedder's language bias that is removed. `foreign` is the additional weight of nearness if the passage is in a
    language other than the query's. `place` is the bonus for a block at a place that the query names, and is higher
    than words can reach; `context_at_place` replaces `context` for such queries. `apart` is the penalty, in
    comparisons, per earlier block from the same document. `rare` is the number of blocks with rare words that are moved
    up. With `once`, word-for-word repeats are omitted.
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
    """Evidence for the candidates, by row id.

    `lexical` contains the BM25 scores of the blocks, and `pages` those of their pages; `attainable` approximates the
    score of a passage that contains every query word once. `nearness` is in standard deviations. `foreign` contains the
    blocks in a language other than the query's, `places` the blocks at a place that the query names, and `rare` the
    blocks with each rare word, rarest word first.
    """

    lexical: Mapping[int, float] = field(default_factory=dict)
    pages: Mapping[int, float] = field(default_factory=dict)
    attainable: float = 0.0
    nearness: Mapping[int, float] = field(default_factory=dict)
    foreign: Collection[int] = frozenset()
    places: Collection[int] = frozenset()
    rare: Sequence[Collection[int]] = ()
    single: bool = False
    """Whether the query is a single word, so that a block with this word matches all of it."""


@dataclass(frozen=True, slots=True)
class RankedBlocks:
    """Row ids of blocks, best first, and their scores in the range 0..1."""

    blocks: list[int]
    scores: dict[int, float]


def rank_blocks(
    evidence: Evidence, ranking: Ranking, keys: Mapping[int, tuple[str, int]], *, compares: bool = False
) -> RankedBlocks:
    """Rank all candidates that have a key (document id and position). Keys break ties, because row ids depend on the
    order of ingestion. `compares` is true if the query asks for a comparison."""
    strengths = {block: strength for block, strength in _strengths(evidence, ranking).items() if block in keys}

    def order(block: int) -> tuple[object, ...]:
        bonus = ranking.place * (block in evidence.places)
        return -round(strengths[block] + bonus, DIGITS), keys[block]

    blocks = sorted(strengths, key=order)
    if compares and ranking.apart:
        blocks = across_documents(blocks, strengths, {block: keys[block][0] for block in blocks}, ranking.apart)
    blocks = with_rare_words(blocks, evidence.rare, ranking.rare)
    certain = relevance_by_words if not evidence.nearness else relevance
    scores = {block: certain(strengths[block] + FOREIGN_WORDS * (block in evidence.foreign)) for block in blocks}
    complete = {*evidence.places, *(evidence.lexical if evidence.single else ())}
    scores |= {block: (1 + scores[block]) / 2 for block in blocks if block in complete}
    return RankedBlocks(blocks, descending(blocks, scores))


def _strengths(evidence: Evidence, ranking: Ranking) -> dict[int, float]:
    """Return the strength of each block, in standard deviations of the cosine."""
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


def with_rare_words(blocks: Sequence[int], rare: Sequence[Collection[int]], most: int = MAX_RAISED) -> list[int]:
    """Return the blocks in the same order, but with a block for each rare word among the first `FIRST`.

    At most `most` blocks are moved up, for the rarest words that none of the first blocks contains. No block is moved
    to the first place, because the block there already contains many of the words.
    """
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
    """Return the relevance (0..1) for a strength based on words and vectors. This is a logistic fit: with the threshold
    `corpus.search.ANSWERS`, one in seven answerable questions and a quarter of the unrelated ones are misclassified
    (docs/retrieval.md)."""
    return 1 / (1 + math.exp((5.5 - strength) / 3.0))


def relevance_by_words(strength: float) -> float:
    """Return the relevance (0..1) for a strength based on words only."""
    return 1 / (1 + math.exp((3.2 - strength) / 1.8))


def descending(blocks: Sequence[int], scores: Mapping[int, float]) -> dict[int, float]:
    """Return scores that never increase from one block to the next in the ranking. If a place or a rare word has moved
    a block ahead of a better one, it gets the better one's score."""
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
    """Return whether the query asks for similarities or differences."""
    return bool(_COMPARES.search(query))


def across_documents(
    blocks: Sequence[int], strengths: Mapping[int, float], documents: Mapping[int, object], apart: float
) -> list[int]:
    """Reorder the blocks, best first, after reducing each strength by `apart` for each earlier block from the same
    document.

    This is maximal marginal relevance (Carbonell and Goldstein 1998) with "same document" as the similarity.
    """
    queues: dict[object, deque[int]] = {}
    for block in blocks:
        queues.setdefault(documents[block], deque()).append(block)
    counts: Counter[object] = Counter()
    order = []
    for _ in blocks:
        # The order within a document does not change, so only the first remaining block of each document can be next.
        # Ties keep their order.
        best = max(queues, key=lambda document: strengths[queues[document][0]] - apart * counts[document])
        order.append(queues[best].popleft())
        counts[best] += 1
        if not queues[best]:
            del queues[best]
    return order


HEADER = "header"
MIN_REPEAT_WORDS = 12
"""Minimum number of words in a passage for it to count as a repeat if another passage contains it. A shorter passage
may recur by chance."""

MAX_HEADER_WORDS = 8
"""Maximum number of words after the title in a running header, such as a chapter, a department or a date."""

MAX_NAMED = 3
"""Maximum number of places that a warning lists."""


@dataclass(frozen=True, slots=True)
class Deduplication:
    """Row ids of blocks, best first. `kept` contains the results, of which the last `again` are headers and repeats
    that fill the remaining places. `left_out` contains the other repeats."""

    kept: tuple[int, ...]
    again: int = 0
    left_out: tuple[int, ...] = ()


def deduplicate(connection: sqlite3.Connection, ranked: Sequence[int], count: int) -> Deduplication:
    """Return the first `count` blocks that are neither headers nor repeats of an earlier block. If there are fewer,
    headers and then repeats fill the remaining places."""
    distinct: list[int] = []
    headers: list[int] = []
    repeats: list[int] = []
    texts: list[tuple[str, str]] = []
    step = max(1, count + count // 2)
    for start in range(0, len(ranked), step):
        some = ranked[start : start + step]
        words = _words(connection, some)
        for block in some:
            if len(distinct) == count:
                return Deduplication(tuple(distinct), left_out=tuple(repeats))
            kind, text = words.get(block, ("", ""))
            if kind == HEADER:
                headers.append(block)
            elif text and any(kind == of and _within(text, other) for of, other in texts):
                repeats.append(block)
            else:
                distinct.append(block)
                texts.append((kind, text))
    free = count - len(distinct)
    again = [*headers, *repeats][:free]
    return Deduplication((*distinct, *again), len(again), tuple(repeats[max(free - len(headers), 0) :]))


def _words(connection: sqlite3.Connection, blocks: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return the type of each block (HEADER if it is a running header), and its text in lower case with single
    spaces."""
    rows = connection.execute(
        "SELECT blocks.id, block_type, coalesce(image_caption, ''), content, page_number, title "
        "FROM blocks JOIN documents ON documents.id = blocks.doc WHERE blocks.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(blocks)),),
    )
    return {
        block: (HEADER if _is_header(content, page, title) else kind, _plain(f"{caption} {content}"))
        for block, kind, caption, content, page, title in rows
    }


def _is_header(content: str, page: int | None, title: str) -> bool:
    """Return whether a text is a running header: a single line, not on the first page, that starts with the title and
    adds only a few words."""
    return (
        (page or 0) > 1
        and " " in title
        and "\n" not in content
        and _plain(content).startswith(_plain(title))
        and len(content.split()) - len(title.split()) <= MAX_HEADER_WORDS
    )


def _plain(text: str) -> str:
    return f" {' '.join(text.lower().split())} "


def _within(text: str, other: str) -> bool:
    return text == other or (len(text) < len(other) and text in other and text.count(" ") > MIN_REPEAT_WORDS)


def repeat_warnings(repeats: Sequence[Hit]) -> tuple[str, ...]:
    """Return one warning that says how many repeats were omitted and where the first ones are."""
    if not repeats:
        return ()
    places = list(dict.fromkeys(map(_place, repeats)))
    more = f" and {len(places) - MAX_NAMED} more" if len(places) > MAX_NAMED else ""
    return (
        f"{len(repeats)} {'passage is' if len(repeats) == 1 else 'passages are'} not listed, because a result above "
        f"says the same word for word: {', '.join(places[:MAX_NAMED])}{more}.",
    )


def _place(hit: Hit) -> str:
    page = f" page {hit.block.page_number}" if hit.block.page_number else ""
    return f"{within_line(hit.document.filename)}{page}"
