"""Single characters of a page: where they stand, how large they are, and in which weight."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from typing import Any

from corpus.blocks import Box
from corpus.readers.pdf.pdfium import raw
from corpus.readers.pdf.shown import Shown, turned

_BOLD = re.compile(rb"bold|black|heavy|semibold|demi|medi\b|-bd|cmbx|sfbx|ecbx", re.IGNORECASE)
_MONOSPACED = re.compile(
    rb"courier|mono|consol|menlo|typewriter|cmtt|sftt|ectt|lmtt|inconsolata|source.?code|fira.?code|letter.?gothic|terminal",
    re.IGNORECASE,
)
_FIXED_PITCH = 1
"""The flag of a font descriptor (ISO 32000-1, table 123)."""

_NAME_BYTES = 128
_MIN_STACK_STEP = 0.5
"""Heights of the font by which each character of a stacked line stands lower: half of what it takes up there, so that
no raised or lowered sign of a level line counts."""


class Glyphs:
    """The characters of PDFium's text page `handle`, by their indexes; boxes are on the shown page, in points."""

    def __init__(self, handle: Any, geometry: Shown) -> None:
        self._handle = handle
        self._geometry = geometry

    def boxes(self, start: int, end: int) -> list[Box]:
        """The boxes of the runs of some characters, of those that are on the page."""
        left, top, right, bottom = (ctypes.c_double() for _ in range(4))
        boxes = []
        for index in range(raw.FPDFText_CountRects(self._handle, start, end - start)):
            raw.FPDFText_GetRect(self._handle, index, left, top, right, bottom)
            box = self._geometry.box(left.value, bottom.value, right.value, top.value)
            boxes.append((round(box[0], 1), round(box[1], 1), round(box[2], 1), round(box[3], 1)))
        return [box for box in boxes if self._geometry.shows(box)]

    def passing(self, indexes: list[int], places: list[float]) -> Iterator[int]:
        """Those of the characters `seen` that stand on another side of one of the places than the one before."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        before: int | None = None
        for index in indexes:
            raw.FPDFText_GetCharBox(self._handle, index, left, right, bottom, top)
            box = self._geometry.box(left.value, bottom.value, right.value, top.value)
            side = sum((box[0] + box[2]) / 2 > place for place in places)
            if before is not None and side != before:
                yield index
            before = side

    def size(self, index: int) -> float:
        """The height of the font in points."""
        matrix = raw.FS_MATRIX()
        scale = 1.0
        if raw.FPDFText_GetMatrix(self._handle, index, matrix):
            scale = math.hypot(matrix.c, matrix.d)
        return round(float(raw.FPDFText_GetFontSize(self._handle, index)) * scale, 1)

    def direction(self, index: int) -> int:
        """By how many degrees, clockwise and in steps of 90, the character is turned on the shown page."""
        return direction_at(self._handle, index, self._geometry)

    def is_stacked(self, first: int, last: int) -> bool:
        """Whether the characters stand upright below each other, as in Japanese."""
        if last <= first or direction_at(self._handle, first, self._geometry):
            return False
        indexes = (index for index in range(first, last + 1) if not self._is_generated(index))
        x, y = self.origin(next(indexes, first))
        size = self.size(first)
        below, count = y, 0
        for index in indexes:  # most lines end at their second character
            across, down = self.origin(index)
            if abs(across - x) >= size or down - below <= (0 if count else _MIN_STACK_STEP * size):
                return False
            below, count = down, count + 1
        return count > 0 and below - y > count * _MIN_STACK_STEP * size

    def _is_generated(self, index: int) -> bool:
        return bool(raw.FPDFText_IsGenerated(self._handle, index) == 1)

    def origin(self, index: int, degrees: int = 0) -> tuple[float, float]:
        """Where the character begins on the shown page, turned clockwise around its corner."""
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(self._handle, index, x, y)
        return turned(self._geometry.box(x.value, y.value, x.value, y.value), degrees)[:2]

    def baseline(self, index: int) -> float:
        """How far below the top of the page the character stands, with the page turned so that it is level."""
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(self._handle, index, x, y)
        return turned(self._geometry.box(x.value, y.value, x.value, y.value), -self.direction(index))[1]

    def is_monospaced(self, index: int) -> bool:
        """Whether all characters of its font are equally wide, as the font itself or its name says."""
        name = ctypes.create_string_buffer(_NAME_BYTES)
        flags = ctypes.c_int()
        raw.FPDFText_GetFontInfo(self._handle, index, name, _NAME_BYTES, flags)
        return bool(flags.value & _FIXED_PITCH or _MONOSPACED.search(name.value))

    def loose_box(self, index: int) -> Box:
        """As wide as the character takes up in its line, and as high as its font."""
        rectangle = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._handle, index, rectangle)
        return self._geometry.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)

    def is_bold(self, index: int) -> bool:
        """Whether the name of the font says so."""
        name = ctypes.create_string_buffer(_NAME_BYTES)
        flags = ctypes.c_int()
        raw.FPDFText_GetFontInfo(self._handle, index, name, _NAME_BYTES, flags)
        return bool(_BOLD.search(name.value))


def direction_at(handle: Any, index: int, geometry: Shown) -> int:
    """By how many degrees, clockwise and in steps of 90, the character is turned on the shown page.

    One that is mirrored counts as not turned.
    """
    matrix = raw.FS_MATRIX()
    if not raw.FPDFText_GetMatrix(handle, index, matrix) or matrix.a * matrix.d < matrix.b * matrix.c:
        return 0
    clockwise = geometry.turned - math.degrees(math.atan2(matrix.b, matrix.a))
    return round(clockwise / 90) * 90 % 360
