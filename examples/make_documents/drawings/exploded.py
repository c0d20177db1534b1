"""The impeller and the parts that hold it, pulled apart along the shaft."""

from math import log

from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import Color

from drawings import pen

AXIS = 118
FLAT = 0.32
EYE, RIM = 27.0, 64.0


def impeller() -> Drawing:
    on = pen.sheet(460, 226)
    pen.line(on, (8, AXIS), (452, AXIS), color=pen.GREY, width=0.6, dash=(9, 3, 2, 3))
    _shaft(on)
    _ring(on, 272, 34, 24)
    _wheel(on, 186)
    _ring(on, 122, 38, 29)
    _washer(on, 80)
    _nut(on, 34)
    _labels(on)
    return on


def _cylinder(on: Drawing, x: float, length: float, radius: float, face: Color = pen.METAL) -> None:
    pen.oval(on, (x + length, AXIS), radius * FLAT, radius, fill=pen.STEEL)
    pen.box(on, x, AXIS - radius, length, 2 * radius, fill=pen.STEEL, stroke=None)
    for side in (-1, 1):
        pen.line(on, (x, AXIS + side * radius), (x + length, AXIS + side * radius))
    pen.oval(on, (x, AXIS), radius * FLAT, radius, fill=face)


def _bore(on: Drawing, x: float, radius: float, fill: Color = pen.WHITE) -> None:
    pen.oval(on, (x, AXIS), radius * FLAT, radius, fill=fill)


def _shaft(on: Drawing) -> None:
    _cylinder(on, 404, 40, 19)
    _cylinder(on, 352, 52, 13)
    _cylinder(on, 326, 26, 9)
    for x in range(330, 350, 4):
        pen.line(on, (x, AXIS - 9), (x + 2, AXIS + 9), color=pen.GREY, width=0.6)
    pen.box(on, 366, AXIS + 3, 28, 6, fill=pen.GREY)
    pen.box(on, 366, AXIS + 42, 28, 7, fill=pen.AMBER)
    pen.line(on, (380, AXIS + 40), (380, AXIS + 11), color=pen.GREY, width=0.7, dash=(3, 2))


def _ring(on: Drawing, x: float, outer: float, inner: float) -> None:
    _cylinder(on, x, 12, outer)
    _bore(on, x, inner)
    pen.line(on, (x + 2, AXIS), (x + inner * FLAT, AXIS), color=pen.GREY, width=0.6)


def _washer(on: Drawing, x: float) -> None:
    _cylinder(on, x, 3, 19)
    _bore(on, x, 9)
    pen.area(on, (x - 2, AXIS + 18), (x - 6, AXIS + 27), (x + 1, AXIS + 28), (x + 3, AXIS + 18))


def _nut(on: Drawing, x: float) -> None:
    corners = [pen.on_circle((0, 0), 21, turn) for turn in range(0, 360, 60)]
    face = [(x + across * FLAT, AXIS + up) for across, up in corners]
    back = [(px + 16, py) for px, py in face]
    for one, two in ((1, 2), (0, 1), (5, 0), (4, 5)):
        pen.area(on, face[one], back[one], back[two], face[two], fill=pen.STEEL)
    pen.area(on, *face)
    _bore(on, x, 10)


def _wheel(on: Drawing, x: float) -> None:
    _cylinder(on, x + 26, 8, RIM)
    _cylinder(on, x + 8, 18, RIM - 2, face=pen.WATER)
    for up in (-0.86, -0.55, -0.2, 0.2, 0.55, 0.86):
        edge = (1 - up * up) ** 0.5 * RIM * FLAT
        pen.line(on, (x + 12 - edge, AXIS + up * RIM), (x + 24 - edge, AXIS + up * RIM * 0.96), width=1.6)
    _cylinder(on, x, 8, RIM)
    for vane in range(6):
        pen.line(on, *_hidden_vane(x, 60 * vane + 20), color=pen.GREY, width=1, dash=(4, 2.5))
    _cylinder(on, x - 14, 14, EYE + 4)
    _bore(on, x - 14, EYE, fill=pen.WATER)
    _bore(on, x - 9, 11, fill=pen.STEEL)
    _bore(on, x - 9, 7)


def _hidden_vane(x: float, start: float) -> list[pen.Point]:
    radii = [33 + (RIM - 36) * step / 15 for step in range(16)]
    rim = [pen.on_circle((0, 0), radius, start - 97 * log(radius / EYE)) for radius in radii if radius < RIM]
    return [(x + across * FLAT, AXIS + up) for across, up in rim]


def _labels(on: Drawing) -> None:
    pen.callout(on, "1 Impeller nut", (10, 176), (40, AXIS + 16))
    pen.callout(on, "2 Lock washer", (52, 40), (80, AXIS - 15))
    pen.callout(on, "3 Wear ring, suction side", (74, 200), (124, AXIS + 35))
    pen.callout(on, "4 Impeller, closed", (226, 208), (200, AXIS + 56))
    pen.callout(on, "5 Rear shroud", (214, 22), (216, AXIS - 58))
    pen.callout(on, "6 Vane (hidden)", (96, 22), (184, AXIS - 47))
    pen.callout(on, "7 Wear ring, rear", (282, 184), (276, AXIS + 30))
    pen.callout(on, "8 Key", (412, 170), (388, AXIS + 46))
    pen.callout(on, "9 Shaft end with thread", (322, 60), (340, AXIS - 6))
