"""The piping around the pump with the usual symbols."""

from reportlab.graphics.shapes import Drawing

from drawings import pen

SUCTION, DISCHARGE = 88.0, 156.0
PUMP = (244.0, SUCTION)


def piping() -> Drawing:
    on = pen.sheet(460, 266)
    _pipes(on)
    _tank(on)
    _suction_parts(on)
    _pump(on)
    _discharge_parts(on)
    return on


def _pipes(on: Drawing) -> None:
    pen.line(on, (96, SUCTION), (224, SUCTION), color=pen.BLUE, width=2.6)
    pen.line(on, (244, SUCTION), (244, DISCHARGE), (434, DISCHARGE), color=pen.BLUE, width=2.2)
    pen.arrow(on, (432, DISCHARGE), (456, DISCHARGE), width=2.2)
    pen.arrow(on, (282, DISCHARGE), (282, 226), (76, 226), (76, 196), width=1.4)
    pen.arrow(on, (326, DISCHARGE), (326, 252), (44, 252), (44, 196), width=1.4)


def _tank(on: Drawing) -> None:
    pen.box(on, 18, 56, 78, 110, fill=pen.WATER, stroke=None)
    pen.line(on, (18, 206), (18, 56), (96, 56), (96, 206), width=1.8)
    pen.text(on, (57, 112), "Tank", bold=True, anchor="middle")
    pen.line(on, (18, 166), (96, 166), color=pen.BLUE, width=0.8)


def _suction_parts(on: Drawing) -> None:
    _valve(on, 122, SUCTION)
    pen.text(on, (122, 66), "Suction valve", size=8, anchor="middle")
    pen.box(on, 150, SUCTION - 8, 20, 16, fill=pen.WHITE)
    pen.line(on, (150, SUCTION - 8), (170, SUCTION + 8), width=0.8, dash=(2, 2))
    pen.text(on, (160, 106), "Strainer", size=8, anchor="middle")
    pen.area(on, (192, SUCTION + 8), (192, SUCTION - 9), (214, SUCTION - 1), (214, SUCTION + 8), fill=pen.WHITE)
    pen.callout(on, "Eccentric reducer, flat side up", (112, 46), (203, SUCTION - 2))
    _gauge(on, (182, 130), "B5", (182, SUCTION))


def _pump(on: Drawing) -> None:
    x, y = PUMP
    pen.disc(on, PUMP, 20, fill=pen.WHITE)
    pen.area(on, (x - 12, y + 15), (x + 12, y + 15), (x, y + 20), fill=pen.INK)
    pen.text(on, (x, y - 4), "XYZ", bold=True, anchor="middle")
    pen.area(on, (x - 18, y - 32), (x + 18, y - 32), (x + 12, y - 17), (x - 12, y - 17), fill=pen.STEEL)
    pen.line(on, (x - 34, y - 32), (x + 40, y - 32), width=1.4)
    _gauge(on, (214, 138), "PI", (244, 138))
    pen.disc(on, (292, SUCTION), 14, fill=pen.WHITE)
    pen.text(on, (292, SUCTION - 4), "M", bold=True, anchor="middle")
    pen.line(on, (264, SUCTION), (278, SUCTION), width=2)


def _discharge_parts(on: Drawing) -> None:
    x = 282.0
    pen.area(on, (x - 8, 182), (x + 8, 182), (x, 194), fill=pen.WHITE)
    pen.area(on, (x - 8, 206), (x + 8, 206), (x, 194), fill=pen.WHITE)
    pen.line(on, (x, 194), (x + 6, 196), (x + 8, 192), (x + 12, 198), (x + 14, 193), (x + 18, 196), width=1)
    pen.callout(on, "Safety valve", (224, 192), (x - 6, 192), anchor="end")
    for up in (-2, 2):
        pen.line(on, (318, 206 + up), (334, 206 + up), width=1.6)
    pen.callout(on, "Orifice plate", (350, 216), (333, 206))
    pen.text(on, (188, 256), "Minimum flow line", size=8, anchor="middle", color=pen.GREY)
    pen.text(on, (166, 215), "Safety valve outlet", size=8, anchor="middle", color=pen.GREY)
    pen.area(on, (354, DISCHARGE - 9), (354, DISCHARGE + 9), (372, DISCHARGE), fill=pen.WHITE)
    pen.line(on, (372, DISCHARGE - 9), (372, DISCHARGE + 9), width=1.8)
    pen.text(on, (362, 134), "Check valve", size=8, anchor="middle")
    _valve(on, 412, DISCHARGE)
    pen.text(on, (412, 180), "Discharge valve", size=8, anchor="middle")
    pen.text(on, (456, 134), "to the plant", size=8, anchor="end", color=pen.GREY)


def _valve(on: Drawing, x: float, y: float) -> None:
    pen.area(on, (x - 11, y - 8), (x - 11, y + 8), (x, y), fill=pen.WHITE)
    pen.area(on, (x + 11, y - 8), (x + 11, y + 8), (x, y), fill=pen.WHITE)
    pen.line(on, (x, y), (x, y + 13))
    pen.line(on, (x - 6, y + 13), (x + 6, y + 13), width=1.6)


def _gauge(on: Drawing, at: pen.Point, name: str, tap: pen.Point) -> None:
    pen.line(on, at, tap, width=0.8)
    pen.disc(on, at, 10, fill=pen.WHITE)
    pen.text(on, (at[0], at[1] - 3), name, size=8, anchor="middle", bold=True)
