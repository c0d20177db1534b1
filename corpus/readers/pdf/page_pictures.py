"""Pictures of a page or of a part of it, within limits on pixels and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops, ImageDraw

from corpus.documents.block import MAX_PICTURE_SIDE, Box, PagePicture, Picture
from corpus.documents.line_boxes import Share, highlight_box
from corpus.errors import UnreadableDocument
from corpus.readers.pdf.page_geometry import pdfium
from corpus.readers.pdf.pdf_file import open_pdf
from corpus.readers.picture_encoding import encode_smallest, encode_within

Item = TypeVar("Item")


class Parents(Protocol[Item]):
    """Mapping or list from each item to its parent; a root is its own parent."""

    def __getitem__(self, item: Item, /) -> Item: ...
    def __setitem__(self, item: Item, parent: Item, /) -> None: ...


def root_of(parents: Parents[Item], item: Item) -> Item:
    """Return the root of the item's set, and shorten the path to it by path halving (Tarjan and van Leeuwen 1984)."""
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = parents[item]
    return item


Grey = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.bool_]

CELL = 4  # Side length in pixels of a cell of the grid that groups ink; at 72 dpi a pixel is a point.
_CONTRAST = 20  # Minimum contrast of ink, on a scale of 0 to 255: above antialiasing and JPEG noise, below pale grids.
_RULE = 4
"""Maximum thickness of a rule in pixels. Rules are up to two points wide, plus one pixel on each side."""


def clusters_of(grey: Grey, texts: list[Box]) -> list[Box]:
    """Return the boxes, in pixels, of connected ink, excluding text and single rules. `grey` has the shape (height,
    width); `texts` are boxes in pixels."""
    ink = np.abs(grey.astype(np.int16) - _background(grey)) > _CONTRAST
    for left, top, right, bottom in texts:
        ink[max(0, int(top) - 1) : int(bottom) + 2, max(0, int(left) - 1) : int(right) + 2] = False
    boxes = [(x0 * CELL, y0 * CELL, x1 * CELL, y1 * CELL) for x0, y0, x1, y1 in connected(_cells(ink))]
    return [(float(a), float(b), float(c), float(d)) for a, b, c, d in boxes if not _is_rule(ink[b:d, a:c])]


def connected(cells: Cells) -> list[tuple[int, int, int, int]]:
    """Return boxes (ends exclusive) around cells that touch or have at most two empty cells between them. The algorithm
    labels connected components in one pass over runs (Rosenfeld and Pfaltz, 1966)."""
    cells_grown = _grow(cells)
    parents: list[int] = []
    boxes: list[list[int]] = []
    above: list[tuple[int, int, int]] = []
    for row in range(len(cells_grown)):
        runs = []
        for start, end in true_runs(cells_grown[row]):
            label = _label([each for each in above if each[0] <= end and start <= each[1]], parents, boxes)
            _widen(boxes[label], start, row, end, row + 1)
            runs.append((start, end, label))
        above = runs
    roots = {root_of(parents, label) for label in range(len(parents))}
    return [_shrink(boxes[root], cells.shape) for root in sorted(roots)]


def _background(grey: Grey) -> int:
    return int(np.bincount(grey.ravel(), minlength=256).argmax())


def _cells(ink: Cells) -> Cells:
    height, width = ink.shape
    padded = np.pad(ink, ((0, -height % CELL), (0, -width % CELL)))
    rows, columns = padded.shape[0] // CELL, padded.shape[1] // CELL
    return np.asarray(padded.reshape(rows, CELL, columns, CELL).any(axis=(1, 3)))


def _grow(cells: Cells) -> Cells:
    """Return the cells grown by one cell on every side, in an array that is one cell larger on every side."""
    wide = np.pad(cells, 1)
    across = wide.copy()
    across[:, 1:] |= wide[:, :-1]
    across[:, :-1] |= wide[:, 1:]
    result = across.copy()
    result[1:] |= across[:-1]
    result[:-1] |= across[1:]
    return result


