"""Reading order of the lines of a page.

Most files contain their lines in order. The order is changed only if the layout of the page requires it: columns of
prose are read one after the other, a line above another in its column comes first, and footnotes and marginal notes
come last. Everything else, such as the cells of a table, stays in the file's order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import rotate_box, union
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.paragraphs import with_footnotes_last
from corpus.readers.pdf.text.right_to_left import is_right_to_left

_MIN_GAP = 8.0  # Minimum width of a gutter in points; narrower gaps are spaces between words of a justified line.
_MIN_ROWS = 4  # Minimum number of rows that share the gap; fewer align by chance.
_MIN_WIDTH = 11.0  # Minimum width of a column in line heights; no column of prose is narrower.
_MAX_WIDTH = 8.0  # Maximum width of a gutter in line heights; wider gaps separate a label from its value.
_MIN_FULL = 0.7  # Minimum ratio of the average line width to the usual one; prose fills its lines.
_MIN_LETTER_SHARE = 0.75  # Minimum fraction of letters; tables of numbers and dot leaders have fewer.


@dataclass(frozen=True, slots=True)
class Row:
    """A line from PDFium, with the boxes of its runs from left to right."""

    text: str
    boxes: tuple[Box, ...]

    @property
    def top(self) -> float:
        """Upper edge in points."""
        return min(box[1] for box in self.boxes)

    @property
    def bottom(self) -> float:
        """Lower edge in points."""
        return max(box[3] for box in self.boxes)

    def gaps(self, width: float) -> list[tuple[float, float]]:
        """Return the left and right edges of the gaps that are at least `width` points wide."""
        return [(left[2], right[0]) for left, right in pairwise(self.boxes) if right[0] - left[2] >= width]


@dataclass(slots=True)
class Gutter:
    """The space between two columns, in points, and the rows that have it."""

    left: float
    right: float
    rows: list[Row] = field(default_factory=list)

    def parts(self, row: Row) -> bool:
        """Return whether the gutter divides the row: the row is at the height of the gutter's rows and has a gap
        there."""
        near = self.rows[0].top - 1 <= row.top <= self.rows[-1].top + 1
        return near and any(a <= self.left + 1 and self.right - 1 <= b for a, b in row.gaps(_MIN_GAP))


def gutters_of(rows: list[Row]) -> list[Gutter]:
    """Return the gutters in rows of prose; rows of tables have none."""
    gutters = []
    for chain in _chains([row for row in rows if row.gaps(_MIN_GAP)]):
        if len(chain.rows) >= _MIN_ROWS and _is_prose(chain):
            gutters.append(chain)
    return gutters


def _chains(rows: list[Row]) -> list[Gutter]:
    """Return chains of rows below each other that have a gap at a common position."""
    chains: list[Gutter] = []
    for row in sorted(rows, key=lambda row: row.top):
        for left, right in row.gaps(_MIN_GAP):
            for chain in chains:
                inner = (max(chain.left, left), min(chain.right, right))
                near = row.top - chain.rows[-1].bottom < 3 * (row.bottom - row.top)
                if near and inner[1] - inner[0] >= _MIN_GAP - 1 and row is not chain.rows[-1]:
                    chain.left, chain.right = inner
                    chain.rows.append(row)
                    break
            else:
                chains.append(Gutter(left, right, [row]))
    return chains


def _is_prose(chain: Gutter) -> bool:
    """Return whether both sides are as wide as prose, mostly full, and consist of words."""
    characters = "".join("".join(row.text.split()) for row in chain.rows)
    if sum(map(str.isalpha, characters)) < _MIN_LETTER_SHARE * len(characters):
        return False  # the rows are numbers or dot leaders
    heights = sorted(box[3] - box[1] for row in chain.rows for box in row.boxes)
    height = heights[len(heights) // 2]
    least = _MIN_WIDTH * height
    if chain.right - chain.left > _MAX_WIDTH * height:
        return False
    sides = zip(*(_widths(row, chain) for row in chain.rows), strict=True)
    return all(_usual(side) >= least and sum(side) >= _MIN_FULL * _usual(side) * len(side) for side in sides)


def _usual(widths: tuple[float, ...]) -> float:
    """Return the width that four out of five rows do not exceed. A row next to an empty line may extend over the next
    gutter."""
    return sorted(widths)[4 * len(widths) // 5]


def _widths(row: Row, chain: Gutter) -> tuple[float, float]:
    """Return the widths of the row's prose to the left and right of the gutter, up to the next wide gap."""
    before = [right for _, right in row.gaps(_MIN_GAP) if right < chain.left]
    after = [left for left, _ in row.gaps(_MIN_GAP) if left > chain.right]
    start, end = row.boxes[0][0], row.boxes[-1][2]
    return chain.left - max([start, *before]), min([end, *after]) - chain.right


