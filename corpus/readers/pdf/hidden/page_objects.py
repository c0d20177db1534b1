"""All objects that a page draws, those in nested forms included."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

from corpus.blocks import Box
from corpus.readers.pdf.objects import Matrix, box_of, moved, walk_objects
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.shown import Shown

_MAX_OBJECTS = 1_000_000  # Objects of a page. The file's size and PDFium's limit of nesting are bounds too.


@dataclass(slots=True)
class PageObjects:
    """`texts` and `others` are handles; `pictures` are boxes on the shown page."""

    texts: list[Any] = field(default_factory=list)
    others: list[Any] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)


def page_objects(page: pdfium.PdfPage, geometry: Shown) -> PageObjects:
    """The objects of the page, up to _MAX_OBJECTS."""
    result = PageObjects()
    for item, kind, matrix in walk_objects(page, _MAX_OBJECTS):
        (result.texts if kind == raw.FPDF_PAGEOBJ_TEXT else result.others).append(item)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            result.pictures.append(_box(item, matrix, geometry))
    return result


def _box(item: Any, matrix: Matrix, geometry: Shown) -> Box:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    corners = [(x.value, y.value) for x in (left, right) for y in (bottom, top)]
    return box_of([moved(corner, matrix) for corner in corners], geometry)
