"""Characters of a page that should be visible: their places, and the text objects that draw them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry
from corpus.readers.pdf.pdfium import raw

Boxes = npt.NDArray[np.float64]  # Shape n x 4: left, top, right, bottom, in points of the shown page.
_SHOW_NOTHING = {*range(0x21), 0x7F, 0xA0, 0xAD, 0x3000, 0xFFFE, *range(0x2000, 0x2010)}


@dataclass(slots=True)
class Characters:
    """`indexes` are PDFium's character indexes; `objects` are addresses of text objects, keys of `handles`. All
    lists are parallel, in the order of the page. `are_letters` marks letters and digits."""

    text: Any
    indexes: list[int]
    codes: list[int]
    objects: list[int]
    boxes: Boxes
    are_letters: npt.NDArray[np.bool_]
    handles: dict[int, Any]

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield start and end (positions in the lists) of consecutive characters of one object."""
        start = 0
        for place in range(1, len(self.objects) + 1):
            if place == len(self.objects) or self.objects[place] != self.objects[start]:
                yield start, place
                start = place

    def size(self, place: int) -> tuple[float, float]:
        """Width and height in points of a square of the font's size, as drawn at this position."""
        matrix, index = raw.FS_MATRIX(), self.indexes[place]
        size = abs(float(raw.FPDFText_GetFontSize(self.text, index)))
        if not raw.FPDFText_GetMatrix(self.text, index, matrix):
            return size, size
        return size * math.hypot(matrix.a, matrix.b), size * math.hypot(matrix.c, matrix.d)

    def box(self, start: int, end: int) -> Box:
        """The box around characters `start` to `end` (exclusive)."""
        left, top = self.boxes[start:end, :2].min(axis=0).tolist()
        right, bottom = self.boxes[start:end, 2:].max(axis=0).tolist()
        return (left, top, right, bottom)


def characters_of(text: Any, codes: list[int], geometry: PageGeometry) -> Characters:
    """The characters of the text page `text`. `codes` holds the code of each of its characters; those that PDFium
    generates are skipped."""
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
    """Identity of the object behind a handle."""
    return ctypes.c_void_p.from_buffer(pointer).value or 0  # much faster than a cast


def _on_page(sides: Boxes, geometry: PageGeometry) -> Boxes:
    left, bottom, right, top = sides.T
    return np.array(geometry.box(left, bottom, right, top)).T.copy()
