"""The words of a query as the index knows them: how rare each is among what may be found, and which nobody wrote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tantivy import Query

from corpus.index.local.analysis import Word
from corpus.index.local.bm25 import Conditions, Words, any_of, entry_counts, search, within
from corpus.index.local.bm25_sync import tantivy_errors

MAX_RARE = 3
"""Passages in which a word stands that is rare."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The `words` that say something: all but the function words, unless there are `only_function_words`. `attainable`
    is about the BM25 score of a passage of average length that has each once. `rare` are the row ids of the blocks with
    each of the `rare_words`, the rarest first. `unknown` are words that no passage has that may be found."""

    words: tuple[Word, ...] = ()
    attainable: float = 0.0
    rare: tuple[frozenset[int], ...] = ()
    rare_words: tuple[Word, ...] = ()
    unknown: tuple[str, ...] = ()
    only_function_words: bool = False


def query_terms(
    index: Words, words: Sequence[Word], conditions: Conditions, readable: Conditions
) -> QueryTerms:
    """`conditions` hold a search to what may be found, `readable` to what the caller may read whatever the filters: a
    word is not rare for being rare in one document. Raises DamagedIndex.

    A word that no passage has counts as much as the rarest one could: a question in another language than the text
    matches it by a few words at most, and reaches little of what is attainable.
    """
    content = tuple(word for word in words if word.kind != "function")
    telling = content or tuple(words)
    rare: list[tuple[frozenset[int], Word]] = []
    unknown, attainable = [], 0.0
    with tantivy_errors():
        passages = index.searcher.num_docs
        for word in telling:
            having = _is_common(index, "body", word.variants, conditions) or bool(
                _first_with(index, "body", word.variants, conditions)
            )
            # What may not be read must not make a word known; and what was removed is still counted.
            count = max(index.searcher.doc_freq("body", term) for term in word.variants) if having else 0
            attainable += _weight(passages, count)
            if not having:
                unknown.append(word.variants[0])
            elif blocks := _rare(index, word, readable):
                rare.append((blocks, word))
    rare.sort(key=lambda found: len(found[0]))
    having_rare, rare_words = zip(*rare, strict=True) if rare else ((), ())
    return QueryTerms(telling, attainable, having_rare, rare_words, tuple(unknown), not content)


def _rare(index: Words, word: Word, readable: Conditions) -> frozenset[int]:
    """The blocks that have the word where these are few: as it is written, or else by its stem."""
    for field, terms in (("exact", word.variants[:1]), ("body", word.variants)):
        if _is_common(index, field, terms, readable):
            return frozenset()
        if blocks := _first_with(index, field, terms, readable):
            return blocks if len(blocks) <= MAX_RARE else frozenset()
    return frozenset()


def _is_common(index: Words, field: str, terms: Sequence[str], conditions: Conditions) -> bool:
    """Whether the counts of the index alone say that more blocks have one of the terms than may have a rare word. What
    was removed is in them still, and what may not be found."""
    if conditions:
        return False
    _, removed = entry_counts(index)
    return max(index.searcher.doc_freq(field, term) for term in terms) - removed > MAX_RARE


def _first_with(index: Words, field: str, terms: Sequence[str], conditions: Conditions) -> frozenset[int]:
    """Blocks with one of the terms, one more than may have a rare word at most.

    Not the first of all, looked through for those that may be read: how many those are would show in the time."""
    query: Query = within(any_of(field, terms), conditions)
    return frozenset(block for block, _ in search(index, query, MAX_RARE + 1))


def _weight(passages: int, having: int) -> float:
    """The inverse document frequency as BM25 has it."""
    count = min(having, passages)
    return math.log(1 + (passages - count + 0.5) / (count + 0.5))
