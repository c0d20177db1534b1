"""Map offsets in the cleaned text to offsets in the text that the client has."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from corpus.synthesis.verdict_notes import mark_spans
from corpus.text.normalization import clean, unseen_spans
from tools.utf16 import utf16_offset

Span = tuple[int, int]

KEY = "ibid/evidence"
"""The key in `_meta` of the data for the view."""


class Removed:
    """Spans that were removed from a text, in ascending order."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = list(spans)
        self._until = list(accumulate((end - start for start, end in ordered), initial=0))
        self._at = [start - gone for (start, _), gone in zip(ordered, self._until, strict=False)]

    def begin(self, offset: int) -> int:
        """The original offset of what begins at `offset` now."""
        return offset + self._until[bisect_right(self._at, offset)]

    def end(self, offset: int) -> int:
        """The original offset of what ends at `offset` now."""
        return offset + self._until[bisect_left(self._at, offset)]


@dataclass(frozen=True, slots=True)
class Offsets:
    """Maps offsets in the cleaned text to offsets in the original."""

    text: str
    removed: Sequence[Removed]

    def of(self, start: int, end: int) -> Span:
        """The span in the original text, in UTF-16 units."""
        for removal in self.removed:
            start, end = removal.begin(start), removal.end(end)
        return utf16_offset(self.text, start), utf16_offset(self.text, end)


def as_read(text: str) -> tuple[str, Offsets]:
    """The text as claims are read in it, and a map back to the original offsets."""
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


def after_changes(meta: Mapping[str, Any] | None, changes: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Adapt the `_meta` of a result whose answer grew: each change is an offset and a length, in UTF-16 units. Keeps
    all else in `_meta`."""
    facts = dict(meta or {})
    if KEY in facts and changes:
        rows = [[*(_later(at, changes) for at in row[:2]), *row[2:]] for row in facts[KEY]["claims"]]
        facts[KEY] = {**facts[KEY], "claims": rows}
    return facts


def _later(offset: int, changes: Sequence[tuple[int, int]]) -> int:
    return offset + sum(longer for end, longer in changes if end <= offset)
