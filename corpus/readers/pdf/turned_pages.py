"""Pages whose text runs upwards, downwards or upside down, read as if they were turned upright."""

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
from corpus.readers.pdf.tables.grid import Cell, Grid
from corpus.readers.pdf.tables.page_tables import Table

_SAMPLES = (40, 200)
"""Characters of a page that are looked at: a page is turned as a whole or reads well in parts, so few tell. Where the
first are not of one direction, more are looked at."""


@contextmanager
def upright(page: pdfium.PdfPage) -> Iterator[int]:
    """Turn the page so that most of its characters stand upright, and back at the end.

    Yields how far, in degrees clockwise, its text runs off the level as the file shows it.
    """
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
    """Takes what was found on an upright page of `size` to the page as it is shown, on which it runs in `direction`."""

    def __init__(self, direction: int, size: tuple[float, float]) -> None:
        self._direction, self._size = direction, size

    def line(self, line: Line) -> Line:
        """The line with its place on the shown page. Of one that stands upright there, places within are not told."""
        box = self.box(line.box)
        direction = (line.direction + self._direction) % 360
        if direction == 0:
            pieces = tuple((start, self.box(piece)) for start, piece in line.pieces)
        else:
            pieces = _halves(line.text.strip(), box) if direction == 180 else ()
        return replace(line, box=box, direction=direction, pieces=pieces)

    def figure(self, figure: Figure) -> Figure:
        return replace(figure, caption=self._caption(figure.caption), box=self.box(figure.box))

    def table(self, table: Table) -> Table:
        grid = table.grid and self._grid(table.grid)
        return replace(table, caption=self._caption(table.caption), box=self.box(table.box), grid=grid)

    def box(self, box: Box) -> Box:
        return turned(box, self._direction, self._size)

    def _caption(self, caption: Caption | None) -> Caption | None:
        return caption and replace(caption, box=self.box(caption.box))

    def _grid(self, grid: Grid) -> Grid:
        return replace(grid, box=self.box(grid.box), cells=tuple(map(self._cell, grid.cells)))

    def _cell(self, cell: Cell) -> Cell:
        return replace(cell, boxes=tuple(map(self.box, cell.boxes)))


def _halves(text: str, box: Box) -> tuple[tuple[int, Box], ...]:
    """Two pieces of a line upside down: that the second stands to the left tells in which direction it runs."""
    middle = text.find(" ", len(text) // 2) + 1
    if not middle or not (whole := sum(map(width_of, text))):
        return ()
    at = box[2] - (box[2] - box[0]) * sum(map(width_of, text[:middle])) / whole
    return ((0, (at, box[1], box[2], box[3])), (middle, (box[0], box[1], at, box[3])))
