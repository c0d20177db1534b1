"""Figures of a page: caption or title, box and picture of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from corpus.blocks import Box, Picture
from corpus.readers.pdf.captions import Caption, captions_of, table_captions_of
from corpus.readers.pdf.ink import Grey, clusters_of
from corpus.readers.pdf.layout import holds, layout_of
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.picture_titles import title_of
from corpus.readers.pdf.regions import regions_of
from corpus.readers.pdf.render import cropped
from corpus.readers.pdf.shown import area

PICTURE_BYTES = 1_000_000  # Bytes of a figure's picture; vision models reduce larger ones.
_MAX_PIXELS = 2000
"""Pixels of the longer side of a page that is searched for ink; beyond that the page is a poster."""

_MAX_CLUSTERS = 500  # The largest are kept; a scatter plot has thousands.
_MAX_BESIDE = 48.0  # Points between a figure and a caption at its side.


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure. `inside` holds the indexes of the lines within its box. Without a caption, `title` holds those of
    the title or heading above, which stay text of the page."""

    caption: Caption | None
    box: Box
    inside: tuple[int, ...]
    picture: Picture
    title: tuple[int, ...] = ()


class Ink:
    """Ink of a page, rendered on first use. `texts` are the boxes of its text."""

    def __init__(self, page: pdfium.PdfPage, texts: list[Box]) -> None:
        self._page, self._texts = page, texts

    @cached_property
    def clusters(self) -> list[Box]:
        """The largest groups of ink that is no text, as boxes in points."""
        scale = min(1.0, _MAX_PIXELS / max(self._page.get_size()))
        grey = cast(Grey, self._page.render(scale=scale, grayscale=True).to_numpy())
        boxes = clusters_of(grey.reshape(grey.shape[:2]), [_scale_box(box, scale) for box in self._texts])
        boxes.sort(key=area, reverse=True)
        return [_scale_box(box, 1 / scale) for box in boxes[:_MAX_CLUSTERS]]


def captioned_figures(page: pdfium.PdfPage, lines: list[Line], ink: Ink) -> list[Figure]:
    """Figures in the order of their captions. Pages without captions are not rendered."""
    captions = captions_of(lines)
    if not captions:
        return []
    size = cast(tuple[float, float], page.get_size())
    regions = regions_of(layout_of(lines, captions, table_captions_of(lines), ink.clusters, size))
    return [_figure_of(page, each, regions[each], lines) for each in captions if each in regions]


def caption_beside(box: Box, captions: Sequence[Caption]) -> Caption | None:
    """The first caption at the left or right side of the box, no higher or lower than it."""
    return next((each for each in captions if _is_beside(each.box, box)), None)


def uncaptioned_figure(page: pdfium.PdfPage, box: Box, lines: list[Line], beside: Caption | None) -> Figure:
    """A figure without a caption above or below: with the caption `beside` it, else with the title or heading above."""
    if beside:
        return _figure_of(page, beside, box, lines)
    inside = tuple(index for index, line in enumerate(lines) if _is_within(line, box))
    picture = cropped(page, box, PICTURE_BYTES)
    return Figure(None, box, inside, picture, title_of(box, lines, page.get_height()))


def _is_beside(caption: Box, box: Box) -> bool:
    across = max(caption[0] - box[2], box[0] - caption[2])
    return (
        0 <= across <= _MAX_BESIDE
        and box[1] - _MAX_BESIDE / 2 <= caption[1]
        and caption[3] <= box[3] + _MAX_BESIDE / 2
    )


def _figure_of(page: pdfium.PdfPage, caption: Caption, box: Box, lines: list[Line]) -> Figure:
    inside = tuple(
        index
        for index, line in enumerate(lines)
        if not caption.first <= index < caption.last and _is_within(line, box)
    )
    return Figure(caption, box, inside, cropped(page, box, PICTURE_BYTES))


def _is_within(line: Line, box: Box) -> bool:
    """Whether the line is text of the figure; comments are not."""
    return holds(box, line.box) and not line.is_comment


def _scale_box(box: Box, scale: float) -> Box:
    return (box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale)
