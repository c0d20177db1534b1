"""How a text object paints: whether at all, and whether its font can be drawn here."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from corpus.readers.pdf.hidden.characters import Characters
from corpus.readers.pdf.hidden.difference import Marks
from corpus.readers.pdf.pdfium import raw

_UNPAINTED = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_FILL_MODES = (raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_FILL_CLIP)
_MIN_ALPHA = 0x10  # Of 255; fainter text is as good as transparent.
_FIRST_BEYOND_LATIN = 0x250  # Code points below are Latin, for which PDFium has substitute fonts.


def draws_nothing(characters: Characters) -> Marks:
    """Which characters belong to objects that paint nothing, shape n. Other text may be visible in their place."""
    addresses = {address for address, handle in characters.handles.items() if _is_unpainted(handle)}
    return np.fromiter((address in addresses for address in characters.objects), np.bool_)


def is_drawable(characters: Characters, place: int) -> bool:
    """Whether PDFium can draw the character. For fonts that are not embedded it has Latin glyphs only."""
    handle = characters.handles[characters.objects[place]]
    if characters.codes[place] < _FIRST_BEYOND_LATIN or _is_unpainted(handle):
        return True
    return bool(raw.FPDFFont_GetIsEmbedded(raw.FPDFTextObj_GetFont(handle)) == 1)


def _is_unpainted(handle: Any) -> bool:
    mode = raw.FPDFTextObj_GetTextRenderMode(handle)
    if mode in _UNPAINTED:
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if mode not in _FILL_MODES or not raw.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha):
        return False
    return alpha.value < _MIN_ALPHA
