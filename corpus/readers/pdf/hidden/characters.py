"""The characters of a page that should show something: where each stands, and the text object that draws it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from corpus.blocks import Box
from corpus.readers.pdf.pdfium import raw
from corpus.readers.pdf.shown import Shown

Boxes = npt.NDArray[np.float64]
"""One row for each: left, top, right, bottom, in points of the shown page."""

_SHOW_NOTHING = {*range(0x21), 0x7F, 0xA0, 0xAD, 0x3000, 0xFFFE, *range(0x2000, 0x2010)}


@dataclass(slots=True)
class Characters:
    """`indexes` are PDFium's, `objects` the addresses of the objects of `handles`; all in the order of the page.

    `are_letters` tells letters and digits from other signs.
    """

    text: Any
    indexes: list[int]
    codes: list[int]
    objects: list[int]
    boxes: Boxes
    are_letters: npt.NDArray[np.bool_]
    handles: dict[int, Any]

    def runs(self) -> Iterator[tuple[int, int]]:
        """Starts and ends, within the lists, of what one object draws in a row."""
        start = 0
        for place in range(1, len(self.objects) + 1):
            if place == len(self.objects) or self.objects[place] != self.objects[start]:
                yield start, place
                start = place

    def size(self, place: int) -> tuple[float, float]:
        """How wide and high a square of the font's size is drawn there, in points."""
        matrix, index = raw.FS_MATRIX(), self.indexes[place]
        size = abs(float(raw.FPDFText_GetFontSize(self.text, index)))
        if not raw.FPDFText_GetMatrix(self.text, index, matrix):
            return size, size
        return size * math.hypot(matrix.a, matrix.b), size * math.hypot(matrix.c, matrix.d)

    def box(self, start: int, end: int) -> Box:
        """Around some of them."""
        left, top = self.boxes[start:end, :2].min(axis=0).tolist()
        right, bottom = self.boxes[start:end, 2:].max(axis=0).tolist()
        return (left, top, right, bottom)


def characters_of(text: Any, codes: list[int], geometry: Shown) -> Characters:
    """Those of a text page's handle, `codes` being all of its characters; what PDFium adds of its own is no part."""
    indexes, codes_kept, objects = list[int](), list[int](), list[int]()
    handles = dict[int, Any]()
    sides = list[tuple[float, float, float, float]]()
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for index, code in enumerate(codes):
        if code in _SHOW_NOTHING or code > 0x10FFFF:
            continue
        handle = raw.FPDFText_GetTextObject(text, index)
        if address := address_of(handle):
            raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
            indexes.append(index)
            codes_kept.append(code)
            objects.append(address)
            handles[address] = handle
            sides.append((left.value, bottom.value, right.value, top.value))
    boxes = _on_page(np.array(sides).reshape(-1, 4), geometry)
    are_letters = np.fromiter((chr(code).isalnum() for code in codes_kept), np.bool_)
    return Characters(text, indexes, codes_kept, objects, boxes, are_letters, handles)


def address_of(pointer: Any) -> int:
    """The same for two handles of one object."""
    return ctypes.c_void_p.from_buffer(pointer).value or 0  # much faster than a cast


def _on_page(sides: Boxes, geometry: Shown) -> Boxes:
    left, bottom, right, top = sides.T
    return np.array(geometry.box(left, bottom, right, top)).T.copy()
