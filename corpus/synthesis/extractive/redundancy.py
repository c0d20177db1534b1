"""What an answer has said already, so that it is not said again in nearly the same words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

ALIKE = 0.8
"""Share of words in common from which two sentences say the same, if their numbers are the same."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")

Signature = tuple[frozenset[str], frozenset[str]]


@dataclass(slots=True)
class NearDuplicates:
    _held: list[Signature] = field(default_factory=list)

    def has(self, text: str) -> bool:
        mine = signature(text)
        return any(are_alike(mine, second) for second in self._held)

    def add(self, text: str) -> None:
        self._held.append(signature(text))


def signature(text: str) -> Signature:
    """Its words of three letters and more, and its numbers."""
    folded = text.casefold()
    return frozenset(_WORD.findall(folded)), frozenset(_NUMBER.findall(folded))


def are_alike(first: Signature, second: Signature) -> bool:
    shorter, longer = sorted((len(first[0]), len(second[0])))
    if first[1] != second[1] or shorter < ALIKE * longer:
        return False
    return len(first[0] & second[0]) >= ALIKE * len(first[0] | second[0])
