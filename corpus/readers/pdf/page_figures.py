"""Figures of a page, each with its caption or title, its region and its picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

from corpus.documents.block import MAX_PICTURE_BYTES, Box, Picture
from corpus.readers.pdf.caption_lines import Caption, captions_of, table_captions_of
from corpus.readers.pdf.page_geometry import area, common_area, contains, distances, pdfium, union
from corpus.readers.pdf.page_pictures import Grey, clusters_of, crop
from corpus.readers.pdf.text.lines import Line, usual_size

MIN_GRAPHIC = 10.0  # Minimum width and height of graphics in points; smaller graphics are drawn characters or marks.
_MIN_BODY_LENGTH = 30  # Minimum length in characters of a line of running text; labels in figures are shorter.
_MIN_OVERLAP = 0.6
"""Minimum fraction of a line that must be inside a figure for the line to belong to it. A line of text that only
touches the figure does not belong to it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The content of a page, with boxes in points on the displayed page. `body` contains running text outside graphics,
    `labels` all other lines except captions, and `barriers` the captions of tables."""

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
    """Classify the lines of a page. Running text is long and in the page's usual font size."""
    caption_lines = {index for caption in [*captions, *tables] for index in range(caption.first, caption.last)}
    free = [line for index, line in enumerate(lines) if index not in caption_lines]
    usual = usual_size(free)
    body: list[Box] = []
    labels = [cluster for cluster in clusters if not is_large(cluster)]  # small graphics are drawn characters
    for line in free:
        is_running = (
            not line.scattered
            and abs(line.size - usual) <= 0.12 * usual
            and (len(line.text) >= _MIN_BODY_LENGTH or _ends(line, body))
        )
        is_inside = any(contains(cluster, line.box) for cluster in clusters)
        (body if is_running and not is_inside else labels).append(line.box)
    return Layout(captions, clusters, body, labels, [table.box for table in tables], size)


def _ends(line: Line, body: list[Box]) -> bool:
    """Return whether a short line is the last line of a paragraph of running text."""
    if not body:
        return False
    above = body[-1]
    return 0 <= line.box[1] - above[1] < 2 * line.size and abs(line.box[0] - above[0]) < 2 * line.size


def is_large(cluster: Box) -> bool:
    """Return whether graphics are larger than a character."""
    return min(cluster[2] - cluster[0], cluster[3] - cluster[1]) >= MIN_GRAPHIC


def mostly_contains(outer: Box, inner: Box) -> bool:
    """Return whether most of `inner` is within `outer`."""
    return contains(outer, inner) and common_area(outer, inner) >= _MIN_OVERLAP * area(inner)


_LABEL_GAP = 6.0  # Maximum gap in points to a label above or below graphics; plot titles are closer than captions.
_AXIS_GAP = 14.0  # Maximum gap in points to a label at the side of graphics: the width of a number on an axis.
_NAME_GAP = 24.0  # Maximum gap in points to the rotated name of an axis, which is to the left of the axis numbers.
_PART_GAP = 36.0  # Maximum gap in points between vertically stacked parts of a figure; one line of text fits into it.
_BESIDE_GAP = 120.0  # Maximum gap in points between figure parts side by side; papers put such parts in both columns.
_LINE_GAP = 24.0  # Maximum gap in points between lines of a figure that is only text; this allows one empty line.
_BELOW_IS_FARTHER = 40.0
"""Points added to the distance of graphics below a caption, because most captions are below their figure."""

_MARGIN = 3.0  # Width in points of the margin added around a figure, so that rounding cuts off no edge.

Above = bool


def regions_of(layout: Layout) -> dict[Caption, Box]:
    """Return the region of each caption that has graphics or text, as a box on the displayed page."""
    parts: dict[Caption, list[tuple[float, Above, Box]]] = {caption: [] for caption in layout.captions}
    for cluster in layout.clusters:
        if layout.captions and is_large(cluster):
            distance, above, caption = min(
                (_distance_to(cluster, caption, layout) for caption in layout.captions),
                key=lambda reach: reach[0],
            )
            if distance < float("inf"):
                parts[caption].append((distance, above, cluster))
    regions = {caption: _region_of(caption, reaches, layout) for caption, reaches in parts.items()}
    return {caption: region for caption, region in regions.items() if region}


