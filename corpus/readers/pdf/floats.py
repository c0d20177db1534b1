"""Floats of a page: captioned figures, tables, and charts and pictures without captions."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from corpus.documents.block import Box
from corpus.readers.pdf.page_figures import Figure, Ink, captioned_figures, layout_of, uncaptioned_figure
from corpus.readers.pdf.page_geometry import PageGeometry, area, contains, distances, pdfium, share_within, sides, union
from corpus.readers.pdf.page_objects import Drawings, Object, drawings_of
from corpus.readers.pdf.rules import Rules
from corpus.readers.pdf.tables.detection import Table, tables_of
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.page_text import PageCharacters

_MIN_AREA = 0.04  # Minimum fraction of the page that a figure covers; logos and icons are smaller.
_MAX_AREA = 0.85  # Maximum fraction of the page that a figure covers; a larger picture is a scan or a background.
_MAX_TEXT_SHARE = 1 / 3  # Maximum fraction of a figure's area that text covers; a shaded text box exceeds it.
_MAX_COVERED = 0.25
"""Maximum fraction of a box that characters may cover if the box is to count as empty. Characters written into a comb
field cover more: they are half as high as the field."""

_MIN_PATHS = 3  # Minimum number of paths, or of bars among them, in a chart; a frame and a rule are two paths.
_MAX_CLUSTERS = 60  # Maximum number of clusters, largest first; the running time for grouping them is quadratic.
_MAX_AREAS = 200  # Maximum number of areas or grids examined; a map has thousands.
_GROUP_GAP = 20.0  # Maximum distance in points between parts of one chart, such as its plot and its legend.
_LABEL_GAP = 12.0  # Maximum distance in points between a chart and the labels next to it.
_PALE_EDGE = 24.0  # Maximum distance in points by which a picture's pale margin may extend beyond its ink.
_MAX_AXIS_WIDTH = 2.0  # Maximum width of an axis in points; programs draw 0.5 to 1.5, and thicker strokes are bars.
_ALIGNED = 3.0  # Maximum distance in points between the ends of grid lines that count as aligned.
# Maximum ratio of a grid's size to that of the drawing over it; a rule across the page exceeds it.
_MAX_SCALE_SIZE = 1.6
_LABEL_HEIGHTS = 1.6  # Maximum distance, in label heights, from a chart to a title or legend above or below it.
_MIN_SIDE = 40.0  # Minimum length of an axis in points; shorter strokes are ticks and dashes.


def may_have_charts(drawings: Drawings) -> bool:
    """Return whether the page draws enough for a chart. Most text pages do not."""
    return bool(drawings.pictures) or len(drawings.paths) >= _MIN_PATHS


def charts_of(
    clusters: list[Box],
    drawings: Drawings,
    lines: list[Line],
    used_boxes: list[Box],
    size: tuple[float, float],
) -> list[Box]:
    """Return the boxes of charts and pictures outside `used_boxes`, including the labels at their edges. `size` is the
    width and height of the page in points."""
    page = size[0] * size[1]
    pictures = [box for box in drawings.pictures if area(box) < _MAX_AREA * page]
    free = [
        box
        for box in clusters[:_MAX_CLUSTERS]
        if area(box) <= _MAX_AREA * page and not any(share_within(box, other) > 0.3 for other in used_boxes)
    ]
    groups = _merge_groups([*free, *_scales(drawings, free)], pictures)
    labels = [
        box
        for box in layout_of(lines, [], [], clusters, size).labels
        if not any(contains(other, box) for other in used_boxes)
    ]
    boxes = [(_with_labels(_whole_pictures(group, pictures), labels), group) for group in groups]
    return [
        box
        for box, group in boxes
        if _is_chart(box, group, drawings, lines, page)
        and not any(share_within(other, box) > 0.5 for other in used_boxes)
    ]


def _is_chart(box: Box, group: Box, drawings: Drawings, lines: list[Line], page: float) -> bool:
    if not _MIN_AREA * page < area(box) < _MAX_AREA * page:
        return False
    text = sum(area(line.box) for line in lines if contains(box, line.box))
    if text > _MAX_TEXT_SHARE * area(box):
        return False
    pictures = [each for each in drawings.pictures if share_within(each, group) > 0.5 and area(each) < _MAX_AREA * page]
    if any(area(each) > 0.25 * area(group) for each in pictures):
        return True
    curves, areas, paths = (
        [each for each in boxes if contains(group, each)] for boxes in (drawings.curves, drawings.areas, drawings.paths)
    )
    return len(paths) >= _MIN_PATHS and (bool(curves) or len(_empty(areas, lines)) >= _MIN_PATHS)


def _empty(areas: list[Box], lines: list[Line]) -> list[Box]:
    """Return bars and similar empty areas, but not comb fields or the shading behind words."""
    return [
        box
        for box in areas[:_MAX_AREAS]
        if not any(contains(box, line.box) or share_within(box, line.box) > _MAX_COVERED for line in lines)
    ]


def _whole_pictures(group: Box, pictures: list[Box]) -> Box:
    """Return the group extended by the pale margins of its pictures."""
    left, top = group[0] - _PALE_EDGE, group[1] - _PALE_EDGE
    right, bottom = group[2] + _PALE_EDGE, group[3] + _PALE_EDGE
    parts = [
        (max(left, box[0]), max(top, box[1]), min(right, box[2]), min(bottom, box[3]))
        for box in pictures
        if share_within(box, group) > 0.5
    ]
    return union([group, *parts])


def _scales(drawings: Drawings, clusters: list[Box]) -> list[Box]:
    """Return boxes of grids and axes, including pale ones, over which something is drawn."""
    lines: dict[tuple[bool, int, int], list[Box]] = defaultdict(list)
    for box in drawings.paths:
        width, height = box[2] - box[0], box[3] - box[1]
        if min(width, height) <= _MAX_AXIS_WIDTH and max(width, height) >= _MIN_SIDE:
            level = width > height
            ends = (box[0], box[2]) if level else (box[1], box[3])
            lines[level, round(ends[0] / _ALIGNED), round(ends[1] / _ALIGNED)].append(box)
    grids = [*drawings.grids, *(union(group) for group in lines.values())][:_MAX_AREAS]
    return [
        grid
        for grid in grids
        if any(
            max(distances(grid, box)) == 0 and _is_scale(grid, box)
            for box in clusters
            if min(sides(box)) > _MAX_AXIS_WIDTH
        )
    ]


def _is_scale(grid: Box, cluster: Box) -> bool:
    """Return whether the grid is not much larger than the ink over it."""
    across, down = sides(grid)
    width, height = sides(cluster)
    return across <= _MAX_SCALE_SIZE * width and (down <= _MAX_SCALE_SIZE * height or across >= 0.8 * width)


def _merge_groups(boxes: list[Box], pictures: list[Box]) -> list[Box]:
    """Merge boxes that are close together or in one picture."""
    groups = list(boxes)
    pair: tuple[Box, Box] | None = None
    while pair := next((each for each in combinations(groups, 2) if _are_one_group(*each, pictures)), None):
        groups = [*(box for box in groups if box not in pair), union(list(pair))]
    return groups


def _are_one_group(box: Box, second: Box, pictures: list[Box]) -> bool:
    return max(distances(box, second)) <= _GROUP_GAP or any(
        share_within(box, picture) > 0.5 and share_within(second, picture) > 0.5 for picture in pictures
    )


def _with_labels(box: Box, labels: list[Box]) -> Box:
    """Return the box extended by the short lines around it: axis labels, and a title or legend above or below."""
    for _ in range(3):
        near = [label for label in labels if _is_label(label, box)]
        box = union([box, *near])
    return box


def _is_label(label: Box, box: Box) -> bool:
    """Return whether the label is next to the box and not wider than it."""
    height = min(label[3] - label[1], label[2] - label[0])
    across, down = distances(label, box)
    if label[2] - label[0] > box[2] - box[0]:
        return False
    return across <= _LABEL_GAP + height / 2 and down <= (_LABEL_HEIGHTS * height if across == 0 else height)


def floats_of(
    page: pdfium.PdfPage,
    text: PageCharacters,
    geometry: PageGeometry,
    lines: list[Line],
    objects: list[Object],
    rules: Rules,
) -> tuple[list[Figure], list[Table]]:
    """Return the figures, captioned ones first, and the tables, without duplicates. `objects` are the page's objects,
    `rules` the rules among them."""
    ink = Ink(page, text.runs)
    drawings = drawings_of(objects, geometry)
    figures = captioned_figures(page, lines, ink)
    tables = [
        table
        for table in tables_of(page, text, geometry, lines, rules, drawings, figures)
        if table.caption or not _is_listing(table, lines)
    ]
    figures = [each for each in figures if not any(table.caption == each.caption for table in tables)]
    if may_have_charts(drawings):
        used_boxes = [*(figure.box for figure in figures), *(table.box for table in tables)]
        used_boxes += [field.box for field in text.fields]
        charts = charts_of(ink.clusters, drawings, lines, used_boxes, geometry.size)
        figures += [uncaptioned_figure(page, box, lines) for box in charts]
    return figures, tables


def _is_listing(table: Table, lines: list[Line]) -> bool:
    """Return whether the table is actually code in a shaded box, whose spaces look like columns."""
    return bool(table.inside) and all(lines[index].is_listing for index in table.inside)
