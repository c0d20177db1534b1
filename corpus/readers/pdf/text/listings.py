"""Listings: code and other text in columns of characters. They are distinguished from prose in a monospaced font, and
their layout is preserved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.text.lines import Line
from corpus.text.normalization import has_leader

_FIRST = re.compile(r"\A\s*(\d{1,4})(?:\s+(?=\S)|\s*$)")
_LAST = re.compile(r"(?<!\S)(\d{1,4})\s*$")
CODE = re.compile(
    r"[;{}]\s*$|^\s*[{}<#$@]|[({\[:,]\s*$|\w\(|\)\s*[;:{]?$|[=+\-*/<>!&|]=|=>|->|::|//|\w\s*=\s*\S"
    r"|^\s*(?:--|\$ |>>> |% )"
    r"|^\s*(?:def|for|if|else|elif|while|return|import|from|class|function|var|let|const|SELECT|FROM|WHERE|END)\b"
)
"""Patterns that are common in lines of code and rare in sentences."""

_MAX_ROWS = 400  # Maximum number of lines on a page; the running time is quadratic.
_MIN_NUMBERS = 4  # Minimum number of line numbers on a page that numbers every line; three may be anything.
_MIN_RULING = 10  # Minimum number of line numbers on ruled paper; a court's page has 25 or 28.
_MIN_STEPS = 2
"""Minimum number of line numbers on a page that numbers every fifth line: 5 and 10 with four lines between them are
never a coincidence."""

_STEPS = (1, 2, 4, 5, 10)  # Steps in which courts, bills and editions of verse number lines.
_ALIGNED = 3.0  # Maximum distance in points between the edges of aligned numbers: a 1 is narrower than a 0.
_APART = 0.6  # Minimum gap, in line heights, between number and text; a space is at least a quarter.
_FULL_LINE = 0.8  # Minimum length of a full line, as a fraction of the line width; list items are shorter.
_MIN_FULL_LINES = 0.6  # Minimum fraction of full lines; headings and last lines are not full.
_MIN_WITHIN = 0.3
"""Minimum fraction of the lines that do not start with a capital. Half of the lines of German prose do not, despite its
capitalised nouns."""

_MIN_CODE_LINES = 0.6
"""Minimum fraction of a listing's lines that look like code; a blank line or a single word does not."""

_CELL_GAP = 1.5  # Minimum gap, in line heights, between two table cells; justified prose has no such gap.
_MAX_CELLED = 0.3  # Maximum fraction of the lines with such a gap; code has some before its comments.
_MIN_COVERED = 0.8
"""Minimum fraction of the page's lines that are numbered, unless the numbers start at 1. Page numbers in a table of
contents may be consecutive by chance, but only for some of the lines."""

_MIN_CHARACTERS = 30  # Minimum length in characters of a usual line; list items are shorter.


@dataclass(frozen=True, slots=True)
class Row:
    """A line from PDFium: its text, and the boxes of its characters by offset."""

    text: str
    boxes: Sequence[Box | None]


@dataclass(frozen=True, slots=True)
class _Number:
    """A number at offsets `start` to `end` of row `row`. `rest` is the box of the row's other characters."""

    row: int
    start: int
    end: int
    value: int
    box: Box
    rest: Box | None

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


def line_numbers(rows: Sequence[Row]) -> list[tuple[int, int, int]]:
    """Return the line numbers of a page, each as its row and its start and end offset in the row."""
    if len(rows) > _MAX_ROWS:
        return []
    boxes = [_around(row.boxes) for row in rows]
    numbers: list[tuple[int, int, int]] = []
    for pattern in (_FIRST, _LAST):
        candidates = [number for index, row in enumerate(rows) if (number := _number(index, row, pattern))]
        for column in _columns(candidates):
            if _is_line_count(column, rows, boxes):
                numbers += [(number.row, number.start, number.end) for number in column]
        if numbers:
            break
    return numbers


def _number(index: int, row: Row, pattern: re.Pattern[str]) -> _Number | None:
    match = pattern.search(row.text)
    if not match:
        return None
    start, end = match.span(1)
    box = _around(row.boxes[start:end])
    rest = _around([*row.boxes[:start], *row.boxes[end:]])
    if box is None:
        return None
    if rest and max(rest[0] - box[2], box[0] - rest[2]) < _APART * (rest[3] - rest[1]):
        return None
    return _Number(index, start, end, int(match[1]), box, rest)


