"""Listings: code and other text in columns of characters, told from prose in a monospaced font, and kept as it
stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from corpus.readers.pdf.text.line_numbers import CODE
from corpus.readers.pdf.text.lines import Line

_MIN_CODE = 0.4
"""Share of the lines of a listing that look like code; in prompts and letters hardly any does."""

_DATA = re.compile(r"^\s*(?:- )?[\w.\-]+:(?: \S|$)|^\s*- [^\s-]|^\s*\"[^\"]+\"\s*:")
"""Lines of YAML and JSON, which often have no other sign of code."""

_FULL, _MIN_FULL = 0.85, 0.6  # Prose fills six lines of ten to 85 hundredths of its measure.
_MAX_WIDTH_CHANGE = 0.2  # A line of one character has its font's width, which letter-spacing does not widen.
_MAX_BREAKS = 3  # Line breaks in a row that are kept, that is two empty lines.
_MAX_GAP = 3.0  # Line heights; a wider gap ends a listing.


def with_listings(lines: list[Line]) -> list[Line]:
    """The page's lines with listings marked; their text stands in columns of characters."""
    result = list(lines)
    for start, end in _runs(lines):
        if not _is_listing(lines[start:end]):
            continue
        left = min(line.typed.left for line in lines[start:end] if line.typed)
        for index in range(start, end):
            result[index] = _in_columns(lines[index], left)
    return result


def line_breaks(lines: Sequence[Line], index: int) -> int:
    """Line breaks before line `index` of a listing; more than one where lines are left empty."""
    if index == 0:
        return 0
    baselines = [line.typed.baseline for line in lines if line.is_listing and line.typed]
    steps = [after - before for before, after in pairwise(baselines) if after > before]
    if not steps or len(baselines) != len(lines):
        return 1
    return max(1, min(_MAX_BREAKS, round((baselines[index] - baselines[index - 1]) / min(steps))))


def follows(line: Line, last: Line) -> bool:
    """Whether a line of a listing stands below another line of it."""
    (left, top, right, _), before = line.reading_box, last.reading_box
    height = max(last.size, before[3] - before[1], 1.0)
    is_below = before[1] < top < before[3] + _MAX_GAP * height
    return is_below and min(right, before[2]) > max(left, before[0]) - 20 * height


def _runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Runs of lines in a monospaced font below each other."""
    start = 0
    while start < len(lines):
        end = start + 1
        if lines[start].typed and not lines[start].is_note:
            while end < len(lines) and _goes_on(lines[end], lines[end - 1]):
                end += 1
            yield start, end
        start = end


def _goes_on(line: Line, last: Line) -> bool:
    if not line.typed or not last.typed or abs(line.typed.width / last.typed.width - 1) > _MAX_WIDTH_CHANGE:
        return False
    return follows(line, last)


def _is_listing(lines: Sequence[Line]) -> bool:
    if len(lines) < 2:
        return False
    like_code = sum(bool(CODE.search(line.text) or _DATA.search(line.text)) for line in lines)
    lefts = [round(line.typed.left) for line in lines if line.typed]
    widths = [line.reading_box[2] - min(lefts) for line in lines]
    full = sum(width > _FULL * max(widths) for width in widths[:-1])
    aligned = max(map(lefts.count, lefts))
    prose = full >= _MIN_FULL * (len(lines) - 1) and aligned > _MIN_FULL * len(lines)
    if prose and like_code < 2 * _MIN_CODE * len(lines):
        return False
    return like_code >= _MIN_CODE * len(lines)


def _in_columns(line: Line, left: float) -> Line:
    if line.typed is None:
        return line
    indent = max(0, round((line.typed.left - left) / line.typed.width))
    return replace(line, text=" " * indent + line.typed.text, is_listing=True, pieces=())
