"""A query that compares things: its answer is in several documents, and no one of them may take all the places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

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


def spread(
    ranked: Sequence[tuple[int, float]], documents: Mapping[int, int], keep: float
) -> list[tuple[int, float]]:
    """The blocks in an order in which each has its score times `keep` for each block of its document before it.

    `ranked` is best first, and `documents` names the document of each block. Scores stay 0..1 and in order. This is
    maximal marginal relevance (Carbonell and Goldstein 1998) with "the same document" for likeness.
    """
    queues: dict[int, list[tuple[int, float]]] = {}
    for block, score in reversed(ranked):
        queues.setdefault(documents.get(block, -block), []).append((block, score))
    taken: Counter[int] = Counter()
    found = []
    for _ in ranked:
        # Within a document the order stays, so only the first of each can be next.
        best = max(queues, key=lambda doc: (queues[doc][-1][1] * keep ** taken[doc], -queues[doc][-1][0]))
        block, score = queues[best].pop()
        found.append((block, score * keep ** taken[best]))
        taken[best] += 1
        if not queues[best]:
            del queues[best]
    return found
