"""The pump set from the side."""

from reportlab.graphics.shapes import Drawing

from drawings import pen

AXIS = 112


def pump_set() -> Drawing:
    on = pen.sheet(460, 232)
    _base(on)
    _pump(on)
    _coupling_and_motor(on)
    _dimensions(on)
    _labels(on)
    return on


def _base(on: Drawing) -> None:
    pen.line(on, (30, 28), (446, 28), width=1.4)
    pen.box(on, 62, 28, 368, 20, fill=pen.STEEL)
    for x in (80, 240, 412):
        pen.line(on, (x, 22), (x, 54), width=2.2)


def _pump(on: Drawing) -> None:
    pen.area(on, (108, 48), (152, 48), (142, 80), (118, 80))
    pen.box(on, 74, AXIS - 17, 34, 34)
    pen.box(on, 66, AXIS - 32, 8, 64, fill=pen.STEEL)
    pen.box(on, 116, AXIS + 30, 28, 44)
    pen.box(on, 104, AXIS + 74, 52, 8, fill=pen.STEEL)
    pen.disc(on, (130, AXIS), 44)
    pen.disc(on, (130, AXIS), 30, fill=None, stroke=pen.STEEL)
    pen.box(on, 160, AXIS - 34, 9, 68, fill=pen.STEEL)
    pen.area(on, (169, AXIS + 26), (186, AXIS + 20), (186, AXIS - 20), (169, AXIS - 26))
    pen.box(on, 186, AXIS - 23, 52, 46, radius=4)
    pen.box(on, 204, 48, 16, AXIS - 71)
    pen.disc(on, (212, AXIS - 9), 5, fill=pen.WHITE)
    pen.line(on, (207, AXIS - 9), (217, AXIS - 9), width=0.8)


def _coupling_and_motor(on: Drawing) -> None:
    pen.box(on, 238, AXIS - 5, 60, 10, fill=pen.STEEL)
    pen.box(on, 246, AXIS - 21, 44, 42, fill=pen.AMBER, radius=3)
    for x in range(252, 288, 6):
        pen.line(on, (x, AXIS - 16), (x, AXIS + 16), color=pen.WHITE, width=1)
    pen.box(on, 298, AXIS - 42, 104, 84, radius=3)
    for y in range(AXIS - 36, AXIS + 40, 8):
        pen.line(on, (304, y), (396, y), color=pen.STEEL, width=1.2)
    pen.box(on, 402, AXIS - 36, 22, 72, fill=pen.STEEL, radius=6)
    pen.box(on, 326, AXIS + 42, 42, 18, fill=pen.STEEL)
    pen.box(on, 306, 48, 16, AXIS - 90, fill=pen.STEEL)
    pen.box(on, 378, 48, 16, AXIS - 90, fill=pen.STEEL)
    pen.line(on, (40, AXIS), (440, AXIS), color=pen.GREY, width=0.6, dash=(9, 3, 2, 3))


def _dimensions(on: Drawing) -> None:
    for x in (62, 430):
        pen.line(on, (x, 26), (x, 2), color=pen.GREY, width=0.5)
    pen.dimension(on, (62, 7), (430, 7), "L")
    pen.line(on, (34, AXIS + 82), (102, AXIS + 82), color=pen.GREY, width=0.5)
    pen.dimension(on, (40, 28), (40, AXIS + 82), "H")
    pen.line(on, (66, AXIS + 34), (66, 222), color=pen.GREY, width=0.5)
    pen.line(on, (130, AXIS + 84), (130, 222), color=pen.GREY, width=0.5)
    pen.dimension(on, (66, 214), (130, 214), "A")


def _labels(on: Drawing) -> None:
    pen.callout(on, "Discharge nozzle", (176, 204), (144, AXIS + 60))
    pen.callout(on, "Volute casing", (186, 184), (148, AXIS + 26))
    pen.callout(on, "Bearing housing", (196, 164), (212, AXIS + 14))
    pen.callout(on, "Coupling guard", (262, 204), (268, AXIS + 12))
    pen.callout(on, "Terminal box", (380, 204), (350, AXIS + 52))
    pen.callout(on, "Motor", (392, 180), (384, AXIS + 30))
    pen.callout(on, "Sight glass", (240, 75), (214, AXIS - 10))
    pen.callout(on, "Baseplate", (252, 58), (268, 40))
    pen.callout(on, "Suction nozzle", (52, 64), (82, AXIS - 10))
