"""Read one page: its lines, figures, tables and omissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from corpus.documents.block import Box
from corpus.documents.line_boxes import width_of
from corpus.readers.ocr.line_assembly import Frame
from corpus.readers.pdf.annotations import PageAnnotations, page_with_annotations, with_comments, with_values
from corpus.readers.pdf.caption_lines import Caption
from corpus.readers.pdf.floats import floats_of
from corpus.readers.pdf.page_figures import Figure
from corpus.readers.pdf.page_geometry import PageGeometry, page_geometry, pdfium, raw, rotate_box
from corpus.readers.pdf.page_objects import objects_of, page_objects
from corpus.readers.pdf.page_pictures import Grey, true_runs
from corpus.readers.pdf.rules import rules_of
from corpus.readers.pdf.tables.detection import Table
from corpus.readers.pdf.text.glyphs import direction_at
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.listings import with_listings
from corpus.readers.pdf.text.page_text import PageCharacters
from corpus.readers.pdf.text.reading_order import in_reading_order
from corpus.readers.pdf.text.visibility import Marks, pixels, without_objects

_MIN_CHARS = 20  # Minimum number of characters on a page with text; fewer next to a picture are its page number.
_MAX_STAMP_CHARS = 600  # Maximum number of characters stamped on a scan; fax headers and download footers have fewer.
_MIN_COVERED = 0.5  # Minimum fraction of the page that a scan covers; it may have broad margins or show half a spread.
_MAX_PIXELS = 1000  # Maximum longer side of the rendered page in pixels; text lines are still separate at this size.
_MIN_PAPER = 0.5
"""Minimum fraction of pixels about as light as the lightest ones: 0.7 to 0.95 for scanned text, below 0.4 for
photographs."""

_MIN_CONTRAST = 60  # Minimum difference between paper and ink, on a scale of 0 to 255.
# Minimum and maximum fraction of dark pixels in a row across characters; rules have more, specks fewer.
_SHARE = (0.02, 0.7)
_LINE_POINTS = (3.0, 40.0)  # Minimum and maximum height of the characters of a line, in points.
_MIN_BANDS = 3  # Minimum number of text lines in the picture, not counting the page's own text.
_MIN_INK = 0.02  # Minimum fraction of a line's box that is ink if the picture also shows the line's words.
_EDGE_ZONE = 0.1
"""Fraction of the page at each edge that may contain stamps and footers. Titles on a picture are farther from the
edges."""

_MIN_WHOLE = 0.8  # Minimum page fraction that a stamped scan covers: a footer takes a tenth, and scans have margins.
_MAX_COLUMN_INK = 0.5
"""Maximum fraction of dark pixels in a pixel column. A column with more is the edge of a copy or the gutter of a book;
text darkens only a tenth."""


def is_scan(page: pdfium.PdfPage, geometry: PageGeometry, lines: Sequence[Line]) -> bool:
    """Return whether the page is a picture of text, without any other text except a stamp. A text layer that OCR put
    over a scan counts as text."""
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
        return is_stamped  # a photograph; a stamp does not make it a page of text
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
    """Return the fraction of the page that pictures cover. Overlaps count twice, which does no harm."""
    width, height = size
    area = sum(
        max(0.0, min(right, width) - max(left, 0.0)) * max(0.0, min(bottom, height) - max(top, 0.0))
        for left, top, right, bottom in pictures
    )
    return area / (width * height)


def _bands(ink: Marks, scale: float) -> int:
    """Return the number of horizontal bands of ink that are as high as characters."""
    share = ink.mean(axis=1)
    dark = (share > _SHARE[0]) & (share < _SHARE[1])
    low, high = _LINE_POINTS
    return sum(low <= (end - start) / scale <= high for start, end in true_runs(dark))


_SAMPLES = (40, 200)
"""Numbers of characters sampled to find the direction of a page. If the first sample has several directions, the larger
sample decides."""


@contextmanager
def upright_page(page: pdfium.PdfPage) -> Iterator[int]:
    """Rotate the page so that most characters are upright, and rotate it back on exit. Yields the clockwise rotation of
    its text in degrees."""
    before = page.get_rotation()
    direction = _main_direction(page, page_geometry(page))
    if direction:
        page.set_rotation((before - direction) % 360)
    try:
        yield direction
    finally:
        if direction:
            page.set_rotation(before)


def _main_direction(page: pdfium.PdfPage, geometry: PageGeometry) -> int:
    text = page.get_textpage()
    try:
        count = max(0, raw.FPDFText_CountChars(text.raw))
        directions = Counter[int]()
        for samples in _SAMPLES:
            indexes = range(0, count, max(1, count // samples))
            directions = Counter(
                direction_at(text.raw, index, geometry)
                for index in indexes
                if raw.FPDFText_GetUnicode(text.raw, index) > 0x20 and raw.FPDFText_IsGenerated(text.raw, index) != 1
            )
            if len(directions) == 1:
                break
        direction, most = max(directions.items(), key=lambda each: each[1], default=(0, 0))
        return direction if 2 * most > directions.total() else 0
    finally:
        text.close()


class PageRotation:
    """Transforms the content of an upright page of `size` (points) to the displayed page, on which its text runs in
    `direction`."""

    def __init__(self, direction: int, size: tuple[float, float]) -> None:
        self._direction, self._size = direction, size

    def line(self, line: Line) -> Line:
        """Return the line on the displayed page. Among rotated lines, only upside-down ones get new pieces, which
        indicate their direction."""
        box = self.box(line.box)
        direction = (line.direction + self._direction) % 360
        if direction == 0:
            pieces = tuple((start, self.box(piece)) for start, piece in line.pieces)
        else:
            pieces = _halves(line.text.strip(), box) if direction == 180 else ()
        return replace(line, box=box, direction=direction, pieces=pieces)

    def figure(self, figure: Figure) -> Figure:
        """Return the figure on the displayed page."""
        return replace(figure, caption=self._caption(figure.caption), box=self.box(figure.box))

    def table(self, table: Table) -> Table:
        """Return the table on the displayed page."""
        grid = table.grid
        if grid:
            cells = (replace(cell, boxes=tuple(map(self.box, cell.boxes))) for cell in grid.cells)
            grid = replace(grid, box=self.box(grid.box), cells=tuple(cells))
        return replace(table, caption=self._caption(table.caption), box=self.box(table.box), grid=grid)

    def box(self, box: Box) -> Box:
        """Return the box on the displayed page."""
        return rotate_box(box, self._direction, self._size)

    def _caption(self, caption: Caption | None) -> Caption | None:
        return caption and replace(caption, box=self.box(caption.box))


def _halves(text: str, box: Box) -> tuple[tuple[int, Box], ...]:
    """Return the two halves of an upside-down line as pieces. The second is to the left of the first, which indicates
    the direction."""
    middle = text.find(" ", len(text) // 2) + 1
    if not middle or not (whole := sum(map(width_of, text))):
        return ()
    at = box[2] - (box[2] - box[0]) * sum(map(width_of, text[:middle])) / whole
    return ((0, (at, box[1], box[2], box[3])), (middle, (box[0], box[1], at, box[3])))


@dataclass(slots=True)
class Page:
    """The content of a page. `hidden` counts omitted hidden characters. `is_picture` is true if the page is a picture
    of text, such as a scan, without any other text.

    `nonsense` counts omitted characters whose fonts map them to characters other than those they draw; `gaps` counts
    unidentified characters in words.
    """

    number: int
    lines: list[Line] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    size: tuple[float, float] = (0.0, 0.0)
    hidden: int = 0
    left_out: Counter[str] = field(default_factory=Counter)  # Other omissions, keyed by kind in the singular.
    is_picture: bool = False
    nonsense: int = 0
    gaps: int = 0
    is_damaged: bool = False
    is_filled: bool = False  # Whether OCR has run for the unidentified characters.
    given_up: str = ""  # Reason why OCR gave up, if it did.
    frame: Frame | None = None
    """Orientation of the page if OCR recognised its lines; `size` and all boxes are those of the upright page."""

    words: dict[Box, str] = field(default_factory=dict)
    """Words that OCR found in figures, keyed by the figure's box, if OCR read the page as a whole."""

    @property
    def lacks_text(self) -> bool:
        """Whether the page shows text that the file does not contain as text."""
        return self.is_picture or bool(self.nonsense or self.gaps)

    @property
    def is_unread(self) -> bool:
        """Whether the page lacks text and OCR has not run on it."""
        return self.lacks_text and not (self.frame or self.is_filled or self.given_up)


