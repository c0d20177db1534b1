"""Regions of captioned figures: the graphics nearest to each caption, with their labels."""

from __future__ import annotations

from corpus.blocks import Box
from corpus.readers.pdf.captions import Caption
from corpus.readers.pdf.layout import SMALLEST, Layout, is_large
from corpus.readers.pdf.shown import contains, distances, union

_LABEL_GAP = 6.0  # Points above or below graphics; titles of a plot stand closer than its caption.
_AXIS_GAP = 14.0  # Points beside graphics; numbers of an axis stand off by one of them.
_NAME_GAP = 24.0  # Points beside graphics; the rotated name of an axis stands left of its numbers.
_PART_GAP = 36.0  # Points between parts of a figure above each other, which have a line of text between.
_BESIDE_GAP = 120.0  # Points between parts of a figure side by side; papers set them across both columns.
_LINE_GAP = 24.0  # Points between lines of a figure made of text alone; an empty line is allowed.
_BELOW_IS_FARTHER = 40.0
"""Points added for graphics below a caption, because most captions stand below their figure."""

_MARGIN = 3.0  # Points of white around a figure.

Above = bool


def regions_of(layout: Layout) -> dict[Caption, Box]:
    """The region of each caption that has one, as a box on the shown page."""
    parts: dict[Caption, list[tuple[float, Above, Box]]] = {caption: [] for caption in layout.captions}
    for cluster in layout.clusters:
        if layout.captions and is_large(cluster):
            distance, above, caption, part = min(
                (_distance_to(cluster, caption, layout) for caption in layout.captions),
                key=lambda reach: reach[0],
            )
            if distance < float("inf"):
                parts[caption].append((distance, above, part))
    regions = {caption: _region_of(caption, reached, layout) for caption, reached in parts.items()}
    return {caption: region for caption, region in regions.items() if region}


def _distance_to(cluster: Box, caption: Caption, layout: Layout) -> tuple[float, Above, Caption, Box]:
    """Distance of the graphics from the caption in points; infinite if text stands between."""
    part = _part_above_caption(cluster, caption.box, layout)
    above = part[1] < caption.box[1]
    gap = caption.box[1] - part[3] if above else part[1] - caption.box[3]
    aside = max(0.0, part[0] - caption.box[2], caption.box[0] - part[2])
    between = (min(part[0], caption.box[0]), part[3] if above else caption.box[3],
               max(part[2], caption.box[2]), caption.box[1] if above else part[1])  # fmt: skip
    others = [other.box for other in layout.captions if other != caption] + layout.barriers
    near = _column(part, caption.box)
    if (
        gap < -_MARGIN
        or _count_between(between, near, others) > 0
        or _count_between(between, near, layout.body) > 1
    ):
        return float("inf"), above, caption, part
    return gap + 2 * aside + (0 if above else _BELOW_IS_FARTHER), above, caption, part


def _part_above_caption(cluster: Box, caption: Box, layout: Layout) -> Box:
    """The cluster; of a frame that includes the caption, the part above it down from the last running text."""
    if not contains(cluster, caption):
        return cluster
    tops = [line[3] for line in layout.body if line[3] <= caption[1] and _beside(line, caption)]
    return (cluster[0], max([cluster[1], *tops]), cluster[2], caption[1])


def _region_of(caption: Caption, reached: list[tuple[float, Above, Box]], layout: Layout) -> Box | None:
    if not reached:
        return _text_above(caption, layout)
    _, above, region = min(reached)
    parts = [part for _, side, part in reached if side == above]
    for _ in range(4):
        region = union([region, *(part for part in parts if _is_same_figure(part, region))])
    region = _with_labels(region, caption, layout)
    return _off_caption(region, caption.box, layout)


def _is_same_figure(part: Box, region: Box) -> bool:
    """Whether graphics of one caption are one figure: near each other, or side by side."""
    together = min(part[3], region[3]) - max(part[1], region[1])
    beside = together > 0.5 * min(part[3] - part[1], region[3] - region[1])
    return max(distances(part, region)) <= (_BESIDE_GAP if beside else _PART_GAP)


def _with_labels(region: Box, caption: Caption, layout: Layout) -> Box:
    """The region with the short lines at its edge and between it and its caption."""
    for _ in range(3):
        near = [
            label
            for label in layout.labels
            if _is_at(label, region) or _stands_between(label, region, caption.box)
        ]
        region = union([region, *near])
    return region


def _text_above(caption: Caption, layout: Layout) -> Box | None:
    """A figure made of text alone: the lines above the caption up to running text or another caption."""
    walls = [*layout.body, *layout.barriers, *(other.box for other in layout.captions if other != caption)]
    floor = max(
        (wall[3] for wall in walls if wall[3] <= caption.box[1] + 1 and _beside(wall, caption.box)), default=0
    )
    region: Box | None = None
    top = caption.box[1]
    for line in sorted(layout.labels, key=lambda box: -box[3]):
        if line[3] <= caption.box[1] + 1 and line[1] >= floor - 1 and _beside(line, caption.box):
            if top - line[3] > (_LINE_GAP if region else 2 * _LINE_GAP):
                break
            region, top = union([region, line]) if region else line, min(top, line[1])
    return (
        _off_caption(region, caption.box, layout) if region and region[3] - region[1] > 2 * SMALLEST else None
    )


def _off_caption(region: Box, caption: Box, layout: Layout) -> Box:
    """The region with a margin, within the page and off the caption."""
    left, top, right, bottom = region
    width, height = layout.size
    above = top < caption[1]
    top = max(0.0, top - _MARGIN) if above else max(top - _MARGIN, caption[3] + 0.5)
    bottom = min(bottom + _MARGIN, caption[1] - 0.5) if above else min(height, bottom + _MARGIN)
    return (max(0.0, left - _MARGIN), top, min(width, right + _MARGIN), bottom)


def _count_between(between: Box, near: tuple[float, float], boxes: list[Box]) -> int:
    """Number of boxes between, within the columns of both."""
    return sum(
        1
        for box in boxes
        if between[1] - 1 <= box[1] and box[3] <= between[3] + 1 and box[0] < near[1] and near[0] < box[2]
    )


def _column(box: Box, second: Box) -> tuple[float, float]:
    """The horizontal overlap of the two; their whole width if there is none."""
    left, right = max(box[0], second[0]), min(box[2], second[2])
    return (left, right) if left < right else (min(box[0], second[0]), max(box[2], second[2]))


def _stands_between(box: Box, region: Box, caption: Box) -> bool:
    top, bottom = (
        sorted((region[3], caption[1])) if region[1] < caption[1] else sorted((caption[3], region[1]))
    )
    return _beside(box, region) and top - 1 <= box[1] and box[3] <= bottom + 1


def _is_at(label: Box, region: Box) -> bool:
    """Whether a label stands at the region's edge. Axis labels stand off a little, a rotated axis name more."""
    across, down = distances(label, region)
    upright = label[3] - label[1] > 2 * (label[2] - label[0])
    return down <= _LABEL_GAP and across <= (_NAME_GAP if upright else _AXIS_GAP)


def _beside(box: Box, second: Box) -> bool:
    return box[0] < second[2] and second[0] < box[2]
