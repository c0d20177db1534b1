"""Every object that a page draws, those in forms within forms included."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from corpus.blocks import Box
from corpus.readers.pdf.objects import Matrix, box_of, matrix_of, moved, times
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.shown import Shown

_MOST = 1_000_000
"""Objects; the file's own size sets a bound too, and PDFium one to forms in forms."""

_SAME: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(slots=True)
class PageObjects:
    """`texts` and `others` are handles; `pictures` boxes on the shown page."""

    texts: list[Any] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)


def page_objects(page: pdfium.PdfPage, shown: Shown) -> PageObjects:
    """What is beyond the first million is not among them, and pictures there excuse nothing."""
    found = PageObjects()
    waiting = [(raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, page.raw, _SAME)]
    seen = 0
    while waiting:
        count, get, holder, matrix = waiting.pop()
        for index in range(count(holder)):
            seen += 1
            if seen > _MOST:
                return found
            item = get(holder, index)
            kind = raw.FPDFPageObj_GetType(item)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                inner = times(matrix_of(item), matrix)
                waiting.append((raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, item, inner))
                continue
            (found.texts if kind == raw.FPDF_PAGEOBJ_TEXT else found.others).append(item)
            if kind == raw.FPDF_PAGEOBJ_IMAGE:
                found.pictures.append(_box(item, matrix, shown))
    return found


def _box(item: Any, matrix: Matrix, shown: Shown) -> Box:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    corners = [(x.value, y.value) for x in (left, right) for y in (bottom, top)]
    return box_of([moved(corner, matrix) for corner in corners], shown)