def read_page(document: pdfium.PdfDocument, number: int) -> Page:
    """Read page `number` (1-based). A damaged page is returned empty with `is_damaged` set."""
    try:
        page, marks = page_with_annotations(document, number)
    except pdfium.PdfiumError:
        return Page(number, is_damaged=True)
    try:
        with upright_page(page) as direction:
            result = _read_page(page, number, marks)
        return _on_shown_page(result, direction) if direction else result
    except pdfium.PdfiumError:
        return Page(number, is_damaged=True)
    finally:
        page.close()


def _read_page(page: pdfium.PdfPage, number: int, marks: PageAnnotations) -> Page:
    geometry = page_geometry(page)
    objects = list(objects_of(page))
    rules = rules_of(objects, geometry)
    text = PageCharacters(page, geometry, marks, rules)
    try:
        lines = in_reading_order(with_values(list(text.lines()), text.fields), geometry.size)
        body_lines = with_listings(lines)
        lines = with_comments(body_lines, marks.comments, geometry)
        figures, tables = floats_of(page, text, geometry, lines, objects, rules)
        return Page(
            number,
            lines,
            figures,
            tables,
            geometry.size,
            text.hidden,
            marks.left_out + Counter({"line number": text.line_numbers, "struck passage": text.struck}),
            is_picture=is_scan(page, geometry, body_lines),
            nonsense=text.unmapped.nonsense,
            gaps=text.unmapped.gaps,
        )
    finally:
        text.close()


def _on_shown_page(page: Page, direction: int) -> Page:
    """Return the page with the content of the upright page moved to its positions on the displayed page."""
    there = PageRotation(direction, page.size)
    width, height = page.size
    return replace(
        page,
        lines=list(map(there.line, page.lines)),
        figures=list(map(there.figure, page.figures)),
        tables=list(map(there.table, page.tables)),
        size=(height, width) if direction in (90, 270) else page.size,
    )