def true_runs(flags: Cells) -> list[tuple[int, int]]:
    """Return the start and end (exclusive) of each run of true values in a one-dimensional array."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.view(np.int8), [0]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _label(runs_above: list[tuple[int, int, int]], parents: list[int], boxes: list[list[int]]) -> int:
    """Return the common label of all touching runs in the row above, or a new label if there are none."""
    labels = sorted({root_of(parents, each[2]) for each in runs_above})
    if not labels:
        parents.append(len(parents))
        boxes.append([1 << 30, 1 << 30, 0, 0])
        return len(parents) - 1
    for other in labels[1:]:
        parents[other] = labels[0]
        _widen(boxes[labels[0]], *boxes[other])
    return labels[0]


def _widen(box: list[int], left: int, top: int, right: int, bottom: int) -> None:
    box[:] = [min(box[0], left), min(box[1], top), max(box[2], right), max(box[3], bottom)]


def _shrink(box: list[int], shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Undo the growth of a box, which added one cell on each side and shifted all positions by one."""
    return box[0], box[1], min(box[2] - 2, shape[1]), min(box[3] - 2, shape[0])


def _is_rule(ink: Cells) -> bool:
    thin, long = sorted((int(ink.any(axis=1).sum()), int(ink.any(axis=0).sum())))
    return thin <= _RULE and long > 5 * thin


CROP_DPI = 180  # Resolution of a cropped picture, twice that of a screen: labels of 6 points are 15 pixels high.
_FRAME_COLOUR = (220, 30, 30)  # Red, which differs from both black print and blue links.
_MARKED, _MARK_EDGE = (255, 239, 186), (179, 95, 0)  # Colours of the evidence view, on white.
_EDGES_A_SIDE = 530  # Length of the picture's longer side, in widths of an outline.


def page_picture(
    pdf: bytes, page_number: int, outlines: Sequence[Box], marked: Sequence[Box], max_bytes: int
) -> PagePicture:
    """Return the page with frames around `outlines` and with `marked` lines highlighted, in at most `max_bytes`. Raises
    UnreadableDocument for a missing page."""
    with open_pdf(pdf) as document:
        if not 1 <= page_number <= len(document):
            raise UnreadableDocument(f"has {len(document)} pages, so there is no page {page_number}")
        page = document[page_number - 1]
        image = render_page(page, MAX_PICTURE_SIDE / max(page.get_size()))
        scale = image.width / page.get_width()
        for box in marked:
            _mark(image, highlight_box(box, page.get_size()))
        for box in outlines:
            _frame(image, box, scale)
        picture = encode_smallest(image, max_bytes)
        return PagePicture(picture.data, picture.mime_type, page.get_size())


def crop(page: pdfium.PdfPage, box: Box, max_bytes: int) -> Picture:
    """Return a part of the displayed page at CROP_DPI, or at a lower resolution to fit `max_bytes`."""
    left, top, right, bottom = box
    width, height = page.get_size()
    scale = min(CROP_DPI / 72, MAX_PICTURE_SIDE / max(right - left, bottom - top))
    edges = (left, height - bottom, width - right, top)
    bitmap = page.render(scale=scale, crop=tuple(max(0.0, edge) for edge in edges))
    return encode_within(bitmap.to_pil().convert("RGB"), max_bytes)


def render_page(page: pdfium.PdfPage, scale: float) -> Image.Image:
    """Return the entire displayed page in colour, at `scale` pixels per point."""
    return cast(Image.Image, page.render(scale=scale).to_pil().convert("RGB"))


def _mark(image: Image.Image, share: Share) -> None:
    """Highlight the area as a highlighter pen does, and outline it. Dark pixels stay dark."""
    left, top, width, height = share
    across, down = image.width / 100, image.height / 100
    right, bottom = (left + width) * across, (top + height) * down
    area = (round(left * across), round(top * down), round(right), round(bottom))
    if area[0] < area[2] and area[1] < area[3]:
        part = image.crop(area)
        image.paste(ImageChops.multiply(part, Image.new("RGB", part.size, _MARKED)), area)
        line = max(2, round(max(image.size) / _EDGES_A_SIDE))
        ImageDraw.Draw(image).rounded_rectangle(area, 2 * line, outline=_MARK_EDGE, width=line)


def _frame(image: Image.Image, box: Box, scale: float) -> None:
    left, top, right, bottom = (side * scale for side in box)
    width = max(3, round(max(image.size) / 300))
    gap = 2 * width
    around = (max(0, left - gap), max(0, top - gap), right + gap, bottom + gap)
    if around[0] < around[2] and around[1] < around[3]:
        ImageDraw.Draw(image).rectangle(around, outline=_FRAME_COLOUR, width=width)
