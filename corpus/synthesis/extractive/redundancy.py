"""Detect near-duplicate sentences, so that an answer does not repeat itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

ALIKE = 0.8
"""Minimum Jaccard similarity of words at which sentences with equal numbers are near-duplicates. The value was not
measured separately."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")

Signature = tuple[frozenset[str], frozenset[str]]


@dataclass(slots=True)
class NearDuplicates:
    """A collection of sentences that can find near-duplicates."""

    _signatures: list[Signature] = field(default_factory=list)

    def has(self, text: str) -> bool:
        """Return whether the collection has a near-duplicate of a text."""
        own = signature(text)
        return any(are_alike(own, other) for other in self._signatures)

    def add(self, text: str) -> None:
        """Add a text."""
        self._signatures.append(signature(text))


def signature(text: str) -> Signature:
    """Return the words of three or more characters, and the numbers of a text."""
    folded = text.casefold()
    return frozenset(_WORD.findall(folded)), frozenset(_NUMBER.findall(folded))


def are_alike(first: Signature, second: Signature) -> bool:
    """Return whether two texts are near-duplicates: equal numbers, and a Jaccard similarity of at least ALIKE."""
    shorter, longer = sorted((len(first[0]), len(second[0])))
    if first[1] != second[1] or shorter < ALIKE * longer:
        return False
    return len(first[0] & second[0]) >= ALIKE * len(first[0] | second[0])
