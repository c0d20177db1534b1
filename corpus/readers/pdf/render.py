"""A page as a picture, whole or in part, within a number of pixels and of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PIL import Image, ImageChops, ImageDraw

from corpus.blocks import Box, PagePicture, Picture
from corpus.errors import UnreadableDocument
from corpus.readers.pdf.document import opened
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pictures import LONGEST_SIDE, within

CROP_DPI = 180
_FRAME_COLOUR = (220, 30, 30)
_MARKED = (255, 243, 160)


def page_picture(pdf: bytes, page_number: int, outlines: Sequence[Box], max_bytes: int) -> PagePicture:
    """The page with a frame around one outline, or several lines marked. UnreadableDocument when there is no such
    page."""
    with opened(pdf) as document:
        if not 1 <= page_number <= len(document):
            raise UnreadableDocument(f"has {len(document)} pages, so no page {page_number}")
        page = document[page_number - 1]
        image = rendered(page, LONGEST_SIDE / max(page.get_size()))
        scale = image.width / page.get_width()
        for outline in outlines:
            if len(outlines) > 1:
                _mark(image, outline, scale)
            _frame(image, outline, scale, thin=len(outlines) > 1)
        picture = within(image, max_bytes)
        return PagePicture(picture.data, picture.mime_type, page.get_size())


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


def _mark(image: Image.Image, box: Box, scale: float) -> None:
    """As a marker would: what is dark stays dark."""
    left, top, right, bottom = (round(side * scale) for side in box)
    area = (max(0, left), max(0, top), min(image.width, right), min(image.height, bottom))
    if area[0] < area[2] and area[1] < area[3]:
        part = image.crop(area)
        image.paste(ImageChops.multiply(part, Image.new("RGB", part.size, _MARKED)), area)


def _frame(image: Image.Image, box: Box, scale: float, *, thin: bool = False) -> None:
    left, top, right, bottom = (side * scale for side in box)
    width = max(3, round(max(image.size) / 300)) if not thin else 2
    gap = width if thin else 2 * width
    around = (max(0, left - gap), max(0, top - gap), right + gap, bottom + gap)
    if around[0] < around[2] and around[1] < around[3]:
        ImageDraw.Draw(image).rectangle(around, outline=_FRAME_COLOUR, width=width)
