"""Rotated pages, read as if they stood upright."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from corpus.blocks import Box
from corpus.line_boxes import width_of
from corpus.readers.pdf.captions import Caption
from corpus.readers.pdf.figures import Figure
from corpus.readers.pdf.glyphs import direction_at
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.pdfium import pdfium, raw
from corpus.readers.pdf.shown import Shown, shown, turned
from corpus.readers.pdf.tables.page_tables import Table

_SAMPLES = (40, 200)
"""Characters that are sampled: a page is rotated as a whole. If the first sample has several directions, the larger
one decides."""


@contextmanager
def upright(page: pdfium.PdfPage) -> Iterator[int]:
    """Rotate the page so that most characters stand upright, and back at the end. Yields the clockwise rotation of
    its text in degrees."""
    before = page.get_rotation()
    direction = _main_direction(page, shown(page))
    if direction:
        page.set_rotation((before - direction) % 360)
    try:
        yield direction
    finally:
        if direction:
            page.set_rotation(before)


def _main_direction(page: pdfium.PdfPage, geometry: Shown) -> int:
    text = page.get_textpage()
    try:
        count = max(0, raw.FPDFText_CountChars(text.raw))
        directions = Counter[int]()
        for samples in _SAMPLES:
            indexes = range(0, count, max(1, count // samples))
            directions = Counter(
                direction_at(text.raw, index, geometry)
                for index in indexes
                if raw.FPDFText_GetUnicode(text.raw, index) > 0x20
                and raw.FPDFText_IsGenerated(text.raw, index) != 1
            )
            if len(directions) == 1:
                break
        direction, most = max(directions.items(), key=lambda each: each[1], default=(0, 0))
        return direction if 2 * most > directions.total() else 0
    finally:
        text.close()


class AsShown:
    """Transforms content of an upright page of `size` (points) to the page as shown, on which it runs in
    `direction`."""

    def __init__(self, direction: int, size: tuple[float, float]) -> None:
        self._direction, self._size = direction, size

    def line(self, line: Line) -> Line:
        """The line on the shown page, without pieces if it stands upright there."""
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
        return turned(box, self._direction, self._size)

    def _caption(self, caption: Caption | None) -> Caption | None:
        return caption and replace(caption, box=self.box(caption.box))


def _halves(text: str, box: Box) -> tuple[tuple[int, Box], ...]:
    """Two pieces of an upside-down line; that the second stands left tells its direction."""
    middle = text.find(" ", len(text) // 2) + 1
    if not middle or not (whole := sum(map(width_of, text))):
        return ()
    at = box[2] - (box[2] - box[0]) * sum(map(width_of, text[:middle])) / whole
    return ((0, (at, box[1], box[2], box[3])), (middle, (box[0], box[1], at, box[3])))
