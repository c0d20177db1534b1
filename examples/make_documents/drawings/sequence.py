"""The start-up sequence as a flow chart."""

from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import Color

from drawings import pen

TOP, BOTTOM = 176.0, 70.0


def start_up() -> Drawing:
    on = pen.sheet(470, 232)
    _step(on, 52, TOP, "Checks done,", "valves set", pen.METAL)
    _step(on, 174, TOP, "Start at", "1,450 rpm", pen.METAL)
    _question(on, 296, TOP, "Pressure", "within 5 s?")
    _step(on, 420, TOP, "Stop, vent,", "wait 4 min", pen.WATER)
    _step(on, 296, BOTTOM, "Open the", "discharge valve", pen.METAL)
    _step(on, 174, BOTTOM, "Raise speed by", "300 rpm per step", pen.METAL)
    _step(on, 52, BOTTOM, "Automatic", "mode", pen.GREEN, pen.WHITE)
    pen.arrow(on, (96, TOP), (129, TOP), color=pen.INK, width=1.2)
    pen.arrow(on, (218, TOP), (240, TOP), color=pen.INK, width=1.2)
    pen.arrow(on, (352, TOP), (375, TOP), color=pen.INK, width=1.2)
    pen.text(on, (358, TOP + 5), "no", bold=True, color=pen.RED)
    pen.arrow(on, (296, TOP - 36), (296, BOTTOM + 22), color=pen.INK, width=1.2)
    pen.text(on, (301, TOP - 52), "yes", bold=True, color=pen.GREEN)
    pen.arrow(on, (252, BOTTOM), (219, BOTTOM), color=pen.INK, width=1.2)
    pen.arrow(on, (130, BOTTOM), (97, BOTTOM), color=pen.INK, width=1.2)
    pen.arrow(on, (420, TOP + 20), (420, 222), (174, 222), (174, TOP + 21), color=pen.INK, width=1.2)
    pen.arrow(on, (160, BOTTOM - 20), (160, 24), (188, 24), (188, BOTTOM - 21), color=pen.INK, width=1.2)
    pen.text(on, (198, 22), "2 minutes at each step, up to the set flow", color=pen.GREY)
    return on


def _step(on: Drawing, x: float, y: float, first: str, second: str, fill: Color, color: Color = pen.INK) -> None:
    pen.box(on, x - 44, y - 20, 88, 40, fill=fill, radius=5)
    pen.text(on, (x, y + 3), first, anchor="middle", color=color)
    pen.text(on, (x, y - 9), second, anchor="middle", color=color)


def _question(on: Drawing, x: float, y: float, first: str, second: str) -> None:
    pen.area(on, (x - 55, y), (x, y + 36), (x + 55, y), (x, y - 36), fill=pen.WHITE)
    pen.text(on, (x, y + 3), first, anchor="middle")
    pen.text(on, (x, y - 9), second, anchor="middle")
