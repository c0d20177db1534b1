"""A page as a picture, whole or in part, within a number of pixels and of bytes."""

from __future__ import annotations

from typing import cast

from PIL import Image, ImageDraw

from corpus.blocks import Box, Picture
from corpus.errors import UnreadableDocument
from corpus.readers.pdf.document import opened
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pictures import LONGEST_SIDE, within

CROP_DPI = 180
_FRAME_COLOUR = (220, 30, 30)


def page_picture(pdf: bytes, page_number: int, outline: Box | None, max_bytes: int) -> Picture:
    """The page with a frame around `outline`. UnreadableDocument when there is no such page."""
    with opened(pdf) as document:
        if not 1 <= page_number <= len(document):
            raise UnreadableDocument(f"has {len(document)} pages, so no page {page_number}")
        page = document[page_number - 1]
        image = rendered(page, LONGEST_SIDE / max(page.get_size()))
        if outline:
            _frame(image, outline, image.width / page.get_width())
        return within(image, max_bytes)


def cropped(page: pdfium.PdfPage, box: Box, max_bytes: int) -> Picture:
    """A part of the shown page, at CROP_DPI if that is not too large."""
    left, top, right, bottom = box
    width, height = page.get_size()
    scale = min(CROP_DPI / 72, LONGEST_SIDE / max(right - left, bottom - top))
    edges = (left, height - bottom, width - right, top)
    bitmap = page.render(scale=scale, crop=tuple(max(0.0, edge) for edge in edges))
    return within(bitmap.to_pil().convert("RGB"), max_bytes)


def rendered(page: pdfium.PdfPage, scale: float) -> Image.Image:
    """The whole shown page in colour, `scale` pixels a point."""
    return cast(Image.Image, page.render(scale=scale).to_pil().convert("RGB"))


def _frame(image: Image.Image, box: Box, scale: float) -> None:
    left, top, right, bottom = (side * scale for side in box)
    width = max(3, round(max(image.size) / 300))
    around = (max(0, left - 2 * width), max(0, top - 2 * width), right + 2 * width, bottom + 2 * width)
    if around[0] < around[2] and around[1] < around[3]:
        ImageDraw.Draw(image).rectangle(around, outline=_FRAME_COLOUR, width=width)