def _columns(numbers: list[_Number]) -> list[list[_Number]]:
    """Return columns of increasing numbers below each other: first those with a common right edge, then those with a
    common left edge."""
    columns: list[list[_Number]] = []
    for side in (2, 0):
        left = [number for number in numbers if not any(number in column for column in columns)]
        while left:
            edge = left[0].box[side]
            column = [number for number in left if abs(number.box[side] - edge) <= _ALIGNED]
            left = [number for number in left if number not in column]
            if count := _longest_count(column):
                columns.append(count)
    return columns


def _longest_count(column: list[_Number]) -> list[_Number]:
    """Return the longest run that increases in equal steps from top to bottom; empty if it is too short."""
    column = sorted(column, key=lambda number: number.box[1])
    runs: list[list[_Number]] = []
    for number in column:
        step = number.value - runs[-1][-1].value if runs else 0
        if runs and step in _STEPS and step == _step([*runs[-1][-1:], number] if len(runs[-1]) == 1 else runs[-1]):
            runs[-1].append(number)
        elif runs and step in _STEPS:
            runs.append([runs[-1][-1], number])
        else:
            runs.append([number])
    longest = max(runs, key=len)
    fewest = _MIN_NUMBERS if _step(longest) == 1 else _MIN_STEPS
    return longest if len(longest) >= fewest else []


def _step(numbers: list[_Number]) -> int:
    return numbers[1].value - numbers[0].value if len(numbers) > 1 else 0


def _is_line_count(column: list[_Number], rows: Sequence[Row], boxes: Sequence[Box | None]) -> bool:
    step = _step(column)
    edges = (min(number.box[0] for number in column), max(number.box[2] for number in column))
    own = {number.row for number in column}
    inside = [
        (index, number.rest if (number := _of(index, column)) else box)
        for index, box in enumerate(boxes)
        if box and column[0].box[1] - column[0].height < box[1] < column[-1].box[3] + column[0].height
    ]
    texts = [(index, box) for index, box in inside if box and (index in own or not _within(box, edges))]
    if any(box[0] < edges[1] and edges[0] < box[2] for _, box in texts):
        return False  # other text is above or below the numbers
    lines = _lines([box for _, box in texts])
    if step > 1:
        return all(_between(before, after, lines) == step for before, after in pairwise(column)) and not _are_cells(
            texts
        )
    if not _is_regular(column, lines) or _are_cells(texts):
        return False
    if any(has_leader(rows[number.row].text) for number in column):
        return False
    if _is_ruling(column, lines):
        return True
    flows = _flows(texts, rows, column) and not _has_cells(column, rows)
    return (column[0].value == 1 or _covers(column, boxes)) and (flows or _is_code(texts, rows, column))


def _is_regular(column: list[_Number], lines: list[float]) -> bool:
    """Return whether the numbers are at consecutive lines. If some are not at a line, they must also be evenly
    spaced."""
    if any(number.rest is None for number in column) and not _is_even(column):
        return False
    return all(_between(before, after, lines) == 1 for before, after in pairwise(column) if before.rest and after.rest)


def _is_ruling(column: list[_Number], lines: list[float]) -> bool:
    """Return whether the numbers belong to ruled paper, which also numbers empty lines."""
    middles = [(number.box[1] + number.box[3]) / 2 for number in column if number.rest is None]
    empty = [at for at in middles if not any(abs(at - line) < column[0].height for line in lines)]
    return len(column) >= _MIN_RULING and len(middles) == len(column) and bool(empty)


def _has_cells(column: list[_Number], lines: Sequence[Row]) -> bool:
    """Return whether many numbered lines have wide gaps between words, as between cells."""
    rows_with_gaps = sum(_is_celled(lines[number.row], number) for number in column)
    return rows_with_gaps > _MAX_CELLED * len(column)


def _is_celled(row: Row, number: _Number) -> bool:
    boxes = [box for box in (*row.boxes[: number.start], *row.boxes[number.end :]) if box]
    return any(after[0] - before[2] > _CELL_GAP * number.height for before, after in pairwise(boxes))


def _covers(column: list[_Number], boxes: Sequence[Box | None]) -> bool:
    """Return whether most lines of the page are numbered."""
    lines = _lines([box for box in boxes if box])
    return len(column) >= _MIN_COVERED * len(lines)


def _of(index: int, column: list[_Number]) -> _Number | None:
    return next((number for number in column if number.row == index), None)


def _within(box: Box, edges: tuple[float, float]) -> bool:
    return edges[0] - _ALIGNED <= box[0] and box[2] <= edges[1] + _ALIGNED


def _lines(boxes: list[Box]) -> list[float]:
    """Return the vertical middles of the lines, from top to bottom."""
    middles: list[float] = []
    for box in sorted(boxes, key=lambda box: box[1] + box[3]):
        middle = (box[1] + box[3]) / 2
        if not middles or middle - middles[-1] > (box[3] - box[1]) / 2:
            middles.append(middle)
    return middles


