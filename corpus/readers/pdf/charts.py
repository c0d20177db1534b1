"""Pictures and drawings without a caption, as on slides and in reports: large, and more than text or rules."""

from __future__ import annotations

from corpus.blocks import Box
from corpus.readers.pdf.layout import contains
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.objects import Drawn
from corpus.readers.pdf.shown import union

_LARGE = 0.04
_WHOLE = 0.85
"""Of the page; a picture over all of it is a scan or a background."""

_TEXT = 1 / 3
_FEWEST_PATHS = 3
_NEAR = 20.0
_LABEL = 12.0
_SHORT = 60
_SMALLEST = 40.0
_LONGEST = 10


def may_have_charts(drawn: Drawn) -> bool:
    """Whether anything on the page can make one; most pages of text have nothing."""
    return bool(drawn.pictures) or len(drawn.paths) >= _FEWEST_PATHS


def charts_of(
    clusters: list[Box], drawn: Drawn, lines: list[Line], taken: list[Box], size: tuple[float, float]
) -> list[Box]:
    """Boxes of charts and pictures outside of what is `taken`, with the labels at their edges."""
    page = size[0] * size[1]
    free = [box for box in clusters if not any(_share(box, other) > 0.3 for other in taken)]
    groups = _together([box for box in free if _area(box) <= _WHOLE * page])
    boxes = []
    for group in groups:
        box = _with_labels(group, lines, taken)
        if _is_chart(box, group, drawn, lines, page):
            boxes.append(box)
    return boxes


def _is_chart(box: Box, group: Box, drawn: Drawn, lines: list[Line], page: float) -> bool:
    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    if short < _SMALLEST or long > _LONGEST * short or not _LARGE * page < _area(box) < _WHOLE * page:
        return False
    text = sum(_area(line.box) for line in lines if contains(box, line.box))
    if text > _TEXT * _area(box):
        return False
    pictures = [each for each in drawn.pictures if _share(each, group) > 0.5 and _area(each) < _WHOLE * page]
    if any(_area(each) > 0.25 * _area(group) for each in pictures):
        return True
    paths = [each for each in drawn.paths if contains(group, each) and _area(each) < 0.9 * _area(group)]
    return len(paths) >= _FEWEST_PATHS


def _together(boxes: list[Box]) -> list[Box]:
    """Parts that stand near each other as one."""
    groups = list(boxes)
    merged = True
    while merged:
        merged = False
        for i, one in enumerate(groups):
            for other in groups[i + 1 :]:
                if _gap(one, other) <= _NEAR:
                    groups.remove(one)
                    groups.remove(other)
                    groups.append(union([one, other]))
                    merged = True
                    break
            if merged:
                break
    return groups


def _with_labels(box: Box, lines: list[Line], taken: list[Box]) -> Box:
    for _ in range(2):
        near = [
            line.box
            for line in lines
            if len(line.text) <= _SHORT
            and _gap(line.box, box) <= _LABEL
            and line.box[2] - line.box[0] <= box[2] - box[0]
            and not any(contains(other, line.box) for other in taken)
        ]
        box = union([box, *near])
    return box


def _gap(one: Box, other: Box) -> float:
    """The larger of the distances across and down; 0 when they overlap."""
    return max(0.0, one[0] - other[2], other[0] - one[2], one[1] - other[3], other[1] - one[3])


def _share(box: Box, other: Box) -> float:
    """How much of the box lies in the other one."""
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    return max(0.0, across) * max(0.0, down) / max(_area(box), 1.0)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
