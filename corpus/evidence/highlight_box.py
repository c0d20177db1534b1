"""Position an outline on the picture of a page, in percent, so that it fits at any display size."""

from __future__ import annotations

from corpus.documents.block import Box

_AROUND = 0.25
"""Margin of an outline, as a share of the line height."""
_TALL = 12.0
"""Points. The margin of anything higher, such as a figure, grows no further."""

Share = tuple[float, float, float, float]
"""left, top, width, height in percent of the page, clipped to it."""


def highlight_box(box: Box, size: tuple[float, float]) -> Share:
    """The outline around a box, on a page of this width and height in points."""
    left, top, right, bottom = box
    margin = _AROUND * min(bottom - top, _TALL)
    across, down = max(size[0], 1.0), max(size[1], 1.0)
    x0, x1 = _percent(left - margin, across), _percent(right + margin, across)
    y0, y1 = _percent(top - margin / 2, down), _percent(bottom + margin / 2, down)
    return x0, y0, max(0.0, x1 - x0), max(0.0, y1 - y0)


def _percent(side: float, whole: float) -> float:
    return min(max(100 * side / whole, 0.0), 100.0)
