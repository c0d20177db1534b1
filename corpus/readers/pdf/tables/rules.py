"""The straight lines that are drawn on a page, level or upright, from its path objects."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from corpus.readers.pdf.objects import Matrix, Object, matrix_of, moved, times
from corpus.readers.pdf.pdfium import raw
from corpus.readers.pdf.shown import Shown

THICK = 4.0
"""Points; what is drawn thicker is an area, of which the edges count."""

_SHORTEST = 4.0
_MOST_SEGMENTS = 200
_MOST_RULES = 6000
_NEAR = 1.5

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rule:
    """A line at `at` from `start` to `end`: of a level one `at` is its height on the page."""

    at: float
    start: float
    end: float
    edge: bool = False
    """Whether it is only the edge of an area, as of a shaded cell."""

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(slots=True)
class Rules:
    """Points of the shown page; pieces that touch are one line, and the lines are sorted by place."""

    level: list[Rule] = field(default_factory=list)
    upright: list[Rule] = field(default_factory=list)


def rules_of(objects: Iterable[Object], shown: Shown) -> Rules:
    """All that is long enough to part cells; nothing of a page that is one large drawing."""
    found = Rules()
    for item, kind, matrix in objects:
        if kind == raw.FPDF_PAGEOBJ_PATH:
            _add(item, matrix, shown, found)
        if len(found.level) + len(found.upright) > _MOST_RULES:
            return Rules()
    return Rules(_joined(found.level), _joined(found.upright))


def _add(item: Any, matrix: Matrix, shown: Shown, found: Rules) -> None:
    filled, stroked = ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFPath_GetDrawMode(item, filled, stroked) or not (filled.value or stroked.value):
        return
    if not _is_seen(item, bool(stroked.value)):
        return
    count = raw.FPDFPath_CountSegments(item)
    if not 2 <= count <= _MOST_SEGMENTS:
        return
    whole = times(matrix_of(item), matrix)
    for outline in _outlines(item, count, whole, shown):
        _add_outline(outline, bool(stroked.value), found)


def _add_outline(points: list[Point], stroked: bool, found: Rules) -> None:
    lefts, tops = [point[0] for point in points], [point[1] for point in points]
    left, right, top, bottom = min(lefts), max(lefts), min(tops), max(tops)
    if right - left <= THICK and bottom - top <= THICK:
        return
    if bottom - top <= THICK:
        _level(found, (top + bottom) / 2, left, right, edge=False)
    elif right - left <= THICK:
        _upright(found, (left + right) / 2, top, bottom, edge=False)
    else:
        closed = points if points[0] == points[-1] or stroked else [*points, points[0]]
        for (x0, y0), (x1, y1) in pairwise(closed):
            if abs(y1 - y0) <= 0.5:
                _level(found, (y0 + y1) / 2, min(x0, x1), max(x0, x1), edge=not stroked)
            elif abs(x1 - x0) <= 0.5:
                _upright(found, (x0 + x1) / 2, min(y0, y1), max(y0, y1), edge=not stroked)


def _level(found: Rules, at: float, start: float, end: float, *, edge: bool) -> None:
    if end - start >= _SHORTEST:
        found.level.append(Rule(at, start, end, edge))


def _upright(found: Rules, at: float, start: float, end: float, *, edge: bool) -> None:
    if end - start >= _SHORTEST:
        found.upright.append(Rule(at, start, end, edge))


def _outlines(item: Any, count: int, matrix: Matrix, shown: Shown) -> Iterator[list[Point]]:
    """The corner points of each part of a path; parts with curves are left out."""
    points: list[Point] = []
    curved = False
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if len(points) > 1 and not curved:
                yield points
            points, curved = [], False
        curved = curved or kind == raw.FPDF_SEGMENT_BEZIERTO
        points.append(_shown_at(x.value, y.value, matrix, shown))
        if raw.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if len(points) > 1 and not curved:
        yield points


def _shown_at(x: float, y: float, matrix: Matrix, shown: Shown) -> Point:
    across, up = moved((x, y), matrix)
    left, top, _, _ = shown.box(across, up, across, up)
    return left, top


def _is_seen(item: Any, stroked: bool) -> bool:
    """Whether it is not white: white areas hide rules instead of drawing them."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    get = raw.FPDFPageObj_GetStrokeColor if stroked else raw.FPDFPageObj_GetFillColor
    if not get(item, red, green, blue, alpha):
        return True
    return alpha.value > 8 and min(red.value, green.value, blue.value) < 250


def _joined(rules: list[Rule]) -> list[Rule]:
    """Pieces of one line put together; each level or upright line once, whatever is drawn twice."""
    lines: list[Rule] = []
    rules.sort(key=lambda rule: (rule.at, rule.start))
    for group in _at_one_place(rules):
        group.sort(key=lambda rule: rule.start)
        at = sum(rule.at for rule in group) / len(group)
        run = group[0]
        for rule in group[1:]:
            if rule.start <= run.end + _NEAR:
                run = Rule(at, run.start, max(run.end, rule.end), run.edge and rule.edge)
            else:
                lines.append(Rule(at, run.start, run.end, run.edge))
                run = rule
        lines.append(Rule(at, run.start, run.end, run.edge))
    return lines


def _at_one_place(rules: list[Rule]) -> Iterator[list[Rule]]:
    group: list[Rule] = []
    for rule in rules:
        if group and rule.at - group[0].at > _NEAR:
            yield group
            group = []
        group.append(rule)
    if group:
        yield group
