"""The captioned figures of a page: what their captions say, where they are, and a picture of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from corpus.blocks import Box, Picture
from corpus.readers.pdf.captions import Caption, captions_of, table_captions_of
from corpus.readers.pdf.ink import Grey, clusters_of
from corpus.readers.pdf.layout import contains, layout_of
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.regions import regions_of
from corpus.readers.pdf.render import cropped

PICTURE_BYTES = 1_000_000
_MOST_PIXELS = 2000
_MOST_CLUSTERS = 500


@dataclass(frozen=True, slots=True)
class Figure:
    """`inside` are the indexes of the lines within the figure's box."""

    caption: Caption
    box: Box
    inside: tuple[int, ...]
    picture: Picture


def figures_of(page: pdfium.PdfPage, lines: list[Line], texts: list[Box]) -> list[Figure]:
    """Figures in the order of their captions. `texts` are the boxes of all runs of text.

    A page without a caption is not even rendered.
    """
    captions = captions_of(lines)
    if not captions:
        return []
    size = cast(tuple[float, float], page.get_size())
    layout = layout_of(lines, captions, table_captions_of(lines), _clusters(page, texts), size)
    regions = regions_of(layout)
    return [_figure(page, caption, regions[caption], lines) for caption in captions if caption in regions]


def _clusters(page: pdfium.PdfPage, texts: list[Box]) -> list[Box]:
    scale = min(1.0, _MOST_PIXELS / max(page.get_size()))
    grey = cast(Grey, page.render(scale=scale, grayscale=True).to_numpy())
    grey = grey.reshape(grey.shape[0], grey.shape[1])
    boxes = clusters_of(grey, [_scaled(box, scale) for box in texts])
    boxes.sort(key=lambda box: (box[0] - box[2]) * (box[3] - box[1]))
    return [_scaled(box, 1 / scale) for box in boxes[:_MOST_CLUSTERS]]


def _figure(page: pdfium.PdfPage, caption: Caption, box: Box, lines: list[Line]) -> Figure:
    inside = tuple(
        index
        for index, line in enumerate(lines)
        if not caption.first <= index < caption.last and contains(box, line.box)
    )
    return Figure(caption, box, inside, cropped(page, box, PICTURE_BYTES))


def _scaled(box: Box, scale: float) -> Box:
    return (box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale)
