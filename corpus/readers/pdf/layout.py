"""The content of a page sorted for finding figures: graphics, running text, labels, captions."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.pdf.captions import Caption
from corpus.readers.pdf.lines import Line, usual_size
from corpus.readers.pdf.shown import area, common_area, contains

SMALLEST = 10.0  # Points; lower or narrower graphics are drawn characters or marks.
_MIN_BODY_LENGTH = 30  # Characters of a line of running text; labels in figures are shorter.
_MIN_OVERLAP = 0.6
"""Share of a line inside a figure from which it belongs to it; a line of text that only touches does not."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The content of a page, boxes in points of the shown page. `body` holds running text outside graphics, `labels`
    all other lines outside captions, `barriers` the captions of tables."""

    captions: list[Caption]
    clusters: list[Box]
    body: list[Box]
    labels: list[Box]
    barriers: list[Box]
    size: tuple[float, float]


def layout_of(
    lines: list[Line],
    captions: list[Caption],
    tables: list[Caption],
    clusters: list[Box],
    size: tuple[float, float],
) -> Layout:
    """Sort the lines. Running text is long and of the page's usual font size."""
    taken = {index for caption in [*captions, *tables] for index in range(caption.first, caption.last)}
    free = [line for index, line in enumerate(lines) if index not in taken]
    usual = usual_size(free)
    body: list[Box] = []
    labels = [cluster for cluster in clusters if not is_large(cluster)]  # letters that are drawn
    for line in free:
        running = (
            not line.scattered
            and abs(line.size - usual) <= 0.12 * usual
            and (len(line.text) >= _MIN_BODY_LENGTH or _ends(line, body))
        )
        inside = any(contains(cluster, line.box) for cluster in clusters)
        (body if running and not inside else labels).append(line.box)
    return Layout(captions, clusters, body, labels, [table.box for table in tables], size)


def _ends(line: Line, body: list[Box]) -> bool:
    """Whether a short line is the last one of running text."""
    if not body:
        return False
    above = body[-1]
    return 0 <= line.box[1] - above[1] < 2 * line.size and abs(line.box[0] - above[0]) < 2 * line.size


def is_large(cluster: Box) -> bool:
    """Whether graphics are larger than a character."""
    return min(cluster[2] - cluster[0], cluster[3] - cluster[1]) >= SMALLEST


def holds(outer: Box, inner: Box) -> bool:
    """Whether most of `inner` lies within `outer`."""
    return contains(outer, inner) and common_area(outer, inner) >= _MIN_OVERLAP * area(inner)
