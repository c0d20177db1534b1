"""One page read: its lines, figures, tables and losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from corpus.documents.block import Box
from corpus.documents.line_boxes import width_of
from corpus.readers.ocr.rotation import Frame
from corpus.readers.pdf.annotation_lines import with_comments, with_values
from corpus.readers.pdf.annotations import Marks, page_with_annotations
from corpus.readers.pdf.graphics.captions import Caption
from corpus.readers.pdf.graphics.figures import Figure
from corpus.readers.pdf.graphics.floats import floats_of
from corpus.readers.pdf.page_geometry import PageGeometry, page_geometry, rotate_box
from corpus.readers.pdf.page_objects import objects_of
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.rules import rules_of
from corpus.readers.pdf.scan_detection import is_scan
from corpus.readers.pdf.tables.page_tables import Table
from corpus.readers.pdf.text.glyphs import direction_at
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.listings import with_listings
from corpus.readers.pdf.text.page_text import PageCharacters
from corpus.readers.pdf.text.reading_order import in_reading_order

_SAMPLES = (40, 200)
"""Characters that are sampled: a page is rotated as a whole. If the first sample has several directions, the larger
one decides."""


@contextmanager
def upright_page(page: pdfium.PdfPage) -> Iterator[int]:
    """Rotate the page so that most characters stand upright, and back at the end. Yields the clockwise rotation of
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
    """Transforms content of an upright page of `size` (points) to the page as shown, on which it runs in
    `direction`."""

    def __init__(self, direction: int, size: tuple[float, float]) -> None:
        self._direction, self._size = direction, size

    def line(self, line: Line) -> Line:
        """The line on the shown page. Only upside-down lines get new pieces, which tell their direction."""
        box = self.box(line.box)
        direction = (line.direction + self._direction) % 360
        if direction == 0:
            pieces = tuple((start, self.box(piece)) for start, piece in line.pieces)
        else:
            pieces = _halves(line.text.strip(), box) if direction == 180 else ()
        return replace(line, box=box, direction=direction, pieces=pieces)

    def figure(self, figure: Figure) -> Figure:
        """The figure on the shown page."""
        return replace(figure, caption=self._caption(figure.caption), box=self.box(figure.box))

    def table(self, table: Table) -> Table:
        """The table on the shown page."""
        grid = table.grid
        if grid:
            cells = (replace(cell, boxes=tuple(map(self.box, cell.boxes))) for cell in grid.cells)
            grid = replace(grid, box=self.box(grid.box), cells=tuple(cells))
        return replace(table, caption=self._caption(table.caption), box=self.box(table.box), grid=grid)

    def box(self, box: Box) -> Box:
        """The box on the shown page."""
        return rotate_box(box, self._direction, self._size)

    def _caption(self, caption: Caption | None) -> Caption | None:
        return caption and replace(caption, box=self.box(caption.box))


def _halves(text: str, box: Box) -> tuple[tuple[int, Box], ...]:
    """Two pieces of an upside-down line; that the second stands left tells its direction."""
    middle = text.find(" ", len(text) // 2) + 1
    if not middle or not (whole := sum(map(width_of, text))):
        return ()
    at = box[2] - (box[2] - box[0]) * sum(map(width_of, text[:middle])) / whole
    return ((0, (at, box[1], box[2], box[3])), (middle, (box[0], box[1], at, box[3])))


@dataclass(slots=True)
class Page:
    """`hidden` counts characters left out. `is_picture`: a picture of text, such as a scan, without text of its own.

    `nonsense` counts characters left out because their fonts name others than they draw, `gaps` unnamed characters
    of words.
    """

    number: int
    lines: list[Line] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    size: tuple[float, float] = (0.0, 0.0)
    hidden: int = 0
    left_out: Counter[str] = field(default_factory=Counter)  # Other losses by kind, in the singular.
    is_picture: bool = False
    nonsense: int = 0
    gaps: int = 0
    is_damaged: bool = False
    is_filled: bool = False  # Whether recognition has looked for the unnamed characters.
    given_up: str = ""  # Why text recognition gave up, where it did.
    frame: Frame | None = None
    """How the page lies, if its lines were recognised; `size` and boxes are those of the upright page."""

    words: dict[Box, str] = field(default_factory=dict)
    """Words recognised in figures of a page that was recognised as a whole, by the figure's box."""

    @property
    def lacks_text(self) -> bool:
        """Whether the page shows text that it does not hold as text."""
        return self.is_picture or bool(self.nonsense or self.gaps)

    @property
    def is_unread(self) -> bool:
        """Whether the page lacks text and no recognition has looked at it."""
        return self.lacks_text and not (self.frame or self.is_filled or self.given_up)


def read_page(document: pdfium.PdfDocument, number: int) -> Page:
    """Read page `number` (from 1). A damaged page comes back empty and marked."""
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


def _read_page(page: pdfium.PdfPage, number: int, marks: Marks) -> Page:
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
    """The page's content, found on the upright page, in places of the page as the file shows it."""
    there = PageRotation(direction, page.size)
    width, height = page.size
    return replace(
        page,
        lines=list(map(there.line, page.lines)),
        figures=list(map(there.figure, page.figures)),
        tables=list(map(there.table, page.tables)),
        size=(height, width) if direction in (90, 270) else page.size,
    )
