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


def across_documents(
    blocks: Sequence[int], strengths: Mapping[int, float], documents: Mapping[int, object], apart: float
) -> list[int]:
    """The blocks, best first, in an order in which each has `apart` less for each block of its document before it.

    This is maximal marginal relevance (Carbonell and Goldstein 1998) with "the same document" for likeness.
    """
    queues: dict[object, list[int]] = {}
    for block in blocks:
        queues.setdefault(documents[block], []).insert(0, block)
    taken: Counter[object] = Counter()
    order = []
    for _ in blocks:
        # Within a document the order stays, so only the first of each can be next; equal ones come as they came.
        best = max(queues, key=lambda document: strengths[queues[document][-1]] - apart * taken[document])
        order.append(queues[best].pop())
        taken[best] += 1
        if not queues[best]:
            del queues[best]
    return order
