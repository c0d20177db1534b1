"""The safety valve in section."""

from reportlab.graphics.shapes import Drawing

from drawings import pen

AXIS = 190.0


def safety_valve() -> Drawing:
    on = pen.sheet(420, 286)
    _body(on)
    _disc_and_spring(on)
    _bonnet_top(on)
    _labels(on)
    return on


def _body(on: Drawing) -> None:
    pen.box(on, AXIS - 36, 14, 72, 9, fill=pen.STEEL)
    pen.box(on, AXIS - 24, 23, 48, 30)
    pen.area(on, (AXIS - 46, 53), (AXIS + 46, 53), (AXIS + 46, 120), (AXIS - 46, 120))
    pen.box(on, AXIS + 46, 66, 36, 44)
    pen.box(on, AXIS + 82, 58, 9, 60, fill=pen.STEEL)
    for x in (AXIS - 24, AXIS + 14):
        pen.hatch(on, x, 23, 10, 30)
    pen.hatch(on, AXIS - 46, 53, 10, 67)
    pen.box(on, AXIS - 36, 60, 118, 54, fill=pen.WATER, stroke=None)
    pen.box(on, AXIS + 46, 74, 45, 28, fill=pen.WATER, stroke=None)
    pen.box(on, AXIS + 36, 102, 46, 12, fill=pen.METAL, stroke=None)
    pen.box(on, AXIS + 36, 60, 46, 14, fill=pen.METAL, stroke=None)
    pen.box(on, AXIS - 14, 14, 28, 60, fill=pen.WATER, stroke=None)
    for x in (AXIS - 20, AXIS + 14):
        pen.box(on, x, 53, 6, 24, fill=pen.STEEL)
    pen.arrow(on, (AXIS, 4), (AXIS, 56), width=2)
    pen.arrow(on, (AXIS + 40, 88), (AXIS + 110, 88), width=2)


def _disc_and_spring(on: Drawing) -> None:
    pen.box(on, AXIS - 24, 77, 48, 9, fill=pen.INK)
    pen.box(on, AXIS - 46, 120, 92, 10, fill=pen.STEEL)
    pen.box(on, AXIS - 34, 130, 68, 94, fill=pen.METAL)
    pen.box(on, AXIS - 26, 130, 52, 90, fill=pen.WHITE, stroke=None)
    pen.box(on, AXIS - 20, 136, 40, 6, fill=pen.STEEL)
    pen.box(on, AXIS - 20, 208, 40, 6, fill=pen.STEEL)
    pen.line(on, *[(AXIS + (18 if n % 2 else -18), 142 + 6.6 * n) for n in range(11)], color=pen.BLUE, width=2.2)
    pen.box(on, AXIS - 3, 86, 6, 172, fill=pen.STEEL)


def _bonnet_top(on: Drawing) -> None:
    pen.box(on, AXIS - 12, 224, 24, 16, fill=pen.AMBER)
    pen.box(on, AXIS - 18, 240, 36, 24, fill=pen.METAL, radius=6)
    pen.line(on, (AXIS - 6, 254), (AXIS + 74, 276), width=4, color=pen.GREY)
    pen.disc(on, (AXIS - 2, 255), 3, fill=pen.WHITE)
    pen.line(on, (AXIS - 12, 230), (AXIS - 30, 222), (AXIS - 36, 230), width=0.8, color=pen.RED)
    pen.disc(on, (AXIS - 38, 233), 4, fill=pen.RED)


def _labels(on: Drawing) -> None:
    pen.callout(on, "Lifting lever", (296, 254), (AXIS + 66, 273))
    pen.callout(on, "Adjusting screw", (296, 228), (AXIS + 8, 232))
    pen.callout(on, "Lead seal", (96, 242), (AXIS - 38, 233), anchor="end")
    pen.callout(on, "Spring", (296, 180), (AXIS + 14, 176))
    pen.callout(on, "Bonnet", (96, 196), (AXIS - 30, 190), anchor="end")
    pen.callout(on, "Spindle", (296, 150), (AXIS + 1, 128))
    pen.callout(on, "Disc", (96, 104), (AXIS - 18, 82), anchor="end")
    pen.callout(on, "Seat", (96, 66), (AXIS - 17, 66), anchor="end")
    pen.text(on, (AXIS + 116, 85), "Outlet to the tank", color=pen.BLUE)
    pen.text(on, (AXIS + 46, 22), "Inlet from the discharge pipe", color=pen.BLUE)
