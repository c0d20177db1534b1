"""Put the shapes of a slide into reading order by their positions: by rows, or by columns under headings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from corpus.readers.markup import name_of

_POINT = 12_700
"""Number of EMU (English Metric Units) per point."""

_USUAL_SIZE = 18
"""Font size in points assumed for a box that specifies none: PowerPoint's default."""

_LINE, _LETTER = 1.2, 0.5
"""Height of a line and width of a character, in font sizes. Both are approximately right for fonts on slides."""

_OVERLAP = 0.1
"""Fraction of the smaller side by which adjacent boxes may overlap. Frames are drawn by hand and larger than their
text."""

_SHORT = 60
"""Maximum length, in characters, of a line that may be a heading."""

_LABEL = 8
"""Maximum length, in characters, of a label before other text, such as a year, number or letter."""

_MAX_BOXES = 300
"""Maximum number of boxes that are sorted. The running time is quadratic, and no slide made for people has more."""

_GROUND = 0.7
"""Minimum fraction of the content's area that a background picture covers."""


@dataclass(frozen=True, slots=True)
class Box:
    """The text area of a shape, in the units of the format. `grouped` shapes get their position from their group.

    A box that `is_short` may be a heading. `weight` is its font size in points, and whether all of its text is bold.
    """

    shape: Any
    left: float
    top: float
    right: float
    bottom: float
    grouped: bool = False
    is_picture: bool = False
    is_short: bool = False
    length: int = 0
    weight: tuple[float, bool] = (0, False)

    @property
    def area(self) -> float:
        """Area in square units."""
        return max(0.0, self.right - self.left) * max(0.0, self.bottom - self.top)


def in_reading_order(shapes: Iterable[Any]) -> list[tuple[Any, bool]]:
    """Return the shapes in reading order, each with a flag that is true if it was in a group.

    A group that does not overlap other shapes is treated as one shape.
    """
    boxes, without = list[Box](), list[Any]()
    for shape in shapes:
        box = _box(shape)
        if box is None or not _says_something(shape):
            without.append(shape)
        else:
            boxes.append(box)
    if len(boxes) <= _MAX_BOXES:
        boxes = [part for box in boxes for part in (_parts(box) if _is_mixed(box, boxes) else [box])]
    return [*((box.shape, box.grouped) for box in sort_boxes(boxes)), *((shape, False) for shape in without)]


