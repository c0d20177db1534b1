"""Objects that a page draws, including objects in nested forms: text, paths and pictures, each with its position."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, pdfium, raw

MAX_OBJECTS = 20_000  # Maximum number of objects examined per page. A dense map has more, but is a single figure.
_MAX_DEPTH = 4  # Maximum depth of nested forms; programs use two or three levels.
_MAX_SEGMENTS = 30  # Maximum number of path segments examined; one slanted segment decides what the path is.
_MAX_RULE_WIDTH = 2.0  # Maximum width of a rule in points; thinner paths are rules, regardless of their outline.
_MIN_SLANT = 0.5  # Minimum difference in points between a slanted segment's ends, in x and in y; less is rounding.
_MIN_GRID_PARTS = 3  # Minimum number of parts in a stroked path that is a grid; a grid has at least three lines.

Matrix = tuple[float, float, float, float, float, float]
Object = tuple[Any, int, Matrix]
"""The handle of an object, its kind, and the matrix from its coordinates to the page's coordinates."""

_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)
_CHILDREN = (raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject)


@dataclass(slots=True)
class Drawings:
    """Boxes of a page's drawings, in points on the displayed page."""

    paths: list[Box] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)
    curves: list[Box] = field(default_factory=list)
    """Paths with slanted lines, which are found in charts and drawings but not in tables."""

    grids: list[Box] = field(default_factory=list)  # Paths of several stroked lines.
    areas: list[Box] = field(default_factory=list)  # Other paths that are wider than a rule.


def walk_objects(page: pdfium.PdfPage, most: int, max_depth: int | None = None) -> Iterator[Object]:
    """Yield all objects except forms, among the first `most` objects. Objects in forms are included down to depth
    `max_depth`."""
    stack = [(raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, page.raw, _IDENTITY, 0)]
    count_seen = 0
    while stack:
        count, get, holder, matrix, depth = stack.pop()
        for index in range(count(holder)):
            item = get(holder, index)
            kind = raw.FPDFPageObj_GetType(item)
            count_seen += 1
            if count_seen > most:
                return
            if kind != raw.FPDF_PAGEOBJ_FORM:
                yield item, kind, matrix
            elif max_depth is None or depth < max_depth:
                stack.append((*_CHILDREN, item, multiply(matrix_of(item), matrix), depth + 1))


def objects_of(page: pdfium.PdfPage) -> Iterator[Object]:
    """Yield the paths and pictures among the first MAX_OBJECTS objects."""
    for item, kind, matrix in walk_objects(page, MAX_OBJECTS, _MAX_DEPTH):
        if kind in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE):
            yield item, kind, matrix


def drawings_of(objects: list[Object], geometry: PageGeometry) -> Drawings:
    """Classify the objects as pictures, paths, curves, grids and areas."""
    drawings = Drawings()
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for item, kind, matrix in objects:
        if raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            corner, opposite = (left.value, bottom.value), (right.value, top.value)
            box = box_of([transform(corner, matrix), transform(opposite, matrix)], geometry)
            (drawings.pictures if kind == raw.FPDF_PAGEOBJ_IMAGE else drawings.paths).append(box)
            if kind == raw.FPDF_PAGEOBJ_PATH and min(box[2] - box[0], box[3] - box[1]) > _MAX_RULE_WIDTH:
                _kind_of(item, drawings).append(box)
    return drawings


def _kind_of(item: Any, drawings: Drawings) -> list[Box]:
    """Return the list to which a path belongs. The rounded corners of a frame do not make the path a curve."""
    x, y = ctypes.c_float(), ctypes.c_float()
    before: tuple[float, float] | None = None
    parts = 0
    for index in range(min(raw.FPDFPath_CountSegments(item), _MAX_SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        kind = raw.FPDFPathSegment_GetType(segment)
        parts += kind == raw.FPDF_SEGMENT_MOVETO
        slant = min(abs(x.value - before[0]), abs(y.value - before[1])) if before else 0.0
        if kind == raw.FPDF_SEGMENT_LINETO and slant > _MIN_SLANT:
            return drawings.curves
        before = (x.value, y.value)
    is_filled, is_stroked = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(item, is_filled, is_stroked)
    return drawings.grids if parts >= _MIN_GRID_PARTS and not is_filled.value else drawings.areas


def box_of(points: list[tuple[float, float]], geometry: PageGeometry) -> Box:
    """Return the box on the displayed page around the given points of the page."""
    xs, ys = zip(*points, strict=True)
    return geometry.box(min(xs), min(ys), max(xs), max(ys))


def matrix_of(item: Any) -> Matrix:
    """Return the matrix from an object's coordinates to its parent's."""
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, matrix):
        return _IDENTITY
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def transform(point: tuple[float, float], matrix: Matrix) -> tuple[float, float]:
    """Return the transformed point."""
    (x, y), (a, b, c, d, e, f) = point, matrix
    return (a * x + c * y + e, b * x + d * y + f)


def multiply(first: Matrix, second: Matrix) -> Matrix:
    """Return the matrix that applies `first` and then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


# Maximum number of objects per page; the file size and PDFium's nesting limit also restrict it.
_MAX_OBJECTS = 1_000_000


@dataclass(slots=True)
class PageObjects:
    """The objects of a page. `texts` and `others` are handles; `pictures` are boxes on the displayed page."""

    texts: list[Any] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)


def page_objects(page: pdfium.PdfPage, geometry: PageGeometry) -> PageObjects:
    """Return the first _MAX_OBJECTS objects of the page."""
    result = PageObjects()
    for item, kind, matrix in walk_objects(page, _MAX_OBJECTS):
        (result.texts if kind == raw.FPDF_PAGEOBJ_TEXT else result.others).append(item)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            result.pictures.append(_box(item, matrix, geometry))
    return result


def _box(item: Any, matrix: Matrix, geometry: PageGeometry) -> Box:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    corners = [(x.value, y.value) for x in (left, right) for y in (bottom, top)]
    return box_of([transform(corner, matrix) for corner in corners], geometry)
