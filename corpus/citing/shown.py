"""Rendered text: a block without markup and markers, each character with its offset in the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.citing.inline import InlineScanner
from corpus.citing.lines import BLANK
from corpus.citing.sourcebook import Named

_CLOSES = re.compile(r"[ \t]*(?:[.,;:!?…。，、；：！？)\]|]|\Z)")
_JOIN = re.compile(r"[ \t\n]*+(?:[,;·/]|\b(?:and|und|et|y|&)\b)?[ \t\n]*+")


@dataclass(frozen=True, slots=True)
class Placed:
    """A marker. `at` is its offset in the rendered text; `start` and `end` are offsets into the answer."""

    at: int
    start: int
    end: int
    named: Named
    of_files: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """`places` has the answer offset of each character of `text`; an inserted character has that of the next."""

    text: str
    places: Sequence[int]
    markers: Sequence[Placed]


def shown(text: str, pieces: Sequence[tuple[int, int]], scanner: InlineScanner) -> Shown:
    """The rendered lines of a block; removed markers leave no gap."""
    raw, offsets = _join(text, pieces)
    builder = _Builder(raw, offsets)
    at = 0
    for span in scanner.spans(raw):
        builder.keep(at, span.start, before_marker=span.shown is None)
        if span.shown is None:
            builder.mark(span.start, span.end, span.named, span.of_files)
        else:
            builder.put(span.start, span.shown)
        at = span.end
    builder.keep(at, len(raw))
    return Shown("".join(builder.characters), builder.places, builder.markers)


def _join(text: str, pieces: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    raw = "\n".join(text[start:end] for start, end in pieces)
    offsets: list[int] = []
    for start, end in pieces:
        offsets += range(start, end + 1)  # includes the line end
    return raw, offsets


class _Builder:
    def __init__(self, raw: str, offsets: list[int]) -> None:
        self.raw, self.offsets = raw, offsets
        self.characters: list[str] = []
        self.places: list[int] = []
        self.markers: list[Placed] = []
        self._last_marker: int | None = None

    def keep(self, start: int, end: int, *, before_marker: bool = False) -> None:
        if self._last_marker == start:
            if before_marker and _JOIN.fullmatch(self.raw, start, end):
                return
            self._close_gap(start)
        for at in range(start, end):
            if self.raw[at] != BLANK:
                self.characters.append(self.raw[at])
                self.places.append(self.offsets[at])

    def put(self, at: int, shown: str) -> None:
        self.characters += shown
        self.places += range(self.offsets[at], self.offsets[at] + len(shown))

    def mark(self, start: int, end: int, named: Named, of_files: bool) -> None:
        first, last = self.offsets[start], self.offsets[end - 1] + 1
        self.markers.append(Placed(len(self.characters), first, last, named, of_files))
        self._last_marker = end

    def _close_gap(self, at: int) -> None:
        """Drop space before a marker that a stop follows, and keep the distance after a stop before it."""
        if _CLOSES.match(self.raw, at):
            while self.characters and self.characters[-1] in " \t\n":
                self.characters.pop()
                self.places.pop()
        elif self.characters and self.characters[-1] in ".!?:;," and self.raw[at].isalpha():
            self.characters.append(" ")
            self.places.append(self.offsets[at])
