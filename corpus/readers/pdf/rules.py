"""Horizontal and vertical rules of a page, and stacks of horizontal rules, as in tables without vertical rules."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, raw
from corpus.readers.pdf.page_objects import Matrix, Object, matrix_of, multiply, transform

THICK = 4.0  # Maximum thickness of a rule in points; thicker drawings are areas, whose edges count as rules.
_MIN_LENGTH = 4.0  # Minimum length of a rule in points; shorter strokes are dashes and ticks.
_MAX_SEGMENTS = 200  # Maximum number of segments in a path; a path with more is a drawing.
_MAX_RULES = 6000  # Maximum number of rules on a page; a page with more is one large drawing.
_MAX_JOIN_GAP = 1.5  # Maximum distance in points between pieces of one rule, or between two drawings of it.

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule at position `at` from `start` to `end`, in points. For a horizontal rule, `at` is the distance from the
    top of the page."""

    at: float
    start: float
    end: float
    edge: bool = False  # Whether it is only the edge of an area, such as a shaded cell.

    @property
    def length(self) -> float:
        """Length in points."""
        return self.end - self.start


@dataclass(slots=True)
class Rules:
    """Rules of the displayed page, sorted by position. Touching pieces are joined."""

    level: list[Rule] = field(default_factory=list)
    upright: list[Rule] = field(default_factory=list)


NO_RULES = Rules()


def rules_of(objects: Iterable[Object], geometry: PageGeometry) -> Rules:
    """Return the rules that are long enough to separate cells; none if the page is one large drawing."""
    rules = Rules()
    for item, kind, matrix in objects:
        if kind == raw.FPDF_PAGEOBJ_PATH:
            _add(item, matrix, geometry, rules)
        if len(rules.level) + len(rules.upright) > _MAX_RULES:
            return Rules()
    return Rules(_join_pieces(rules.level), _join_pieces(rules.upright))


def _add(item: Any, matrix: Matrix, geometry: PageGeometry, rules: Rules) -> None:
    is_filled, is_stroked = ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFPath_GetDrawMode(item, is_filled, is_stroked) or not (is_filled.value or is_stroked.value):
        return
    if not _is_visible(item, bool(is_stroked.value)):
        return
    count = raw.FPDFPath_CountSegments(item)
    if not 2 <= count <= _MAX_SEGMENTS:
        return
    whole = multiply(matrix_of(item), matrix)
    for outline in _outlines(item, count, whole, geometry):
        _add_outline(outline, bool(is_stroked.value), rules)


def _add_outline(points: list[Point], is_stroked: bool, rules: Rules) -> None:
    lefts, tops = [point[0] for point in points], [point[1] for point in points]
    left, right, top, bottom = min(lefts), max(lefts), min(tops), max(tops)
    if right - left <= THICK and bottom - top <= THICK:
        return
    if bottom - top <= THICK:
        _append(rules.level, (top + bottom) / 2, (left, right))
    elif right - left <= THICK:
        _append(rules.upright, (left + right) / 2, (top, bottom))
    else:
        outline = points if points[0] == points[-1] or is_stroked else [*points, points[0]]
        for (x0, y0), (x1, y1) in pairwise(outline):
            if abs(y1 - y0) <= 0.5:
                _append(rules.level, (y0 + y1) / 2, (x0, x1), edge=not is_stroked)
            elif abs(x1 - x0) <= 0.5:
                _append(rules.upright, (x0 + x1) / 2, (y0, y1), edge=not is_stroked)


def _append(rules: list[Rule], at: float, ends: tuple[float, float], *, edge: bool = False) -> None:
    start, end = sorted(ends)
    if end - start >= _MIN_LENGTH:
        rules.append(Rule(at, start, end, edge))


def _outlines(item: Any, count: int, matrix: Matrix, geometry: PageGeometry) -> Iterator[list[Point]]:
    """Yield the corner points of each part of a path, except parts with curves."""
    points: list[Point] = []
    is_curved = False
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if len(points) > 1 and not is_curved:
                yield points
            points, is_curved = [], False
        is_curved = is_curved or kind == raw.FPDF_SEGMENT_BEZIERTO
        points.append(_point_on_page(x.value, y.value, matrix, geometry))
        if raw.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if len(points) > 1 and not is_curved:
        yield points


def _point_on_page(x: float, y: float, matrix: Matrix, geometry: PageGeometry) -> Point:
    across, up = transform((x, y), matrix)
    left, top, _, _ = geometry.box(across, up, across, up)
    return left, top


