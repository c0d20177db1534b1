"""Individual characters of a page: position, size, direction and weight."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from typing import Any

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, raw, rotate_box

_BOLD = re.compile(rb"bold|black|heavy|semibold|demi|medi\b|-bd|cmbx|sfbx|ecbx", re.IGNORECASE)
_MONOSPACED = re.compile(
    rb"courier|mono|consol|menlo|typewriter|cmtt|sftt|ectt|lmtt|inconsolata|source.?code|fira.?code|letter.?gothic|terminal",
    re.IGNORECASE,
)
_FIXED_PITCH = 1
"""Flag of a font descriptor for a fixed-pitch font (ISO 32000-1, table 123)."""

_NAME_BYTES = 128  # Buffer size for a name: PDF allows 127 bytes (ISO 32000-1, annex C), and a NUL ends it.
_MIN_STACK_STEP = 0.5
"""Minimum step, in font heights, between characters of a vertical line. Half the height of a character is more than the
shift of any superscript or subscript."""


class Glyphs:
    """The characters of PDFium's text page `handle`, addressed by index. Boxes are on the displayed page, in points."""

    def __init__(self, handle: Any, geometry: PageGeometry) -> None:
        self._handle = handle
        self._geometry = geometry

    def boxes(self, start: int, end: int) -> list[Box]:
        """Return the boxes of the runs within characters `start` to `end` (exclusive) that are on the page."""
        left, top, right, bottom = (ctypes.c_double() for _ in range(4))
        boxes = []
        for index in range(raw.FPDFText_CountRects(self._handle, start, end - start)):
            raw.FPDFText_GetRect(self._handle, index, left, top, right, bottom)
            box = self._geometry.box(left.value, bottom.value, right.value, top.value)
            boxes.append((round(box[0], 1), round(box[1], 1), round(box[2], 1), round(box[3], 1)))
        return [box for box in boxes if self._geometry.shows(box)]

    def column_breaks(self, indexes: list[int], places: list[float]) -> Iterator[int]:
        """Yield each character that is separated from the previous one by one of the x positions `places`."""
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
        """Return the height of the font in points."""
        matrix = raw.FS_MATRIX()
        scale = 1.0
        if raw.FPDFText_GetMatrix(self._handle, index, matrix):
            scale = math.hypot(matrix.c, matrix.d)
        return round(float(raw.FPDFText_GetFontSize(self._handle, index)) * scale, 1)

    def direction(self, index: int) -> int:
        """Return the clockwise rotation of the character on the displayed page, as a multiple of 90 degrees."""
        return direction_at(self._handle, index, self._geometry)

    def is_stacked(self, first: int, last: int) -> bool:
        """Return whether the characters from `first` to `last` are upright and below each other, as in vertical
        Japanese."""
        if last <= first or direction_at(self._handle, first, self._geometry):
            return False
        indexes = (index for index in range(first, last + 1) if not self._is_generated(index))
        x, y = self.origin(next(indexes, first))
        size = self.size(first)
        below, count = y, 0
        for index in indexes:  # for most lines, the second character is decisive
            across, down = self.origin(index)
            if abs(across - x) >= size or down - below <= (0 if count else _MIN_STACK_STEP * size):
                return False
            below, count = down, count + 1
        return count > 0

    def _is_generated(self, index: int) -> bool:
        return bool(raw.FPDFText_IsGenerated(self._handle, index) == 1)

    def origin(self, index: int, degrees: int = 0) -> tuple[float, float]:
        """Return the origin of the character on the displayed page, rotated clockwise around the page's corner."""
        place = origin_of(self._handle, index)
        return rotate_box(self._geometry.box(*place, *place), degrees)[:2]

    def baseline(self, index: int) -> float:
        """Return the distance of the baseline from the top of the page, after the page is rotated so that the character
        is horizontal."""
        return self.origin(index, -self.direction(index))[1]

    def is_monospaced(self, index: int) -> bool:
        """Return whether the font declares, by flag or name, that all its characters have one width."""
        name, flags = font_of(self._handle, index)
        return bool(flags & _FIXED_PITCH or _MONOSPACED.search(name))

    def loose_box(self, index: int) -> Box:
        """Return a box as wide as the character's advance and as high as its font."""
        rectangle = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._handle, index, rectangle)
        return self._geometry.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)

    def is_bold(self, index: int) -> bool:
        """Return whether the font's name declares it bold."""
        return bool(_BOLD.search(font_of(self._handle, index)[0]))


def font_of(handle: Any, index: int) -> tuple[bytes, int]:
    """Return the name of a character's font, and the font's flags (ISO 32000-1, table 123)."""
    name, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()
    raw.FPDFText_GetFontInfo(handle, index, name, _NAME_BYTES, flags)
    return name.value, flags.value


def origin_of(handle: Any, index: int) -> tuple[float, float]:
    """Return the origin of a character in PDF coordinates."""
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(handle, index, x, y)
    return x.value, y.value


def direction_at(handle: Any, index: int, geometry: PageGeometry) -> int:
    """Return the clockwise rotation of the character on the displayed page, as a multiple of 90 degrees. Mirrored
    characters count as not rotated."""
    matrix = raw.FS_MATRIX()
    if not raw.FPDFText_GetMatrix(handle, index, matrix) or matrix.a * matrix.d < matrix.b * matrix.c:
        return 0
    clockwise = geometry.turned - math.degrees(math.atan2(matrix.b, matrix.a))
    return round(clockwise / 90) * 90 % 360