def _distance_to(cluster: Box, caption: Caption, layout: Layout) -> tuple[float, Above, Caption]:
    """Return the distance in points between the graphics and the caption, infinite if text separates them; whether the
    graphics are above the caption; and the caption."""
    above = cluster[1] < caption.box[1]
    gap = caption.box[1] - cluster[3] if above else cluster[1] - caption.box[3]
    aside = max(0.0, cluster[0] - caption.box[2], caption.box[0] - cluster[2])
    between = (min(cluster[0], caption.box[0]), cluster[3] if above else caption.box[3],
               max(cluster[2], caption.box[2]), caption.box[1] if above else cluster[1])  # fmt: skip
    others = [other.box for other in layout.captions if other != caption] + layout.barriers
    near = _column(cluster, caption.box)
    if gap < -_MARGIN or _count_between(between, near, others) > 0 or _count_between(between, near, layout.body) > 1:
        return float("inf"), above, caption
    return gap + 2 * aside + (0 if above else _BELOW_IS_FARTHER), above, caption


def _region_of(caption: Caption, reaches: list[tuple[float, Above, Box]], layout: Layout) -> Box | None:
    if not reaches:
        return _text_above(caption, layout)
    _, above, region = min(reaches)
    parts = [part for _, side, part in reaches if side == above]
    for _ in range(4):
        region = union([region, *(part for part in parts if _is_same_figure(part, region))])
    region = _with_labels(region, caption, layout)
    return _off_caption(region, caption.box, layout)


def _is_same_figure(part: Box, region: Box) -> bool:
    """Return whether graphics with the same caption are one figure: close together, or side by side."""
    together = min(part[3], region[3]) - max(part[1], region[1])
    beside = together > 0.5 * min(part[3] - part[1], region[3] - region[1])
    return max(distances(part, region)) <= (_BESIDE_GAP if beside else _PART_GAP)


def _with_labels(region: Box, caption: Caption, layout: Layout) -> Box:
    """Return the region extended by short lines at its edge and between it and its caption."""
    for _ in range(3):
        near = [
            label for label in layout.labels if _is_at(label, region) or _stands_between(label, region, caption.box)
        ]
        region = union([region, *near])
    return region


def _text_above(caption: Caption, layout: Layout) -> Box | None:
    """Return a figure that consists only of text: the lines above the caption, up to running text or another
    caption."""
    walls = [*layout.body, *layout.barriers, *(other.box for other in layout.captions if other != caption)]
    floor = max((wall[3] for wall in walls if wall[3] <= caption.box[1] + 1 and _beside(wall, caption.box)), default=0)
    region: Box | None = None
    top = caption.box[1]
    for line in sorted(layout.labels, key=lambda box: -box[3]):
        if line[3] <= caption.box[1] + 1 and line[1] >= floor - 1 and _beside(line, caption.box):
            if top - line[3] > (_LINE_GAP if region else 2 * _LINE_GAP):
                break
            region, top = union([region, line]) if region else line, min(top, line[1])
    return _off_caption(region, caption.box, layout) if region and region[3] - region[1] > 2 * MIN_GRAPHIC else None


def _off_caption(region: Box, caption: Box, layout: Layout) -> Box:
    """Return the region with a margin, limited to the page and without the caption."""
    left, top, right, bottom = region
    width, height = layout.size
    above = top < caption[1]
    top = max(0.0, top - _MARGIN) if above else max(top - _MARGIN, caption[3] + 0.5)
    bottom = min(bottom + _MARGIN, caption[1] - 0.5) if above else min(height, bottom + _MARGIN)
    return (max(0.0, left - _MARGIN), top, min(width, right + _MARGIN), bottom)


def _count_between(between: Box, near: tuple[float, float], boxes: list[Box]) -> int:
    """Return the number of boxes in `between` that overlap the columns `near`."""
    return sum(
        1
        for box in boxes
        if between[1] - 1 <= box[1] and box[3] <= between[3] + 1 and box[0] < near[1] and near[0] < box[2]
    )


def _column(box: Box, second: Box) -> tuple[float, float]:
    """Return the horizontal overlap of the two boxes, or their combined width if they do not overlap."""
    left, right = max(box[0], second[0]), min(box[2], second[2])
    return (left, right) if left < right else (min(box[0], second[0]), max(box[2], second[2]))


def _stands_between(box: Box, region: Box, caption: Box) -> bool:
    top, bottom = sorted((region[3], caption[1])) if region[1] < caption[1] else sorted((caption[3], region[1]))
    return _beside(box, region) and top - 1 <= box[1] and box[3] <= bottom + 1


def _is_at(label: Box, region: Box) -> bool:
    """Return whether a label is at the region's edge. A rotated axis name may be farther away than an axis label."""
    across, down = distances(label, region)
    upright = label[3] - label[1] > 2 * (label[2] - label[0])
    return down <= _LABEL_GAP and across <= (_NAME_GAP if upright else _AXIS_GAP)


def _beside(box: Box, second: Box) -> bool:
    return box[0] < second[2] and second[0] < box[2]


