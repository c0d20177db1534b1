"""Geometry of a page as viewers show it: crop box, rotation, origin in the top left corner."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.pdf.pdfium import pdfium


@dataclass(frozen=True, slots=True)
class Shown:
    """The visible part of a page in PDF coordinates (points, origin bottom left), and its clockwise rotation in
    degrees."""

    left: float
    bottom: float
    right: float
    top: float
    turned: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown, in points."""
        across, up = self.right - self.left, self.top - self.bottom
        return (up, across) if self.turned in (90, 270) else (across, up)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle in PDF coordinates as a box of the shown page."""
        x0, x1 = left - self.left, right - self.left
        y0, y1 = bottom - self.bottom, top - self.bottom
        across, up = self.right - self.left, self.top - self.bottom
        match self.turned:
            case 90:
                return (y0, x0, y1, x1)
            case 180:
                return (across - x1, y0, across - x0, y1)
            case 270:
                return (up - y1, across - x1, up - y0, across - x0)
        return (x0, up - y1, x1, up - y0)

    def shows(self, box: Box) -> bool:
        """Whether the middle of the box lies on the shown page."""
        width, height = self.size
        return 0 <= (box[0] + box[2]) / 2 <= width and 0 <= (box[1] + box[3]) / 2 <= height


def shown(page: pdfium.PdfPage) -> Shown:
    """The geometry with which PDFium shows the page."""
    left, bottom, right, top = page.get_bbox()
    return Shown(left, bottom, right, top, page.get_rotation())


def turned(box: Box, degrees: int, size: tuple[float, float] = (0.0, 0.0)) -> Box:
    """The box on a page of `size` (points) after the page is rotated clockwise by a multiple of 90 degrees."""
    (x0, y0, x1, y1), (width, height) = box, size
    match degrees % 360:
        case 90:
            return (height - y1, x0, height - y0, x1)
        case 180:
            return (width - x1, height - y1, width - x0, height - y0)
        case 270:
            return (y0, width - x1, y1, width - x0)
    return box


def union(boxes: list[Box]) -> Box:
    """The smallest box around all boxes. Raises ValueError for none."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))