def _is_visible(item: Any, is_stroked: bool) -> bool:
    """Return whether the path is not white. White areas cover rules instead of drawing them."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    get = raw.FPDFPageObj_GetStrokeColor if is_stroked else raw.FPDFPageObj_GetFillColor
    if not get(item, red, green, blue, alpha):
        return True
    return alpha.value > 8 and min(red.value, green.value, blue.value) < 250


def _join_pieces(rules: list[Rule]) -> list[Rule]:
    """Join the pieces of one rule, and the copies of a rule drawn twice."""
    lines: list[Rule] = []
    rules.sort(key=lambda rule: (rule.at, rule.start))
    for group in _at_one_place(rules):
        group.sort(key=lambda rule: rule.start)
        at = sum(rule.at for rule in group) / len(group)
        run = group[0]
        for rule in group[1:]:
            if rule.start <= run.end + _MAX_JOIN_GAP:
                run = Rule(at, run.start, max(run.end, rule.end), run.edge and rule.edge)
            else:
                lines.append(Rule(at, run.start, run.end, run.edge))
                run = rule
        lines.append(Rule(at, run.start, run.end, run.edge))
    return lines


def _at_one_place(rules: list[Rule]) -> Iterator[list[Rule]]:
    group: list[Rule] = []
    for rule in rules:
        if group and rule.at - group[0].at > _MAX_JOIN_GAP:
            yield group
            group = []
        group.append(rule)
    if group:
        yield group


_MAX_END_SHIFT = 6.0  # Maximum distance in points between the ends of the rules of one table.
_MAX_BREAK = 16.0  # Maximum gap in points within one rule, as between column groups.
_MIN_STACK_HEIGHT = 12  # Minimum height of a stack in points; a double rule is lower than a row of text.
_MIN_STACKED = 60.0  # Minimum length in points of a rule in a stack; shorter rules underline words.
_MIN_OVERLAP = 0.6  # Minimum fraction of the width that text must cover to separate two rules.


def stacks_of(level: list[Rule], prose: list[Box], captions: list[Box]) -> list[Box]:
    """Return boxes around at least two horizontal rules with the same ends, without captions or running text between
    adjacent rules."""
    stacks: list[list[Rule]] = []
    for rule in _whole_lines(level):
        if rule.length < _MIN_STACKED:
            continue
        for stack in stacks:
            last = stack[-1]
            same = abs(last.start - rule.start) <= _MAX_END_SHIFT and abs(last.end - rule.end) <= _MAX_END_SHIFT
            if same and not _is_text_between(last, rule, prose, captions):
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [
        (min(rule.start for rule in stack), stack[0].at, max(rule.end for rule in stack), stack[-1].at)
        for stack in stacks
        if stack[-1].at - stack[0].at > _MIN_STACK_HEIGHT
    ]


def _whole_lines(level: list[Rule]) -> list[Rule]:
    """Return the rules from top to bottom, with rules on one line joined if the gap is small."""
    lines: list[Rule] = []
    for rule in sorted(level, key=lambda rule: (round(rule.at), rule.start)):
        last = lines[-1] if lines else None
        if last and abs(last.at - rule.at) <= 1.5 and -1 <= rule.start - last.end <= _MAX_BREAK:
            lines[-1] = Rule(last.at, last.start, max(last.end, rule.end), last.edge and rule.edge)
        else:
            lines.append(rule)
    return sorted(lines, key=lambda rule: rule.at)


def _is_text_between(above: Rule, below: Rule, prose: list[Box], captions: list[Box]) -> bool:
    """Return whether the rules are separated by a caption or by three lines of running text."""
    lines = [box for box in prose if _stands_between(box, above, below)]
    return len(lines) >= 3 or any(_stands_between(box, above, below) for box in captions)


def _stands_between(box: Box, above: Rule, below: Rule) -> bool:
    across = min(box[2], above.end) - max(box[0], above.start)
    return above.at < (box[1] + box[3]) / 2 < below.at and across > _MIN_OVERLAP * min(above.length, box[2] - box[0])


# Maximum number of rules on a page searched for strike-outs; drawings and dense tables have more.
_MAX_STRIKE_RULES = 400
_CROSSING_HEIGHT = (0.2, 0.78)
"""Minimum and maximum height at which a rule crosses characters, as fractions of the height of the tallest character.
Programs draw strike-outs 0.22 to 0.35 font sizes above the baseline; lower-case letters are 0.45 font sizes high,
capitals 0.7."""

_MAX_BEYOND = 0.7
"""Maximum length by which the rule extends beyond the text, in character heights. The rule of a table, or a line to
write on, extends farther."""

_MIN_CROSSED_SHARE = 0.8  # Minimum fraction of crossed characters among the letters and digits along the rule.
_MIN_CROSSED_LETTERS = 2  # Minimum number of crossed characters; a single one is a symbol such as a barred d.


def struck_characters(boxes: Mapping[int, Box], chars: Sequence[str], rules: Sequence[Rule]) -> list[int]:
    """Return the indexes of characters that horizontal rules strike out. `boxes` maps indexes in `chars` to the ink
    boxes on the displayed page."""
    candidates = [rule for rule in rules if not rule.edge]
    if not boxes or not candidates or len(candidates) > _MAX_STRIKE_RULES:
        return []
    indexes = np.array(list(boxes))
    left, top, right, bottom = np.array(list(boxes.values())).T
    middle = (left + right) / 2
    are_letters = np.array([chars[index].isalnum() for index in boxes])
    struck = set[int]()
    for rule in candidates:
        over = (middle > rule.start) & (middle < rule.end)
        crossed = over & are_letters & (top < rule.at) & (rule.at < bottom)
        if crossed.sum() < _MIN_CROSSED_LETTERS:
            continue
        baseline = float(np.median(bottom[crossed]))
        height = baseline - float(top[crossed].min())
        if not _CROSSING_HEIGHT[0] * height < baseline - rule.at < _CROSSING_HEIGHT[1] * height:
            continue
        of_line = over & (top < baseline + height / 4) & (bottom > baseline - height)
        beyond = max(float(left[of_line].min()) - rule.start, rule.end - float(right[of_line].max()))
        if beyond < _MAX_BEYOND * height and crossed.sum() >= _MIN_CROSSED_SHARE * (of_line & are_letters).sum():
            struck.update(indexes[of_line].tolist())
    return sorted(struck)
