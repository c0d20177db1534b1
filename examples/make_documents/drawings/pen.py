"""Strokes, fills, labels and arrows shared by all drawings; lengths are PDF points, the origin is bottom left."""

from collections.abc import Iterable
from math import atan2, cos, pi, sin
from typing import Literal

from reportlab.graphics.shapes import Circle, Drawing, Ellipse, Group, Line, Polygon, PolyLine, Rect, String
from reportlab.lib.colors import Color, HexColor
from reportlab.pdfbase.pdfmetrics import stringWidth

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

INK = HexColor(0x1E2328)
GREY = HexColor(0x6B747C)
LIGHT = HexColor(0xC3CAD0)
METAL = HexColor(0xDCE2E7)
STEEL = HexColor(0xAEB9C2)
WATER = HexColor(0xD3E7F5)
BLUE = HexColor(0x1F6FB2)
RED = HexColor(0xB3372B)
AMBER = HexColor(0xC98A10)
GREEN = HexColor(0x3C7D4E)
WHITE = HexColor(0xFFFFFF)
RISK_LOW = HexColor(0xDCEBDD)
RISK_MEDIUM = HexColor(0xFBE8BF)
RISK_HIGH = HexColor(0xF3C6BF)


def sheet(width: float, height: float) -> Drawing:
    return Drawing(width, height)


def line(on: Drawing, *points: Point, color: Color = INK, width: float = 1, dash: Iterable[float] = ()) -> None:
    on.add(PolyLine(_flat(points), strokeColor=color, strokeWidth=width, strokeDashArray=list(dash)))


def area(on: Drawing, *points: Point, fill: Color | None = METAL, stroke: Color | None = INK, width: float = 1) -> None:
    on.add(Polygon(_flat(points), fillColor=fill, strokeColor=stroke, strokeWidth=width))


def box(
    on: Drawing,
    x: float,
    y: float,
    width: float,
    height: float,
    fill: Color | None = METAL,
    stroke: Color | None = INK,
    radius: float = 0,
    line_width: float = 1,
) -> None:
    shape = Rect(x, y, width, height, rx=radius, ry=radius)
    shape.fillColor, shape.strokeColor, shape.strokeWidth = fill, stroke, line_width
    on.add(shape)


def disc(on: Drawing, centre: Point, radius: float, fill: Color | None = METAL, stroke: Color | None = INK) -> None:
    on.add(Circle(*centre, radius, fillColor=fill, strokeColor=stroke, strokeWidth=1))


def oval(on: Drawing, centre: Point, rx: float, ry: float, fill: Color | None = METAL, width: float = 1) -> None:
    on.add(Ellipse(*centre, rx, ry, fillColor=fill, strokeColor=INK, strokeWidth=width))


def text(
    on: Drawing,
    at: Point,
    words: str,
    size: float = 8.5,
    anchor: Anchor = "start",
    bold: bool = False,
    color: Color = INK,
    upright: bool = False,
) -> None:
    """Write `words` with the baseline at `at`; `upright` runs them from bottom to top."""
    font = "Helvetica-Bold" if bold else "Helvetica"
    string = String(0, 0, words, fontName=font, fontSize=size, textAnchor=anchor, fillColor=color)
    turn = (0, 1, -1, 0) if upright else (1, 0, 0, 1)
    on.add(Group(string, transform=(*turn, *at)))


def arrow(
    on: Drawing,
    *points: Point,
    color: Color = BLUE,
    width: float = 1.6,
    head: float = 7,
    dash: Iterable[float] = (),
) -> None:
    """A path through `points` with an arrow head at its last one."""
    (x0, y0), (x1, y1) = points[-2:]
    angle = atan2(y1 - y0, x1 - x0)
    neck = (x1 - head * 0.8 * cos(angle), y1 - head * 0.8 * sin(angle))
    line(on, *points[:-1], neck, color=color, width=width, dash=dash)
    wings = [(x1 - head * cos(angle + turn), y1 - head * sin(angle + turn)) for turn in (0.4, -0.4)]
    on.add(Polygon(_flat([(x1, y1), *wings]), fillColor=color, strokeColor=None))


def callout(on: Drawing, words: str, at: Point, target: Point, anchor: Anchor = "start", size: float = 8.5) -> None:
    """`words` at `at`, with a thin line from the nearest edge of the words to a dot on `target`."""
    text(on, at, words, size=size, anchor=anchor)
    width = stringWidth(words, "Helvetica", size)
    left = at[0] - {"start": 0, "middle": width / 2, "end": width}[anchor]
    nearest = (_within(left - 3, target[0], left + width + 3), _within(at[1] - 3, target[1], at[1] + size))
    on.add(Line(*nearest, *target, strokeColor=GREY, strokeWidth=0.6))
    on.add(Circle(*target, 1.6, fillColor=INK, strokeColor=None))


def dimension(on: Drawing, start: Point, end: Point, words: str) -> None:
    """A dimension line with an arrow head at both ends and `words` along it."""
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    for tail in (start, end):
        arrow(on, middle, tail, color=GREY, width=0.7, head=5)
    if start[0] == end[0]:
        text(on, (middle[0] - 4, middle[1]), words, size=8, anchor="middle", upright=True)
    else:
        text(on, (middle[0], middle[1] + 3), words, size=8, anchor="middle")


def hatch(on: Drawing, x: float, y: float, width: float, height: float, step: float = 4, color: Color = GREY) -> None:
    """Section lines at 45 degrees, clipped to the rectangle."""
    shift = step
    while shift < width + height:
        low = (x + max(shift - height, 0), y + min(shift, height))
        high = (x + min(shift, width), y + max(shift - width, 0))
        on.add(Line(*low, *high, strokeColor=color, strokeWidth=0.4))
        shift += step


def on_circle(centre: Point, radius: float, degrees: float) -> Point:
    return centre[0] + radius * cos(degrees * pi / 180), centre[1] + radius * sin(degrees * pi / 180)


def _within(low: float, value: float, high: float) -> float:
    return min(max(low, value), high)


def _flat(points: Iterable[Point]) -> list[float]:
    return [round(value, 3) for point in points for value in point]
