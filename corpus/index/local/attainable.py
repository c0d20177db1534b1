"""What the words of a query could score, by how rare each is; one that the caller cannot come across is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tantivy import Occur, Query

from corpus.index.local.analysis import Word
from corpus.index.local.bm25_sync import tantivy_errors as damage
from corpus.index.local.lexical import Words, any_of, schema, search


@dataclass(frozen=True, slots=True)
class Attainable:
    """About the BM25 score of a passage of average length that has every word once which is not a function word;
    and the share of it (0..1) that numbers and identifiers have."""

    score: float
    coded: float


def attainable(words: Words, asked: Sequence[Word], held_to: Sequence[int] | None) -> Attainable:
    """A word that occurs in none of these documents (None for all) counts as much as the rarest one could: a question
    in another language than the text matches it by a few words at most, and reaches little of this. Raises Damaged.
    """
    telling = [word for word in asked if word.kind != "function"]
    passages, having = _frequencies(words, telling)
    # What may not be read must not make a word known; and what was removed is still counted.
    known = _occurring(words, [word for word in telling if having[word]], held_to)
    weights = [(word.kind, _weight(passages, having[word] if word in known else 0)) for word in telling]
    score = sum(weight for _, weight in weights)
    coded = sum(weight for kind, weight in weights if kind != "content")
    return Attainable(score, coded / score if score else 0.0)


def _frequencies(words: Words, asked: Sequence[Word]) -> tuple[int, dict[Word, int]]:
    """How many passages there are, and how many have each word, some that were removed among them."""
    searcher = words.searcher
    with damage():
        return searcher.num_docs, {
            word: max(searcher.doc_freq("body", term) for term in word.variants) for word in asked
        }


def _weight(passages: int, having: int) -> float:
    """The inverse document frequency as BM25 has it."""
    held = min(having, passages)
    return math.log(1 + (passages - held + 0.5) / (held + 0.5))


def _occurring(words: Words, asked: Sequence[Word], held_to: Sequence[int] | None) -> set[Word]:
    """Those that a passage of these documents has."""
    if not asked:
        return set()
    with damage():
        # Not by a look at the first passages, whoever may read them: how many those are would show in the time.
        among = [] if held_to is None else [(Occur.Must, Query.term_set_query(schema(), "doc", held_to))]
        held = {word: [(Occur.Must, any_of("body", word.variants)), *among] for word in asked}
        return {word for word, parts in held.items() if search(words, Query.boolean_query(parts), 1)}