def sort_boxes(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes of a slide of any format in reading order."""
    if len(boxes) > _MAX_BOXES:
        return sorted(boxes, key=lambda box: (box.top, box.left))
    grounds = [box for box in boxes if len(boxes) > 1 and _is_ground(box, boxes)]
    return [*grounds, *_sort([box for box in boxes if box not in grounds])]


def is_heading_like(texts: Sequence[str]) -> bool:
    """Return whether the paragraphs of a box may be a heading: one short line."""
    texts = [text for text in texts if text.strip()]
    return len(texts) == 1 and len(texts[0]) <= _SHORT


def _sort(boxes: Sequence[Box]) -> list[Box]:
    if len(boxes) < 2:
        return list(boxes)
    columns = _split(boxes, lambda box: (box.left, box.right))
    rows = _split(boxes, lambda box: (box.top, box.bottom))
    if len(columns) > 1 and len(bands := _cards(rows, columns)) > 1:
        return [box for band in bands for box in _sort(band)]
    if len(columns) > 1 and (len(rows) == 1 or _by_columns(rows, columns)):
        return [box for column in columns for box in _sort(column)]
    if len(columns) > 1:
        return [box for row in rows for box in sorted(row, key=lambda box: box.left)]
    if len(rows) == 1:
        return sorted(boxes, key=lambda box: (box.top, box.left))
    groups = _grids(rows)
    return [box for group in (groups if len(groups) > 1 else rows) for box in _sort(group)]


def _grids(rows: Sequence[list[Box]]) -> list[list[Box]]:
    """Join rows as long as they share columns. A heading across all columns stays separate."""
    groups = [list(rows[0])]
    for row in rows[1:]:
        together = [*groups[-1], *row]
        if len(_split(together, lambda box: (box.left, box.right))) > 1:
            groups[-1] = together
        else:
            groups.append(list(row))
    return groups


def _cards(rows: Sequence[list[Box]], columns: Sequence[list[Box]]) -> list[list[Box]]:
    """Split rows into rows of cards (a heading with its text below) if gaps separate the cards. Otherwise return one
    part."""
    height = next((place for place in range(1, len(rows)) if all(box.is_short for box in rows[place])), len(rows))
    is_even = len(rows) % height == 0 and all(len(row) == len(columns) for row in rows)
    bands = [list(rows[start : start + height]) for start in range(0, len(rows), height)]
    starts = all(all(box.is_short for box in band[0]) and not all(box.is_short for box in band[-1]) for band in bands)
    if height < 2 or height == len(rows) or not (is_even and starts):
        return [[box for row in rows for box in row]]
    gaps = list(_gaps(rows, lambda box: (box.top, box.bottom)))
    between = [gap for place, gap in enumerate(gaps, 1) if place % height == 0]
    within = [gap for place, gap in enumerate(gaps, 1) if place % height]
    if min(between) <= max(within):
        return [[box for row in rows for box in row]]
    return [[box for row in band for box in row] for band in bands]


def _by_columns(rows: Sequence[list[Box]], columns: Sequence[list[Box]]) -> bool:
    """Return whether a grid is read by columns: it has a row of headings or pictures, and no column of labels."""
    heads, labels = rows[0], columns[0]
    below = [box for row in rows[1:] for box in row]
    beside = [box for column in columns[1:] for box in column]
    if len(heads) < 2:
        return True
    if all(box.is_picture for box in heads) != all(box.is_picture for box in below):
        return True
    is_headed, is_labelled = all(box.is_short for box in heads), all(box.is_short for box in labels)
    if is_headed != is_labelled:
        return is_headed
    if is_headed:
        is_headed = min(box.weight for box in heads) > max(box.weight for box in below)
        is_labelled = min(box.weight for box in labels) > max(box.weight for box in beside)
        if is_headed != is_labelled:
            return is_headed
        if max(box.length for box in labels) <= _LABEL and len(rows) > 2:
            return False
    across = min(_gaps(columns, lambda box: (box.left, box.right)))
    down = min(_gaps(rows, lambda box: (box.top, box.bottom)))
    return across >= down


def _split(boxes: Sequence[Box], span: Callable[[Box], tuple[float, float]]) -> list[list[Box]]:
    """Split boxes wherever a straight line separates them, and return the parts in order."""
    parts = list[list[Box]]()
    end = -math.inf
    for box in sorted(boxes, key=span):
        first, last = span(box)
        slack = _OVERLAP * min(last - first, end - min(span(each)[0] for each in parts[-1])) if parts else 0
        if parts and first < end - max(0, slack):
            parts[-1].append(box)
        else:
            parts.append([box])
        end = max(end, last)
    return parts


def _gaps(parts: Sequence[list[Box]], span: Callable[[Box], tuple[float, float]]) -> Iterator[float]:
    for before, after in pairwise(parts):
        yield min(span(box)[0] for box in after) - max(span(box)[1] for box in before)


def _box(shape: Any) -> Box | None:
    left, top, width, height = shape.left, shape.top, shape.width, shape.height
    if None in (left, top, width, height):
        return None
    if getattr(shape, "has_text_frame", False) and _is_top_anchored(shape):
        height = min(height, _text_height(shape.text_frame, width)) if height else _text_height(shape.text_frame, width)
    texts = (
        [paragraph.text for paragraph in shape.text_frame.paragraphs] if getattr(shape, "has_text_frame", False) else []
    )
    return Box(
        shape, left, top, left + width, top + height,
        is_picture=name_of(shape._element) == "pic", is_short=is_heading_like(texts),
        length=sum(map(len, texts)), weight=_weight(shape),
    )  # fmt: skip


def _is_top_anchored(shape: Any) -> bool:
    properties = shape.text_frame._txBody.find("{*}bodyPr")
    anchor = None if properties is None else properties.get("anchor")
    return anchor in (None, "t") and not shape.is_placeholder


def _text_height(frame: Any, width: int) -> int:
    size = _size(frame) * _POINT
    lines = sum(
        max(1, math.ceil(len(paragraph.text) * _LETTER * size / max(width, size))) for paragraph in frame.paragraphs
    )
    return int(lines * _LINE * size)


def _size(frame: Any) -> float:
    sizes = [int(run.get("sz")) / 100 for run in frame._txBody.iter("{*}rPr") if (run.get("sz") or "").isdecimal()]
    return max(sizes, default=_USUAL_SIZE)


def _weight(shape: Any) -> tuple[float, bool]:
    if not getattr(shape, "has_text_frame", False):
        return (0, False)
    runs = list(shape.text_frame._txBody.iter("{*}rPr"))
    return (_size(shape.text_frame), bool(runs) and all(run.get("b") == "1" for run in runs))


def _is_ground(box: Box, boxes: Sequence[Box]) -> bool:
    """Return whether a picture is the background of all other content."""
    if not box.is_picture:
        return False
    width = max(each.right for each in boxes) - min(each.left for each in boxes)
    height = max(each.bottom for each in boxes) - min(each.top for each in boxes)
    return box.area >= _GROUND * width * height


def _says_something(shape: Any) -> bool:
    if getattr(shape, "has_text_frame", False) and shape.text_frame.text.strip():
        return True
    return name_of(shape._element) in ("pic", "graphicFrame", "grpSp") or any(
        True for _ in shape._element.iter("{*}blip")
    )


def _is_mixed(box: Box, boxes: Sequence[Box]) -> bool:
    """Return whether other shapes overlap a group's box."""
    return hasattr(box.shape, "shapes") and any(
        other is not box
        and min(box.right, other.right) - max(box.left, other.left) > 0
        and min(box.bottom, other.bottom) - max(box.top, other.top) > 0
        for other in boxes
    )


def _parts(box: Box) -> list[Box]:
    """Return the shapes of a group, at their positions on the slide."""
    frame = box.shape._element.find("{*}grpSpPr/{*}xfrm")
    inner = None if frame is None else (frame.find("{*}chOff"), frame.find("{*}chExt"))
    if inner is None or None in inner:
        return [box]
    left, top = int(inner[0].get("x", 0)), int(inner[0].get("y", 0))
    wide = (box.right - box.left) / (int(inner[1].get("cx", 0)) or 1)
    high = (box.bottom - box.top) / (int(inner[1].get("cy", 0)) or 1)
    parts = []
    for shape in box.shape.shapes:
        part = _box(shape)
        if part is None:
            parts.append(Box(shape, box.left, box.top, box.right, box.bottom, grouped=True))
            continue
        at, down = box.left + (part.left - left) * wide, box.top + (part.top - top) * high
        right, bottom = at + (part.right - part.left) * wide, down + (part.bottom - part.top) * high
        parts.append(replace(part, left=at, top=down, right=right, bottom=bottom, grouped=True))
    return parts
