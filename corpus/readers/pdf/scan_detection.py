"""Pages that are scans, told by what their pictures show and not by how little text stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from corpus.documents.block import Box
from corpus.readers.pdf.graphics.ink import Grey, true_runs
from corpus.readers.pdf.hidden.difference import Marks, pixels, without_objects
from corpus.readers.pdf.page_geometry import PageGeometry
from corpus.readers.pdf.page_objects import page_objects
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.text.lines import Line

_MIN_CHARS = 20  # Fewer characters beside a picture are its page number.
_MAX_STAMP_CHARS = 600  # A stamp, a fax header and a download footer together have fewer characters.
_MIN_COVERED = 0.5  # Share of the page: a scan may leave broad margins, or show one page of two.
_MAX_PIXELS = 1000  # Pixels of the longer side; lines of text stay apart at this size.
_MIN_PAPER = 0.5
"""Share of pixels about as light as the lightest: 0.7 to 0.95 for scanned text, below 0.4 for photographs."""

_MIN_CONTRAST = 60  # Grey levels of 255 by which ink is darker than paper.
_SHARE = (0.02, 0.7)  # Share of dark pixels in a row that crosses characters; rules have more, specks less.
_LINE_POINTS = (3.0, 40.0)  # Height of the characters of a line, in points.
_MIN_BANDS = 3  # Lines of text in the picture, outside the page's own text.
_MIN_INK = 0.02  # Share of ink in the box of a line whose words the picture shows too.
_EDGE_ZONE = 0.1
"""Share of the page at each side: stamps and footers stand there, titles on a picture do not."""

_MIN_WHOLE = 0.8  # Share of the page: a picture with a footer below leaves a tenth, and a scan margins.
_MAX_COLUMN_INK = 0.5
"""Share of dark pixels in a column: the edge of a copy, or the gutter of a book; text darkens a tenth."""


def is_scan(page: pdfium.PdfPage, geometry: PageGeometry, lines: Sequence[Line]) -> bool:
    """Whether the page is a picture of text, with no text of its own or no more than a stamp. A text layer that
    recognition laid over a scan counts as text."""
    characters = sum(len(line.text) for line in lines)
    if characters >= _MAX_STAMP_CHARS or not any(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
        return False
    if characters < _MIN_CHARS:
        return True
    objects = page_objects(page, geometry)
    covered_area = _covered_share(objects.pictures, geometry.size)
    if covered_area < _MIN_COVERED:
        return False
    is_stamped = covered_area >= _MIN_WHOLE and all(_is_at_the_edge(line.box, geometry.size) for line in lines)
    scale = min(1.0, _MAX_PIXELS / max(geometry.size))
    with without_objects(objects.texts):
        picture = page.render(scale=scale, grayscale=True).to_numpy()
    grey = cast(Grey, picture.reshape(picture.shape[:2]))
    paper = int(np.percentile(grey, 90))
    if (grey > paper - _MIN_CONTRAST / 2).mean() < _MIN_PAPER:
        return is_stamped  # a photograph; a stamp alone does not make it a page of text
    ink = grey < paper - _MIN_CONTRAST
    ink[:, ink.mean(axis=0) > _MAX_COLUMN_INK] = False
    places = pixels(np.array([line.box for line in lines]), scale, ink.shape).tolist()
    laid_over = 0
    for line, (left, top, right, bottom) in zip(lines, places, strict=True):
        laid_over += len(line.text) if ink[top:bottom, left:right].mean() > _MIN_INK else 0
        ink[top:bottom, left:right] = False
    return 2 * laid_over < characters and _bands(ink, scale) >= (1 if is_stamped else _MIN_BANDS)


def _is_at_the_edge(box: Box, size: tuple[float, float]) -> bool:
    (left, top, right, bottom), (width, height) = box, size
    across, down = _EDGE_ZONE * width, _EDGE_ZONE * height
    return bottom < down or top > height - down or right < across or left > width - across


def _covered_share(pictures: Sequence[Box], size: tuple[float, float]) -> float:
    """Share of the page that pictures cover; overlaps count twice, which does no harm."""
    width, height = size
    area = sum(
        max(0.0, min(right, width) - max(left, 0.0)) * max(0.0, min(bottom, height) - max(top, 0.0))
        for left, top, right, bottom in pictures
    )
    return area / (width * height)


def _bands(ink: Marks, scale: float) -> int:
    """Number of horizontal bands of ink as high as characters."""
    share = ink.mean(axis=1)
    dark = (share > _SHARE[0]) & (share < _SHARE[1])
    low, high = _LINE_POINTS
    return sum(low <= (end - start) / scale <= high for start, end in true_runs(dark))
