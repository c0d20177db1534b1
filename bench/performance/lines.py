"""Draw a line chart of growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.performance.canvas import LETTER, LIGHT, WIDTH, Canvas
from bench.performance.scales import Scale, fitted, short

TOP, HEIGHT, BOTTOM, LEFT = 64, 270, 44, 62
ROW = 15
"""Minimum distance in pixels between the names of two lines."""

Points = Sequence[tuple[float, float]]


def chart(title: str, across: str, up: str, series: Mapping[str, Points], *, logarithmic: bool) -> str:
    """Return the SVG. Each line has its name at its end, so that no information depends only on colour."""
    canvas = Canvas(TOP + HEIGHT + BOTTOM, title)
    room = max(len(name) for name in series) * LETTER + 16
    points = [point for line in series.values() for point in line]
    x = fitted([a for a, _ in points], LEFT, WIDTH - room - 8, logarithmic=logarithmic)
    y = fitted([b for _, b in points], TOP + HEIGHT, TOP, logarithmic=logarithmic)
    canvas.text(16, 26, title, kind="title")
    canvas.text(16, 48, up, kind="soft")
    _axes(canvas, x, y, across)
    for n, line in enumerate(series.values()):
        places = [(x.at(a), y.at(b)) for a, b in sorted(line)]
        canvas.path(places, f"l{n % len(LIGHT)}")
        for place in places:
            canvas.dot(*place, f"f{n % len(LIGHT)}")
    _names(canvas, series, x, y)
    return canvas.svg()


def _axes(canvas: Canvas, x: Scale, y: Scale, across: str) -> None:
    for tick in y.ticks():
        canvas.line(x.start, y.at(tick), x.end, y.at(tick), "grid")
        canvas.text(x.start - 8, y.at(tick) + 4, short(tick), anchor="end", kind="soft")
    for tick in x.ticks():
        canvas.line(x.at(tick), y.start, x.at(tick), y.start + 5, "axis")
        canvas.text(x.at(tick), y.start + 18, short(tick), anchor="middle", kind="soft")
    canvas.line(x.start, y.start, x.end, y.start, "axis")
    canvas.text((x.start + x.end) / 2, y.start + 36, across, anchor="middle", kind="soft")


def _names(canvas: Canvas, series: Mapping[str, Points], x: Scale, y: Scale) -> None:
    """Place the names from the lowest end upwards, each at least a row above the previous one; if there is not enough
    room, shift them down."""
    ends = [(*max(line), name, n) for n, (name, line) in enumerate(series.items())]
    free = y.start
    places = []
    for end_x, end_y, name, n in sorted(ends, key=lambda end: -y.at(end[1])):
        place = min(y.at(end_y), free)
        free = place - ROW
        places.append((x.at(end_x), place, name, n))
    over = max(0, TOP - places[-1][1])
    for at, place, name, n in places:
        canvas.text(max(at, x.end) + 8, place + over + 4, name, kind=f"t{n % len(LIGHT)}")
