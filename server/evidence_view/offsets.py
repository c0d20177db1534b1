"""Offsets into a text as the client has it, from offsets into the same text as it was read: cleaned, without marks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from corpus.synthesis.marking import mark_spans
from corpus.text import clean, unseen_spans
from tools.utf16 import utf16_offset

Span = tuple[int, int]


class Removed:
    """What was taken out of a text, by spans in the order in which they stand there."""

    def __init__(self, spans: Iterable[Span]) -> None:
        held = list(spans)
        self._until = list(accumulate((end - start for start, end in held), initial=0))
        self._at = [start - gone for (start, _), gone in zip(held, self._until, strict=False)]

    def begin(self, offset: int) -> int:
        """Where what now begins here began before."""
        return offset + self._until[bisect_right(self._at, offset)]

    def end(self, offset: int) -> int:
        """Where what now ends here ended before."""
        return offset + self._until[bisect_left(self._at, offset)]


@dataclass(frozen=True, slots=True)
class Offsets:
    text: str
    removed: Sequence[Removed]

    def of(self, start: int, end: int) -> Span:
        """In UTF-16 units of the whole text."""
        for one in self.removed:
            start, end = one.begin(start), one.end(end)
        return utf16_offset(self.text, start), utf16_offset(self.text, end)


def as_read(text: str) -> tuple[str, Offsets]:
    """The text as its claims are read, and the way back from it."""
    cleaned = clean(text)
    marks = mark_spans(cleaned)
    read = "".join(cleaned[a:b] for a, b in _between(marks, len(cleaned)))
    return read, Offsets(text, (Removed(marks), Removed(unseen_spans(text))))


def _between(spans: Sequence[Span], length: int) -> Iterable[Span]:
    at = 0
    for start, end in spans:
        yield at, start
        at = end
    yield at, length
