"""Text that no reader would see: invisible by mode, of the colour of its background, or tiny.

The text layer of a scan is invisible too, but lies over the picture of its words, and stays.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from corpus.readers.pdf.ink import Grey
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.shown import Shown

_INVISIBLE = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_PALE = 160
"""Grey level from which a text may be lost on its background; a look at the page decides."""

_CONTRAST = 12
_TINY = 1.0
_DEEPEST = 5
_MOST_OBJECTS = 50_000
_MOST_PIXELS = 2000


@dataclass(slots=True)
class _Found:
    """Addresses of text objects by what is suspicious of them, and the boxes of images, in PDF coordinates."""

    invisible: set[int] = field(default_factory=set)
    pale: set[int] = field(default_factory=set)
    tiny: set[int] = field(default_factory=set)
    images: list[tuple[float, float, float, float]] = field(default_factory=list)

    @property
    def suspects(self) -> set[int]:
        return self.invisible | self.pale | self.tiny


def hidden_characters(page: pdfium.PdfPage, text: Any, count: int, shown: Shown) -> list[int]:
    """The indexes of hidden characters among the first `count` of a text page's handle."""
    found = _Found()
    for item, kind in _objects(page):
        _note(item, kind, found)
    suspects = found.suspects
    if not suspects:
        return []
    of_object: dict[int, list[int]] = {}
    for index in range(count):
        address = _address(raw.FPDFText_GetTextObject(text, index))
        if address in suspects:
            of_object.setdefault(address, []).append(index)
    look = _Look(page, text, shown)
    return [
        index for address, run in of_object.items() if _is_hidden(address, run, found, look) for index in run
    ]


class _Look:
    """Boxes of characters, and how the page looks there; it is rendered at the first question."""

    def __init__(self, page: pdfium.PdfPage, text: Any, shown: Shown) -> None:
        self._page, self._text, self._shown = page, text, shown
        self._grey: Grey | None = None
        self._scale = min(2.0, _MOST_PIXELS / max(page.get_size()))

    def box(self, run: list[int]) -> tuple[float, float, float, float]:
        """Around the characters, in PDF coordinates: left, bottom, right, top."""
        boxes = [self._box(index) for index in run]
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        return (min(lefts), min(bottoms), max(rights), max(tops))

    def contrast(self, run: list[int]) -> int:
        """The range of grey where the characters stand."""
        if self._grey is None:
            grey = self._page.render(scale=self._scale, grayscale=True).to_numpy()
            self._grey = cast(Grey, grey.reshape(grey.shape[:2]))
        left, top, right, bottom = (round(side * self._scale) for side in self._shown.box(*self.box(run)))
        part = self._grey[max(0, top) : bottom + 1, max(0, left) : right + 1]
        return int(np.ptp(part)) if part.size else 0

    def _box(self, index: int) -> tuple[float, float, float, float]:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        raw.FPDFText_GetCharBox(self._text, index, left, right, bottom, top)
        return (left.value, bottom.value, right.value, top.value)


def _is_hidden(address: int, run: list[int], found: _Found, look: _Look) -> bool:
    if address in found.invisible:
        return not any(_overlap(look.box(run), image) for image in found.images)
    if address in found.tiny:
        left, bottom, right, top = look.box(run)
        # Measured on the page, for the object may stand in a form that enlarges it.
        return min(top - bottom, right - left) < _TINY
    return look.contrast(run) < _CONTRAST


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[Any, int]]:
    """Text objects and images of the page and its forms, with their kinds."""
    waiting = [(raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, page.raw, 0)]
    seen = 0
    while waiting:
        count, get, holder, depth = waiting.pop()
        for index in range(count(holder)):
            item = get(holder, index)
            kind = raw.FPDFPageObj_GetType(item)
            seen += 1
            if seen > _MOST_OBJECTS:
                return
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEEPEST:
                waiting.append((raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, item, depth + 1))
            elif kind in (raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_IMAGE):
                yield item, kind


def _note(item: Any, kind: int, found: _Found) -> None:
    if kind == raw.FPDF_PAGEOBJ_IMAGE:
        found.images.append(_bounds(item))
        return
    address = _address(item)
    if raw.FPDFTextObj_GetTextRenderMode(item) in _INVISIBLE:
        found.invisible.add(address)
    elif _is_pale(item):
        found.pale.add(address)
    elif _height(item) < _TINY:
        found.tiny.add(address)


def _is_pale(item: Any) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
        return False
    grey = 0.299 * red.value + 0.587 * green.value + 0.114 * blue.value
    return grey > _PALE or alpha.value < 0x20


def _height(item: Any) -> float:
    size, matrix = ctypes.c_float(), raw.FS_MATRIX()
    if not raw.FPDFTextObj_GetFontSize(item, size) or not raw.FPDFPageObj_GetMatrix(item, matrix):
        return _TINY
    return abs(size.value) * math.hypot(matrix.c, matrix.d)


def _bounds(item: Any) -> tuple[float, float, float, float]:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    return (left.value, bottom.value, right.value, top.value)


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _address(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0
