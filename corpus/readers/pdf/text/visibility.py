"""Characters of a page that should be visible: their positions, and the text objects that draw them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import PageGeometry, pdfium, raw
from corpus.readers.pdf.page_pictures import Grey

Boxes = npt.NDArray[np.float64]  # Array of shape (n, 4): left, top, right, bottom, in points on the displayed page.
_SHOW_NOTHING = {*range(0x21), 0x7F, 0xA0, 0xAD, 0x3000, 0xFFFE, *range(0x2000, 0x2010)}


@dataclass(slots=True)
class Characters:
    """Characters of a page. `indexes` are PDFium's character indexes. `objects` are addresses of text objects, which
    are the keys of `handles`. All lists are parallel and in the order of the page. `are_letters` marks letters and
    digits."""

    text: Any
    indexes: list[int]
    codes: list[int]
    objects: list[int]
    boxes: Boxes
    are_letters: npt.NDArray[np.bool_]
    handles: dict[int, Any]

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end position, in the lists, of each run of consecutive characters of one object."""
        start = 0
        for place in range(1, len(self.objects) + 1):
            if place == len(self.objects) or self.objects[place] != self.objects[start]:
                yield start, place
                start = place

    def size(self, place: int) -> tuple[float, float]:
        """Return the width and height in points of a square with the font's size, as drawn at this position."""
        matrix, index = raw.FS_MATRIX(), self.indexes[place]
        size = abs(float(raw.FPDFText_GetFontSize(self.text, index)))
        if not raw.FPDFText_GetMatrix(self.text, index, matrix):
            return size, size
        return size * math.hypot(matrix.a, matrix.b), size * math.hypot(matrix.c, matrix.d)

    def box(self, start: int, end: int) -> Box:
        """Return the box around characters `start` to `end` (exclusive)."""
        left, top = self.boxes[start:end, :2].min(axis=0).tolist()
        right, bottom = self.boxes[start:end, 2:].max(axis=0).tolist()
        return (left, top, right, bottom)


def characters_of(text: Any, codes: list[int], geometry: PageGeometry) -> Characters:
    """Return the characters of the text page `text`. `codes` contains the code of each of its characters. Characters
    that PDFium generates are skipped."""
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
    """Return the identity of the object that a handle points to."""
    return ctypes.c_void_p.from_buffer(pointer).value or 0  # this is much faster than a cast


def _on_page(sides: Boxes, geometry: PageGeometry) -> Boxes:
    left, bottom, right, top = sides.T
    return np.array(geometry.box(left, bottom, right, top)).T.copy()


Marks = npt.NDArray[np.bool_]
_MAX_PIXELS = 2000  # Maximum length in pixels of the longer side of a rendered page.
_FINE_SCALE = 3.0  # Pixels per point; at this scale, strokes of small print are two pixels wide.
_MAX_FAINT_CHANGE = 10.0
"""Maximum mean change, on a scale of 0 to 255, at which a box is suspect; pale print changes more."""

_SAMPLES = (np.arange(6) + 0.5) / 6  # Sample positions along each side of a box in the quick check.
# Minimum difference in one colour channel, on a scale of 0 to 255; less is indistinguishable from the background.
_MIN_CONTRAST = 12
_MIN_FILL = 0.25  # Minimum fraction of a box's rows and columns with ink; a line across the box has less.
_MIN_CORRELATION = 0.5  # Minimum correlation of the text with the drawing below; unrelated pictures are near 0.
_MARGIN = 2.0  # Points added around the boxes, because antialiasing and slanted characters extend beyond them.


def faint_boxes(page: pdfium.PdfPage, handles: Iterable[Any], boxes: Boxes) -> Marks:
    """Return, for each box, whether it hardly changes when the text objects are removed, as an array of shape (n,).
    This quick check may mark too many boxes as suspect. Boxes outside the page are never suspect."""
    scale = min(1.0, _MAX_PIXELS / max(page.get_size()))
    with_text = _grey(page, scale)
    with without_objects(handles):
        without_text = _grey(page, scale)
    left, top, right, bottom = pixels(boxes, scale, with_text.shape).T[:, :, None]
    across = np.minimum(left + ((right - left) * _SAMPLES).astype(np.int64), with_text.shape[1] - 1)
    down = np.minimum(top + ((bottom - top) * _SAMPLES).astype(np.int64), with_text.shape[0] - 1)
    at = (down[:, :, None], across[:, None, :])
    change = np.abs(with_text[at].astype(np.int16) - without_text[at]).mean(axis=(1, 2))
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    on_page = ((middles >= 0) & (middles <= page.get_size())).all(axis=1)
    return np.asarray(on_page & (change < _MAX_FAINT_CHANGE))