_EDGE_STEP = 3.0  # Maximum distance in points between left edges that count as equal.
_MIN_LINES = 3  # Minimum number of lines in a column; fewer align by chance.
_MIN_PROSE_LENGTH = 15  # Minimum average length in characters of a column's lines; labels and numbers are shorter.
_MAX_DISORDER = 0.1  # Maximum fraction of the lines that cross the gutter.
_ALIGNED = 3.0  # Maximum distance in points between the tops of two cells of a row.
_MAX_EDGES = 12  # Maximum number of left edges tried; the most common ones are tried first.


@dataclass(frozen=True, slots=True)
class Columns:
    """Indexes of the lines on both sides of a gutter. `across` contains the lines that have no other line next to
    them."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    across: tuple[int, ...]


def columns_of(lines: Sequence[Line], indexes: Sequence[int]) -> Columns | None:
    """Return the sides of the clearest gutter among the lines `indexes`, or None if there is no prose next to prose."""
    candidates = [columns for edge in _edges(lines, indexes) if (columns := _split_at(lines, indexes, edge))]
    return min(candidates, key=lambda each: (len(each.across), -min(len(each.left), len(each.right))), default=None)


def _edges(lines: Sequence[Line], indexes: Sequence[int]) -> list[float]:
    """Return the positions at which several lines start, except the leftmost."""
    counts: dict[int, int] = {}
    for index in indexes:
        place = round(lines[index].box[0] / _EDGE_STEP)
        counts[place] = counts.get(place, 0) + 1
    often = {place: count + counts.get(place + 1, 0) for place, count in counts.items()}
    edges = sorted((place for place, count in often.items() if count >= _MIN_LINES), key=lambda p: -often[p])
    leftmost = min((place for place in counts), default=0)
    return [_EDGE_STEP * (place - 0.5) for place in edges[:_MAX_EDGES] if place > leftmost + 3]


def _split_at(lines: Sequence[Line], indexes: Sequence[int], edge: float) -> Columns | None:
    left = [index for index in indexes if lines[index].box[2] <= edge]
    right = [index for index in indexes if lines[index].box[0] >= edge - _EDGE_STEP / 2]
    sides = {*left, *right}
    across = []
    strays = 0
    for index in indexes:
        if index in sides:
            continue
        beside_left = _beside(lines, index, left)
        if not beside_left and not _beside(lines, index, right):
            across.append(index)
            continue
        strays += 1
        box = lines[index].box
        (left if edge - box[0] > box[2] - edge else right).append(index)
    if strays > _MAX_DISORDER * len(sides):
        return None
    columns = Columns(tuple(sorted(left)), tuple(sorted(right)), tuple(across))
    return columns if _are_prose(lines, columns) and not _are_rows(lines, columns) else None


def _beside(lines: Sequence[Line], index: int, others: Sequence[int]) -> bool:
    _, top, _, bottom = lines[index].box
    middle, half = (top + bottom) / 2, (bottom - top) / 4
    return any(lines[o].box[1] < middle + half and middle - half < lines[o].box[3] for o in others)


def _are_prose(lines: Sequence[Line], columns: Columns) -> bool:
    """Return whether both sides have lines of some length, next to lines of the other side."""
    for side in (columns.left, columns.right):
        lengths = [len(lines[index].text) for index in side if not lines[index].is_upright]
        if len(lengths) < _MIN_LINES or sum(lengths) < _MIN_PROSE_LENGTH * len(lengths):
            return False
    shorter, longer = sorted((columns.left, columns.right), key=len)
    return sum(_beside(lines, index, longer) for index in shorter) >= min(_MIN_LINES, len(shorter))


def _are_rows(lines: Sequence[Line], columns: Columns) -> bool:
    """Return whether the file contains complete cells row by row, as in a table or form that is read across."""
    left = set(columns.left)
    order = sorted((*columns.left, *columns.right))
    runs = [list(run) for _, run in groupby(order, key=left.__contains__)]
    aligned = sum(
        1
        for run, following in pairwise(runs)
        if run[0] in left and abs(lines[run[0]].box[1] - lines[following[0]].box[1]) <= _ALIGNED
    )
    if aligned < 2:
        return False
    cells = sum(1 for run in runs if len(run) > 1)
    return 2 * cells >= len(runs) or not (_is_full(lines, columns.left) and _is_full(lines, columns.right))


def _is_full(lines: Sequence[Line], side: Sequence[int]) -> bool:
    widths = sorted(lines[index].box[2] - lines[index].box[0] for index in side)
    return sum(widths) >= _MIN_FULL * widths[4 * len(widths) // 5] * len(widths)


_MARGIN = 0.1  # Fraction of the page's width, at each side, that may contain library stamps and arXiv marks.
# Minimum distance, in line heights, below all previous text at which a file restarts at the left column.
_MIN_RESTART_GAP = 0.8
_MIN_RESTART_LINES = 3  # Minimum number of lines in each column before such a restart.
_MAX_LINES = 2000  # Maximum number of lines on a page; a page with more is a drawing, and the run time is quadratic.
_MAX_GROUPS = 200  # Maximum number of groups that are sorted; the running time is quadratic.
_MAX_DEPTH = 6  # Maximum nesting of columns; newspapers nest two or three, and deeper nesting is an attack.
_MAX_PART_GAP = 2.0  # Maximum gap, in font heights, between lines of one part; Japanese columns are up to two apart.


def in_reading_order(lines: list[Line], size: tuple[float, float]) -> list[Line]:
    """Return the lines of a page of `size` (points) in reading order, with footnotes marked.

    If most of the text runs in another direction, as in vertical Japanese, the order is determined after the page is
    rotated so that the text runs from left to right.
    """
    lengths: Counter[int] = Counter()
    for line in lines:
        lengths[line.direction] += len(line.text)
    direction = max(lengths, key=lambda each: lengths[each], default=0)
    if direction == 0:
        return _level_order(lines, size)
    width, height = size
    upright = (height, width) if direction in (90, 270) else size
    ordered = _level_order([_rotate_line(line, -direction, size) for line in lines], upright)
    return [_rotate_line(line, direction, upright) for line in ordered]


def _level_order(lines: list[Line], size: tuple[float, float]) -> list[Line]:
    upright = sum(line.is_upright for line in lines)
    if len(lines) > _MAX_LINES or 2 * upright > len(lines):
        return lines
    margin = [line for line in lines if _in_the_margin(line, size[0])]
    others = [line for line in lines if line not in margin]
    text, notes = with_footnotes_last([line for line in others if not line.direction], size[1])
    parts = _turned_parts([line for line in others if line.direction])
    text += [part[0] if len(part) == 1 else _merge_lines(part) for part in parts]
    rightwards = not is_right_to_left("".join(line.text for line in text))
    level = len(text) - len(parts)
    ordered: list[Line] = []
    for index in _order_of(text, range(len(text)), rightwards, 0):
        if index < level or len(parts[index - level]) == 1:
            ordered.append(text[index])
        else:
            ordered += in_reading_order(parts[index - level], size)
    return [*ordered, *notes, *margin]


def _rotate_line(line: Line, degrees: int, size: tuple[float, float]) -> Line:
    """Return the line as it is on a page of that size after the page is rotated clockwise."""
    pieces = tuple((start, rotate_box(box, degrees, size)) for start, box in line.pieces)
    direction = (line.direction + degrees) % 360
    return replace(line, box=rotate_box(line.box, degrees, size), direction=direction, pieces=pieces)


def _turned_parts(lines: list[Line]) -> list[list[Line]]:
    """Return groups of lines that have one direction and are close together."""
    parts: list[list[Line]] = []
    for line in lines:
        near = [part for part in parts if any(_are_near(line, other) for other in part)]
        parts = [part for part in parts if part not in near]
        parts.append([*(other for part in near for other in part), line])
    return parts


def _are_near(line: Line, other: Line) -> bool:
    reach = _MAX_PART_GAP * max(line.size, other.size)
    (left, top, right, bottom), box = line.box, other.box
    apart = max(box[0] - right, left - box[2], box[1] - bottom, top - box[3])
    return line.direction == other.direction and apart < reach


def _merge_lines(part: list[Line]) -> Line:
    text = " ".join(line.text for line in part)
    return Line(text, union([line.box for line in part]), part[0].size)


def _order_of(lines: Sequence[Line], indexes: Sequence[int], rightwards: bool, depth: int) -> list[int]:
    """Return the lines `indexes` in order: alternating bands of columns and of lines across them, from top to bottom.
    This is a recursive X-Y cut (Nagy and Seth, 1984) that cuts only at gutters of prose."""
    columns = columns_of(lines, indexes) if depth < _MAX_DEPTH else None
    if columns is None:
        return _by_groups(lines, indexes)
    order: list[int] = []
    for across, left, right in _bands(lines, columns):
        first, second = (left, right) if rightwards else (right, left)
        for part in (across, first, second):
            order += _order_of(lines, part, rightwards, depth + 1) if part else []
    return order


def _bands(lines: Sequence[Line], columns: Columns) -> list[tuple[list[int], list[int], list[int]]]:
    """Return bands of lines across the columns, each with the parts of the columns below it."""
    bands: list[tuple[list[int], list[int], list[int]]] = [([], [], [])]
    starts = _starts(lines, columns)
    places = [(lines[i].box[1], part, i) for part, side in enumerate((columns.across, columns.left, columns.right))
              for i in side]  # fmt: skip
    for top, part, index in sorted(places):
        begins = bool(starts and top >= starts[0])
        if (part == 0 or begins) and (bands[-1][1] or bands[-1][2]):
            bands.append(([], [], []))
        if begins:
            starts.pop(0)
        bands[-1][part].append(index)
    return [(sorted(across), sorted(left), sorted(right)) for across, left, right in bands]


def _starts(lines: Sequence[Line], columns: Columns) -> list[float]:
    """Return the positions at which the file restarts at the left column, below all earlier lines."""
    left = set(columns.left)
    starts: list[float] = []
    bottom, counts = 0.0, list[int]()
    for is_left, run in groupby(sorted((*columns.left, *columns.right)), key=left.__contains__):
        boxes = [lines[index].box for index in run]
        top = min(box[1] for box in boxes)
        whole = len(counts) == 2 and min(counts) >= _MIN_RESTART_LINES
        if is_left and whole and top > bottom + _MIN_RESTART_GAP * (boxes[0][3] - boxes[0][1]):
            starts.append(top)
            counts = []
        counts.append(len(boxes))
        bottom = max(bottom, *(box[3] for box in boxes))
    return starts


@dataclass(slots=True)
class _Group:
    """Lines that follow each other down a column."""

    box: Box
    lines: list[int] = field(default_factory=list)


def _by_groups(lines: Sequence[Line], indexes: Sequence[int]) -> list[int]:
    """Return the lines in the file's order, except that no group precedes a group above it."""
    groups: list[_Group] = []
    for index in indexes:
        if groups and _goes_on(lines[index], groups[-1], lines[groups[-1].lines[-1]]):
            groups[-1].lines.append(index)
            groups[-1].box = union([groups[-1].box, lines[index].box])
        else:
            groups.append(_Group(lines[index].box, [index]))
    if len(groups) > _MAX_GROUPS:
        return list(indexes)
    order: list[int] = []
    while groups:
        free = (group for group in groups if not any(_above(o, group) for o in groups if o is not group))
        group = next(free, groups[0])
        order += group.lines
        groups.remove(group)
    return order


def _goes_on(line: Line, group: _Group, last: Line) -> bool:
    """Return whether the line is next to or below the last one, in the column of the group."""
    height = max(line.size, last.size)
    down = line.box[1] - last.box[1]
    return -height <= down <= 3 * height and line.box[0] < group.box[2] + 2 * height and group.box[0] < line.box[2]


def _above(group: _Group, below: _Group) -> bool:
    """Return whether `group` is in the same column as `below`, and ends at or above the start of `below`."""
    overlap = min(group.box[2], below.box[2]) - max(group.box[0], below.box[0])
    narrower = min(group.box[2] - group.box[0], below.box[2] - below.box[0])
    return overlap > 0.3 * narrower and group.box[3] <= below.box[1] + 0.2 * (below.box[3] - below.box[1])


def _in_the_margin(line: Line, width: float) -> bool:
    """Return whether the line runs upwards or downwards at an edge of the page."""
    return line.is_upright and (line.box[2] < _MARGIN * width or line.box[0] > (1 - _MARGIN) * width)
