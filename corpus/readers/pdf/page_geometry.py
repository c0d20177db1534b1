"""Geometry of a page as viewers display it: crop box, rotation, and origin in the top left corner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pypdfium2 as pdfium  # type: ignore[import-untyped, unused-ignore]
from pypdfium2 import raw  # type: ignore[import-untyped, unused-ignore]

from corpus.documents.block import Box

__all__ = ["pdfium", "raw"]


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """The visible part of a page in PDF coordinates (points, origin in the bottom left corner), and the page's
    clockwise rotation in degrees."""

    left: float
    bottom: float
    right: float
    top: float
    turned: int

    @property
    def size(self) -> tuple[float, float]:
        """Return the displayed width and height, in points."""
        across, up = self.right - self.left, self.top - self.bottom
        return (up, across) if self.turned in (90, 270) else (across, up)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Convert a rectangle in PDF coordinates to a box on the displayed page."""
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
        """Return whether the middle of the box is on the displayed page."""
        width, height = self.size
        return 0 <= (box[0] + box[2]) / 2 <= width and 0 <= (box[1] + box[3]) / 2 <= height


def page_geometry(page: pdfium.PdfPage) -> PageGeometry:
    """Return the geometry that PDFium uses to display the page."""
    left, bottom, right, top = page.get_bbox()
    return PageGeometry(left, bottom, right, top, page.get_rotation())


def rotate_box(box: Box, degrees: int, size: tuple[float, float] = (0.0, 0.0)) -> Box:
    """Return the position of the box after a page of `size` (points) is rotated clockwise by a multiple of 90
    degrees."""
    (x0, y0, x1, y1), (width, height) = box, size
    match degrees % 360:
        case 90:
            return (height - y1, x0, height - y0, x1)
        case 180:
            return (width - x1, height - y1, width - x0, height - y0)
        case 270:
            return (y0, width - x1, y1, width - x0)
    return box


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around all boxes. Raises ValueError if there are none."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def sides(box: Box) -> tuple[float, float]:
    """Return the width and height of the box."""
    return box[2] - box[0], box[3] - box[1]


def area(box: Box) -> float:
    """Return the area of the box."""
    return (box[2] - box[0]) * (box[3] - box[1])


def common_area(box: Box, second: Box) -> float:
    """Return the area of the intersection of the boxes; 0 if they do not intersect."""
    across = min(box[2], second[2]) - max(box[0], second[0])
    down = min(box[3], second[3]) - max(box[1], second[1])
    return max(0.0, across) * max(0.0, down)


def share_within(box: Box, outer: Box) -> float:
    """Return the fraction of the box's area, 0 to 1, that is inside the other box."""
    return common_area(box, outer) / max(1.0, area(box))


def distances(box: Box, second: Box) -> tuple[float, float]:
    """Return the horizontal and vertical distances between the boxes; 0 if they overlap."""
    across = max(0.0, box[0] - second[2], second[0] - box[2])
    return across, max(0.0, box[1] - second[3], second[1] - box[3])


def contains(outer: Box, inner: Box) -> bool:
    """Return whether the middle of `inner` is within `outer`."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