def _between(before: _Number, after: _Number, lines: list[float]) -> int:
    """Return the number of lines from one number down to the next."""
    top, bottom = ((number.box[1] + number.box[3]) / 2 for number in (before, after))
    reach = before.height / 2
    return sum(1 for middle in lines if top + reach < middle <= bottom + reach)


def _is_even(column: list[_Number]) -> bool:
    pitches = [after.box[3] - before.box[3] for before, after in pairwise(column)]
    return max(pitches) - min(pitches) < 0.2 * max(pitches)


def _are_cells(texts: list[tuple[int, Box]]) -> bool:
    """Return whether most texts have another text next to them, like cells."""
    beside = sum(
        any(
            other is not box and other[1] < (box[1] + box[3]) / 2 < other[3] and other[0] != box[0]
            for _, other in texts
        )
        for _, box in texts
    )
    return 2 * beside > len(texts)


def _flows(texts: list[tuple[int, Box]], rows: Sequence[Row], column: list[_Number]) -> bool:
    """Return whether the text continues from line to line and fills the line width."""
    if len(texts) < 2:
        return False
    left, right = min(box[0] for _, box in texts), max(box[2] for _, box in texts)
    full = sum(box[2] - box[0] >= _FULL_LINE * (right - left) for _, box in texts[:-1])
    begins = [not _rest(index, rows, column)[:1].isupper() for index, _ in texts[1:]]
    usual = median(len(_rest(index, rows, column)) for index, _ in texts)
    return (
        usual >= _MIN_CHARACTERS
        and full >= _MIN_FULL_LINES * (len(texts) - 1)
        and sum(begins) >= _MIN_WITHIN * len(begins)
    )


def _is_code(texts: list[tuple[int, Box]], rows: Sequence[Row], column: list[_Number]) -> bool:
    looks = sum(CODE.search(_rest(index, rows, column)) is not None for index, _ in texts)
    return len(texts) > 1 and looks >= _MIN_CODE_LINES * len(texts)


def _rest(index: int, rows: Sequence[Row], column: list[_Number]) -> str:
    number = _of(index, column)
    text = rows[index].text
    return (text[: number.start] + text[number.end :] if number else text).strip()


def _around(boxes: Sequence[Box | None]) -> Box | None:
    some = [box for box in boxes if box]
    return union(some) if some else None


_MIN_CODE = 0.4
"""Minimum fraction of a listing's lines that look like code; in prompts and correspondence hardly any line does."""

_DATA = re.compile(r"^\s*(?:- )?[\w.\-]+:(?: \S|$)|^\s*- [^\s-]|^\s*\"[^\"]+\"\s*:")
"""Lines of YAML and JSON, which often have no other sign of code."""

_FULL, _MIN_FULL = 0.85, 0.6  # In prose, 60 % of the lines fill 85 % of the line width.
# Maximum relative change in character width between lines of a listing;
# a line of one character has its font's width despite letter-spacing.
_MAX_WIDTH_CHANGE = 0.2
_MAX_BREAKS = 3  # Maximum number of consecutive line breaks that are preserved: two empty lines.
_MAX_GAP = 3.0  # Maximum gap, in line heights, between lines of a listing; a wider gap ends it.


def with_listings(lines: list[Line]) -> list[Line]:
    """Return the page's lines with listings marked. The text of a listing is arranged in columns of characters."""
    result = list(lines)
    for start, end in _runs(lines):
        if not _is_listing(lines[start:end]):
            continue
        left = min(line.typed.left for line in lines[start:end] if line.typed)
        for index in range(start, end):
            result[index] = _in_columns(lines[index], left)
    return result


def line_breaks(lines: Sequence[Line], index: int) -> int:
    """Return the number of line breaks before line `index` of a listing: more than one after empty lines."""
    if index == 0:
        return 0
    baselines = [line.typed.baseline for line in lines if line.is_listing and line.typed]
    steps = [after - before for before, after in pairwise(baselines) if after > before]
    if not steps or len(baselines) != len(lines):
        return 1
    return max(1, min(_MAX_BREAKS, round((baselines[index] - baselines[index - 1]) / min(steps))))


def follows(line: Line, last: Line) -> bool:
    """Return whether a listing line is directly below another line of the same listing."""
    (left, top, right, _), before = line.reading_box, last.reading_box
    height = max(last.size, before[3] - before[1], 1.0)
    is_below = before[1] < top < before[3] + _MAX_GAP * height
    return is_below and min(right, before[2]) > max(left, before[0]) - 20 * height


def _runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield runs of lines in a monospaced font that are below each other."""
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
