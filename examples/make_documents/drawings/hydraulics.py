"""The way of the liquid: a section along the shaft and a view into the volute."""

from collections.abc import Sequence
from math import log

from reportlab.graphics.shapes import Drawing

from drawings import pen

EYE, RIM = 0.34, 1.0
SWEEP = 97.0


def cover() -> Drawing:
    on = pen.sheet(470, 260)
    _wheel(on, (232, 118), 80)
    return on


def flow_path() -> Drawing:
    on = pen.sheet(460, 272)
    _section(on, 70, 132)
    _wheel(on, (352, 124), 56)
    pen.callout(on, "Impeller", (424, 52), (385, 96))
    pen.callout(on, "Eye", (424, 118), (358, 124))
    pen.callout(on, "Volute", (254, 44), (308, 70))
    pen.callout(on, "Tongue", (300, 226), (393, 166), anchor="end")
    pen.text(on, (116, 4), "Section along the shaft", anchor="middle", color=pen.GREY)
    pen.text(on, (352, 4), "View from the suction side", anchor="middle", color=pen.GREY)
    return on


def _wheel(on: Drawing, centre: pen.Point, rim: float) -> None:
    """Volute and impeller seen from the suction side; the impeller turns counter-clockwise."""
    x, y = centre
    top = y + rim * 2.05
    spiral = [pen.on_circle(centre, rim * (1.12 + 0.52 * (turn - 45) / 315), turn) for turn in range(45, 361, 5)]
    channel = [*spiral, (x + rim * 1.72, top), (x + rim * 0.78, top)]
    pen.area(on, *channel, fill=pen.WATER, width=2.4)
    pen.box(on, x + rim * 0.62, top, rim * 1.26, rim * 0.13, fill=pen.STEEL)
    pen.disc(on, centre, rim, fill=pen.METAL)
    for vane in range(6):
        pen.line(on, *_vane(centre, rim, 60 * vane), color=pen.INK, width=rim * 0.045)
    pen.disc(on, centre, rim * EYE, fill=pen.WATER)
    pen.disc(on, centre, rim * 0.13, fill=pen.STEEL)
    for turn in (120, 190, 260, 325):
        reach = rim * (1.12 + 0.26 * (turn - 45) / 315)
        pen.arrow(on, *[pen.on_circle(centre, reach, turn + step) for step in range(-14, 15, 4)], head=rim * 0.13)
    pen.arrow(on, (x + rim * 1.25, y + rim * 0.9), (x + rim * 1.25, top - rim * 0.12), head=rim * 0.16, width=2.2)
    turning = [pen.on_circle(centre, rim * 0.62, turn) for turn in range(150, 221, 7)]
    pen.arrow(on, *turning, color=pen.RED, width=1.8, head=rim * 0.15)


def _vane(centre: pen.Point, rim: float, start: float) -> list[pen.Point]:
    """A vane curved backwards: its angle falls with the logarithm of its radius."""
    radii = [EYE + (RIM - EYE) * step / 16 for step in range(17)]
    return [pen.on_circle(centre, rim * r, start - SWEEP * log(r / EYE)) for r in radii]


def _section(on: Drawing, x: float, y: float) -> None:
    """The pump cut along its shaft; `x` is the front of the impeller, `y` the shaft axis."""
    _casing(on, x, y)
    for side in (1, -1):
        passage = [(-8, 22), (8, 24), (16, 34), (22, 58), (36, 58), (32, 24), (20, 9), (-8, 9)]
        pen.area(on, *_mirrored(passage, x, y, side), fill=pen.WATER, stroke=None)
        front = [(-8, 21), (8, 23), (17, 33), (23, 58), (19, 58), (12, 36), (6, 28), (-8, 26)]
        rear = [(18, 7), (20, 10), (32, 24), (36, 58), (41, 58), (40, 18), (54, 16), (54, 7)]
        pen.area(on, *_mirrored(front, x, y, side), fill=pen.STEEL)
        pen.area(on, *_mirrored(rear, x, y, side), fill=pen.STEEL)
    pen.box(on, x + 12, y - 7, 128, 14)
    pen.line(on, (x - 66, y), (x + 152, y), color=pen.GREY, width=0.6, dash=(9, 3, 2, 3))
    pen.arrow(on, (x - 52, y + 10), (x - 16, y + 10))
    pen.arrow(on, (x - 52, y - 10), (x - 16, y - 10))
    for side in (1, -1):
        pen.arrow(on, *_mirrored([(2, 14), (16, 18), (25, 32), (29, 54)], x, y, side), head=6)
    pen.arrow(on, (x + 29, y + 74), (x + 29, y + 116), width=2.2, head=9)
    _section_labels(on, x, y)


def _casing(on: Drawing, x: float, y: float) -> None:
    pen.box(on, x - 58, y - 30, 64, 60)
    pen.box(on, x - 64, y - 44, 8, 88, fill=pen.STEEL)
    pen.box(on, x - 4, y - 98, 68, 172, radius=14)
    pen.box(on, x + 8, y + 66, 42, 44)
    pen.box(on, x - 4, y + 110, 66, 8, fill=pen.STEEL)
    pen.box(on, x + 56, y - 66, 14, 132, fill=pen.STEEL)
    pen.box(on, x + 70, y - 18, 16, 36, fill=pen.STEEL)
    pen.box(on, x + 92, y - 28, 44, 56, radius=4)
    for side in (-1, 1):
        for bearing in (x + 97, x + 119):
            pen.box(on, bearing, y + side * 15 - 8, 12, 16, fill=pen.WHITE)
            pen.disc(on, (bearing + 6, y + side * 15), 5, fill=pen.STEEL)
    pen.box(on, x - 64, y - 22, 72, 44, fill=pen.WATER, stroke=None)
    pen.box(on, x + 15, y + 40, 28, 78, fill=pen.WATER, stroke=None)
    pen.oval(on, (x + 29, y - 74), 20, 18, fill=pen.WATER)
    pen.box(on, x + 18, y - 62, 22, 12, fill=pen.WATER, stroke=None)
    pen.box(on, x + 10, y - 60, 8, 120, fill=pen.METAL, stroke=None)
    pen.box(on, x + 42, y - 58, 6, 116, fill=pen.WATER, stroke=None)


def _section_labels(on: Drawing, x: float, y: float) -> None:
    pen.callout(on, "Discharge", (x + 72, y + 122), (x + 36, y + 100))
    pen.callout(on, "Casing cover", (x + 84, y + 76), (x + 64, y + 56))
    pen.callout(on, "Shaft seal", (x + 96, y + 56), (x + 79, y + 13))
    pen.callout(on, "Bearings", (x + 112, y + 38), (x + 124, y + 22))
    pen.callout(on, "Shaft", (x + 100, y - 46), (x + 88, y - 4))
    pen.callout(on, "Impeller", (x + 84, y - 66), (x + 38, y - 40))
    pen.callout(on, "Volute", (x + 78, y - 90), (x + 36, y - 76))
    pen.callout(on, "Suction", (x - 60, y + 62), (x - 40, y + 17))


def _mirrored(points: Sequence[pen.Point], x: float, y: float, side: int) -> list[pen.Point]:
    return [(x + along, y + side * across) for along, across in points]
