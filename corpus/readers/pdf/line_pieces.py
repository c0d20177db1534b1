"""Positions of words within a line, for lines in which usual character widths do not predict them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from corpus.blocks import Box
from corpus.line_boxes import is_right_to_left, width_of

_WORD = re.compile(r"\S+")
_MAX_OFFSET = 1.5  # Average characters by which a word may stand beside its predicted place.
_MAX_GAP = 2.0  # Average characters; a wider gap belongs to neither of its neighbours.
_MAX_PIECES = 8  # Pieces of a line; more would cost more in the index than the highlight gains.

Piece = tuple[int, Box]  # A part of a line: its start in the line's text, and its box.


@dataclass(frozen=True, slots=True)
class _Words:
    """`begins` and `ends` are distances from the start of the line in points, `weights` distances by usual widths."""

    offsets: Sequence[int]
    begins: Sequence[float]
    ends: Sequence[float]
    weights: Sequence[float]

    def cuts(self, first: int, last: int, off: float) -> list[int]:
        """Words behind the first at which a new piece must begin."""
        if last - first < 2:
            return []
        start, zero = self.begins[first], self.weights[first]
        end, whole = (
            (self.begins[last], self.weights[last])
            if last < len(self.begins)
            else (self.ends[-1], self.weights[-1])
        )
        step = (end - start) / (whole - zero or 1.0)
        wrong, worst = max(
            (abs(start + (self.weights[word] - zero) * step - self.begins[word]), word)
            for word in range(first + 1, last)
        )
        return [*self.cuts(first, worst, off), worst, *self.cuts(worst, last, off)] if wrong > off else []


def pieces_of(text: str, box: Box, start: int, sides: Mapping[int, Box]) -> tuple[Piece, ...]:
    """Cut a line into pieces within which usual widths predict each word's place. Empty if one piece is enough.

    `sides` maps indexes of characters to their boxes; the line's first character has index `start`. A line that runs
    to the left in a script that does not, as on a rotated page, has at least two pieces.
    """
    spans = [match.span() for match in _WORD.finditer(text)]
    if len(spans) < 2 or box[3] - box[1] > box[2] - box[0]:
        return ()
    first = [sides[start + begin] for begin, _ in spans if start + begin in sides]
    last = [sides[start + end - 1] for _, end in spans if start + end - 1 in sides]
    if not len(first) == len(last) == len(spans):
        return ()
    leftward = first[-1][2] < first[0][0]
    begins = [box[2] - edge[2] if leftward else edge[0] - box[0] for edge in first]
    ends = [box[2] - edge[0] if leftward else edge[2] - box[0] for edge in last]
    if any(after < before for before, after in pairwise(begins)):
        return ()
    widths = list(accumulate(map(width_of, text), initial=0.0))
    words = _Words(
        [begin for begin, _ in spans], begins, ends, [*(widths[begin] for begin, _ in spans), widths[-1]]
    )
    char_width = (box[2] - box[0]) / len(text)
    cuts = words.cuts(0, len(spans), _MAX_OFFSET * char_width)[: _MAX_PIECES - 1]
    if not cuts and leftward and not is_right_to_left(text):
        cuts = [len(spans) // 2]
    return tuple(_boxes(words, cuts, box, _MAX_GAP * char_width, leftward=leftward)) if cuts else ()


def _boxes(words: _Words, cuts: list[int], box: Box, gap: float, *, leftward: bool) -> list[Piece]:
    pieces = []
    for first, after in zip([0, *cuts], [*cuts, None], strict=True):
        begin = words.begins[first] if first else 0.0
        end = box[2] - box[0]
        if after is not None:
            next_begin, own = words.begins[after], words.ends[after - 1]
            end = own if next_begin - own > gap else next_begin
        left, right = (box[2] - end, box[2] - begin) if leftward else (box[0] + begin, box[0] + end)
        pieces.append((words.offsets[first] if first else 0, (left, box[1], right, box[3])))
    return pieces