_MIN_LARGER = 1.15  # Minimum ratio of a title's font size to the usual one; a smaller ratio is emphasis.
_HEADER_ZONE = 0.08  # Top fraction of the page's height in which bold lines are running headers.
_MAX_TITLE = 200  # Maximum length of a title in characters: two full lines; longer bold text is a paragraph.
_MAX_TITLE_LINES = 3  # Maximum number of lines in a title; more lines are body text in a large font.


def title_of(box: Box, lines: list[Line], height: float) -> tuple[int, ...]:
    """Return the indexes of the title's lines in order; empty if no text above the box is prominent. `height` is the
    page's height in points."""
    usual = usual_size(lines)
    above = [
        index
        for index, line in enumerate(lines)
        if line.box[3] <= box[1] + line.size
        and not contains(box, line.box)
        and _stands_out(line, usual)
        and (line.size > _MIN_LARGER * usual or line.box[1] > _HEADER_ZONE * height)
    ]
    if not above:
        return ()
    largest = max(lines[index].size for index in above)
    titles = [index for index in above if lines[index].size >= 0.95 * largest and largest > _MIN_LARGER * usual]
    nearest = max(titles or above, key=lambda index: lines[index].box[3])
    return _with_lines_above(nearest, above, lines)


def _with_lines_above(nearest: int, among: list[int], lines: list[Line]) -> tuple[int, ...]:
    """Return the title, including the lines of the same size directly above it."""
    title = [nearest]
    while title[0] - 1 in among and len(title) < _MAX_TITLE_LINES:
        before, first = lines[title[0] - 1], lines[title[0]]
        if abs(before.size - first.size) > 0.5 or not 0 <= first.box[1] - before.box[1] < 2 * first.size:
            break
        title.insert(0, title[0] - 1)
    return tuple(title)


def _stands_out(line: Line, usual: float) -> bool:
    text = line.text.strip()
    return (line.size > _MIN_LARGER * usual or line.bold) and any(map(str.isalpha, text)) and len(text) <= _MAX_TITLE


_MAX_PIXELS = 2000
"""Maximum length in pixels of the longer side of a page rendered to find ink. A page that needs more is a poster."""

_MAX_CLUSTERS = 500  # Maximum number of clusters, largest first; a scatter plot has thousands.


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure. `inside` contains the indexes of the lines within its box. If it has no caption, `title` contains the
    line indexes of the title or heading above it; these lines remain part of the page's text."""

    caption: Caption | None
    box: Box
    inside: tuple[int, ...]
    picture: Picture
    title: tuple[int, ...] = ()


class Ink:
    """The ink of a page, rendered on first use. `texts` are the boxes of the page's text."""

    def __init__(self, page: pdfium.PdfPage, texts: list[Box]) -> None:
        self._page, self._texts = page, texts

    @cached_property
    def clusters(self) -> list[Box]:
        """Return the boxes, in points, of the largest groups of ink that is not text."""
        scale = min(1.0, _MAX_PIXELS / max(self._page.get_size()))
        grey = cast(Grey, self._page.render(scale=scale, grayscale=True).to_numpy())
        boxes = clusters_of(grey.reshape(grey.shape[:2]), [_scale_box(box, scale) for box in self._texts])
        boxes.sort(key=area, reverse=True)
        return [_scale_box(box, 1 / scale) for box in boxes[:_MAX_CLUSTERS]]


def captioned_figures(page: pdfium.PdfPage, lines: list[Line], ink: Ink) -> list[Figure]:
    """Return the figures in the order of their captions. Pages without captions are not rendered."""
    captions = captions_of(lines)
    if not captions:
        return []
    size = cast(tuple[float, float], page.get_size())
    regions = regions_of(layout_of(lines, captions, table_captions_of(lines), ink.clusters, size))
    return [_figure_of(page, each, regions[each], lines) for each in captions if each in regions]


def uncaptioned_figure(page: pdfium.PdfPage, box: Box, lines: list[Line]) -> Figure:
    """Return a figure without a caption, with the title or heading above it."""
    inside = tuple(index for index, line in enumerate(lines) if _is_within(line, box))
    picture = crop(page, box, MAX_PICTURE_BYTES)
    return Figure(None, box, inside, picture, title_of(box, lines, page.get_height()))


def _figure_of(page: pdfium.PdfPage, caption: Caption, box: Box, lines: list[Line]) -> Figure:
    inside = tuple(
        index for index, line in enumerate(lines) if not caption.first <= index < caption.last and _is_within(line, box)
    )
    return Figure(caption, box, inside, crop(page, box, MAX_PICTURE_BYTES))


def _is_within(line: Line, box: Box) -> bool:
    """Return whether the line is inside the box and therefore part of the figure. Comments are not part of it."""
    return mostly_contains(box, line.box) and not line.is_comment


def _scale_box(box: Box, scale: float) -> Box:
    return (box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale)