class Difference:
    """The part of a page around some boxes, rendered in colour and enlarged, once with the text objects and once
    without them."""

    def __init__(self, page: pdfium.PdfPage, handles: Iterable[Any], boxes: Boxes) -> None:
        width, height = page.get_size()
        left, top = (max(0.0, float(side)) for side in boxes[:, :2].min(axis=0) - _MARGIN)
        right, bottom = (float(side) for side in boxes[:, 2:].max(axis=0) + _MARGIN)
        self._crop = (left, max(0.0, height - bottom), max(0.0, width - right), top)
        self._page, self._left, self._top = page, left, top
        self._scale = min(_FINE_SCALE, _MAX_PIXELS / max(width, height))
        with_text = self._picture()
        with without_objects(handles):
            self._bare = self._picture()
        self._change = np.abs(with_text - self._bare).max(axis=2)
        self._alone: npt.NDArray[np.int16] | None = None

    def shows(self, box: Box) -> bool:
        """Return whether the text fills the box, as a character does."""
        return _fills(self._part(self._change, box) >= _MIN_CONTRAST)

    def has_ink(self, box: Box) -> bool:
        """Return whether something other than the text fills the box, such as characters in the picture of a scan."""
        return _fills(_ink(self._part(self._bare, box)))

    def is_redrawn(self, box: Box, texts: list[Any], others: list[Any]) -> bool:
        """Return whether `others`, all objects except text, draw the shape of the text, as they do for text with an
        effect."""
        if self._alone is None:
            with without_objects(others), in_black(texts):
                self._alone = self._picture()
        alone, bare = (self._part(each, box).mean(axis=2).ravel() for each in (self._alone, self._bare))
        if not alone.size or not np.ptp(alone) or not np.ptp(bare):
            return False
        return bool(abs(np.corrcoef(alone, bare)[0, 1]) >= _MIN_CORRELATION)

    def _picture(self) -> npt.NDArray[np.int16]:
        picture = self._page.render(scale=self._scale, crop=self._crop).to_numpy()[:, :, :3]
        return cast(npt.NDArray[np.int16], picture.astype(np.int16))

    def _part(self, picture: npt.NDArray[np.int16], box: Box) -> npt.NDArray[np.int16]:
        offset_box = np.array([box]) - (self._left, self._top, self._left, self._top)
        left, top, right, bottom = pixels(offset_box, self._scale, picture.shape)[0]
        return picture[top:bottom, left:right]


def _ink(part: npt.NDArray[np.int16]) -> Marks:
    """Return which pixels differ from the most common colour."""
    if not part.size:
        return np.zeros((0, 0), dtype=np.bool_)
    common = np.median(part.reshape(-1, part.shape[2]), axis=0)
    return np.asarray(np.abs(part - common).max(axis=2) >= 2 * _MIN_CONTRAST)


def _fills(marks: Marks) -> bool:
    if not marks.size:
        return False
    return bool(marks.any(axis=1).mean() > _MIN_FILL and marks.any(axis=0).mean() > _MIN_FILL)


@contextmanager
def without_objects(handles: Iterable[Any]) -> Iterator[None]:
    """Suppress drawing of the objects within the context."""
    hidden_handles = list(handles)
    for handle in hidden_handles:
        raw.FPDFPageObj_SetIsActive(handle, False)
    try:
        yield
    finally:
        for handle in hidden_handles:
            raw.FPDFPageObj_SetIsActive(handle, True)


@contextmanager
def in_black(handles: Iterable[Any]) -> Iterator[None]:
    """Fill the text objects with black within the context. The effect is exact for plain colours."""
    originals = [(handle, raw.FPDFTextObj_GetTextRenderMode(handle), _fill(handle)) for handle in handles]
    for handle, _, _ in originals:
        raw.FPDFTextObj_SetTextRenderMode(handle, raw.FPDF_TEXTRENDERMODE_FILL)
        raw.FPDFPageObj_SetFillColor(handle, 0, 0, 0, 255)
    try:
        yield
    finally:
        for handle, mode, fill in originals:
            raw.FPDFTextObj_SetTextRenderMode(handle, mode)
            raw.FPDFPageObj_SetFillColor(handle, *fill)


def _fill(handle: Any) -> tuple[int, int, int, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    raw.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha)
    return (red.value, green.value, blue.value, alpha.value)


def pixels(boxes: Boxes, scale: float, shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return the pixels that the boxes touch, as an array of shape (n, 4) with exclusive ends, within a picture of
    `shape`."""
    most = np.array([shape[1], shape[0]] * 2)
    edges_in_pixels = boxes * scale
    edges = np.concatenate([np.floor(edges_in_pixels[:, :2]), np.ceil(edges_in_pixels[:, 2:])], axis=1)
    edges[:, 2:] = np.maximum(edges[:, 2:], edges[:, :2] + 1)
    return np.asarray(np.clip(np.nan_to_num(edges), 0, most).astype(np.int64))


def _grey(page: pdfium.PdfPage, scale: float) -> Grey:
    grey = page.render(scale=scale, grayscale=True).to_numpy()
    return cast(Grey, grey.reshape(grey.shape[:2]))
