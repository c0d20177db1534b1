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
class Quoted:
    _held: list[Signature] = field(default_factory=list)

    def has(self, text: str) -> bool:
        mine = signature(text)
        return any(are_alike(mine, other) for other in self._held)

    def add(self, text: str) -> None:
        self._held.append(signature(text))


def signature(text: str) -> Signature:
    """Its words of three letters and more, and its numbers."""
    folded = text.casefold()
    return frozenset(_WORD.findall(folded)), frozenset(_NUMBER.findall(folded))


def are_alike(one: Signature, other: Signature) -> bool:
    shorter, longer = sorted((len(one[0]), len(other[0])))
    if one[1] != other[1] or shorter < ALIKE * longer:
        return False
    return len(one[0] & other[0]) >= ALIKE * len(one[0] | other[0])
