"""Search for the starts of blocks in the text that a reader returns for a page, and count those found in order."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.readers.protocol import ReadBlock

Point = tuple[float, float]

_NEAR = 3.0
"""Tolerance for the labelled positions, in points."""


@dataclass(frozen=True, slots=True)
class Start:
    """The first words of a block, and their position on the page, which distinguishes starts with equal words."""

    words: str
    kind: str
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A score: `in_order` of the `asked` starts were found in the correct order, and `leaked` of the `running` lines
    occur in the text."""

    asked: int = 0
    found: int = 0
    in_order: int = 0
    running: int = 0
    leaked: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.asked + other.asked, self.found + other.found, self.in_order + other.in_order,
            self.running + other.running, self.leaked + other.leaked,
        )  # fmt: skip


def scored(starts: Sequence[Start], running: Sequence[str], blocks: Sequence[ReadBlock]) -> Score:
    """Score one page's blocks, in the order of the reader, against its starts in the order of a person."""
    text = _Text(blocks)
    places = [text.places(start) for start in starts]
    leaked = sum(_leaks(line, blocks) for line in running)
    return Score(len(starts), sum(map(bool, places)), _longest_rise(places), len(running), leaked)


def letters(text: str) -> str:
    """Return the form of a text that is compared: only its alphanumeric characters, in the Unicode form NFKC and
    case-folded."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


class _Text:
    """The characters of a page. Each has the block that contains it, and a flag for whether a word starts there."""

    def __init__(self, blocks: Sequence[ReadBlock]) -> None:
        self._blocks = blocks
        self._owners: list[int] = []
        self._first: list[bool] = []
        pieces = []
        for index, block in enumerate(blocks):
            for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", written(block))):
                plain = letters(word)
                pieces.append(plain)
                self._owners += [index] * len(plain)
                self._first += [True, *[False] * (len(plain) - 1)][: len(plain)]
        self._letters = "".join(pieces)

    def places(self, start: Start) -> list[int]:
        """Return the positions of the words. If some of them are in blocks that cover the point, return only those."""
        wanted, found = letters(start.words), []
        place = self._letters.find(wanted)
        while place >= 0:
            if self._first[place]:
                found.append(place)
            place = self._letters.find(wanted, place + 1)
        return [place for place in found if self._covers(place, start.at)] or found

    def _covers(self, place: int, at: Point | None) -> bool:
        box = self._blocks[self._owners[place]].bbox
        if box is None or at is None:
            return False
        return box[0] - _NEAR <= at[0] <= box[2] + _NEAR and box[1] - _NEAR <= at[1] <= box[3] + _NEAR


def written(block: ReadBlock) -> str:
    """Return the words of a block; for a picture, its caption is first."""
    return "\n".join(part for part in (block.image_caption, block.content) if part)


def _leaks(line: str, blocks: Iterable[ReadBlock]) -> bool:
    """Return whether a running line is in the text: at the start of a line, or, with at least three words, anywhere.

    A bare number, which the text may contain legitimately, counts only as a complete line.
    """
    wanted = letters(line)
    for block in blocks:
        rows = [letters(row) for row in written(block).splitlines()]
        if wanted.isdigit():
            if wanted in rows:
                return True
        elif any(row.startswith(wanted) for row in rows) or (
            len(line.split()) >= 3 and any(wanted in row for row in rows)
        ):
            return True
    return False


def _longest_rise(places: Sequence[Sequence[int]]) -> int:
    """Return the maximum number of starts to each of which one of its positions can be assigned so that the positions
    increase."""
    ends: list[int] = []
    for choices in places:
        for place in sorted(set(choices), reverse=True):  # starting at the last position, so that no start counts twice
            at = bisect_left(ends, place)
            ends[at : at + 1] = [place]
    return len(ends)
