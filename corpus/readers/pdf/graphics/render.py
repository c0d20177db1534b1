"""Pictures of a page or a part of it, within limits of pixels and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PIL import Image, ImageChops, ImageDraw

from corpus.documents.block import Box, PagePicture, Picture
from corpus.documents.line_boxes import Share, highlight_box
from corpus.errors import UnreadableDocument
from corpus.readers.pdf.document import open_pdf
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pictures import MAX_SIDE, encode_smallest, encode_within

CROP_DPI = 180  # Twice the resolution of a screen: labels of 6 points are 15 pixels high and stay readable.
_FRAME_COLOUR = (220, 30, 30)  # Red, which stands out from print.
_MARKED, _MARK_EDGE = (255, 239, 186), (179, 95, 0)  # The evidence view's colours, on white.
_EDGES_A_SIDE = 530  # Line widths along the longer side of the picture.


def page_picture(
    pdf: bytes, page_number: int, outlines: Sequence[Box], marked: Sequence[Box], max_bytes: int
) -> PagePicture:
    """The page with frames around `outlines` and with `marked` lines, in at most `max_bytes`. Raises
    UnreadableDocument for a missing page."""
    with open_pdf(pdf) as document:
        if not 1 <= page_number <= len(document):
            raise UnreadableDocument(f"has {len(document)} pages, so no page {page_number}")
        page = document[page_number - 1]
        image = render_page(page, MAX_SIDE / max(page.get_size()))
        scale = image.width / page.get_width()
        for box in marked:
            _mark(image, highlight_box(box, page.get_size()))
        for box in outlines:
            _frame(image, box, scale)
        picture = encode_smallest(image, max_bytes)
        return PagePicture(picture.data, picture.mime_type, page.get_size())


def crop(page: pdfium.PdfPage, box: Box, max_bytes: int) -> Picture:
    """A part of the shown page at CROP_DPI, or smaller to fit `max_bytes`."""
    left, top, right, bottom = box
    width, height = page.get_size()
    scale = min(CROP_DPI / 72, MAX_SIDE / max(right - left, bottom - top))
    edges = (left, height - bottom, width - right, top)
    bitmap = page.render(scale=scale, crop=tuple(max(0.0, edge) for edge in edges))
    return encode_within(bitmap.to_pil().convert("RGB"), max_bytes)


def render_page(page: pdfium.PdfPage, scale: float) -> Image.Image:
    """The whole shown page in colour, at `scale` pixels per point."""
    return cast(Image.Image, page.render(scale=scale).to_pil().convert("RGB"))


def _mark(image: Image.Image, share: Share) -> None:
    """Highlight the area as with a marker, with an outline. Dark pixels stay dark."""
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
