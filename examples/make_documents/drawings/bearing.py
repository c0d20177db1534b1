"""Drawings of the German maintenance guide: lubrication of the bearings, alignment of the coupling."""

from reportlab.graphics.shapes import Drawing

from drawings import pen

AXIS = 118.0


def lubrication() -> Drawing:
    on = pen.sheet(460, 224)
    pen.box(on, 110, 52, 220, 132, radius=8)
    pen.box(on, 120, 62, 200, 112, fill=pen.WHITE, radius=4)
    pen.box(on, 120, 62, 200, 34, fill=pen.AMBER, stroke=None)
    pen.line(on, (120, 96), (320, 96), color=pen.INK, width=0.8)
    for x in (136, 276):
        for side in (-1, 1):
            pen.box(on, x, AXIS + side * 27 - 13, 28, 26, fill=pen.STEEL)
            pen.disc(on, (x + 14, AXIS + side * 27), 9, fill=pen.WHITE)
    pen.box(on, 60, AXIS - 13, 320, 26)
    pen.line(on, (44, AXIS), (396, AXIS), color=pen.GREY, width=0.6, dash=(9, 3, 2, 3))
    _openings(on)
    pen.callout(on, "Entlüftung und Öleinfüllung", (240, 210), (210, 196))
    pen.callout(on, "Festlager (Kupplungsseite)", (344, 172), (290, AXIS + 30))
    pen.callout(on, "Loslager", (82, 172), (150, AXIS + 30), anchor="end")
    pen.callout(on, "Ölstand: Mitte des Ölauges", (344, 78), (221, 98))
    pen.callout(on, "Ölablass, Gewinde G 3/8", (244, 14), (216, 42))
    pen.callout(on, "Temperaturfühler B1", (82, 70), (134, 84), anchor="end")
    pen.text(on, (48, AXIS + 20), "Pumpe", color=pen.GREY)
    pen.text(on, (362, AXIS + 20), "Motor", color=pen.GREY)
    return on


def _openings(on: Drawing) -> None:
    pen.box(on, 200, 184, 20, 14, fill=pen.STEEL, radius=3)
    pen.disc(on, (221, 96), 12, fill=pen.WHITE)
    pen.area(on, *[pen.on_circle((221, 96), 12, turn) for turn in range(180, 361, 10)], fill=pen.AMBER)
    pen.box(on, 206, 36, 18, 16, fill=pen.STEEL)
    pen.line(on, (110, 84), (136, 84), width=2.4)


def alignment() -> Drawing:
    on = pen.sheet(460, 190)
    axis = 84.0
    for shaft, hub, height in ((40, 132, axis), (342, 298, axis + 4)):
        pen.box(on, shaft, height - 9, 92, 18)
        pen.box(on, hub, height - 30, 44, 60, fill=pen.STEEL)
    pen.line(on, (24, axis), (196, axis), color=pen.GREY, width=0.6, dash=(9, 3, 2, 3))
    pen.line(on, (270, axis + 4), (446, axis + 4), color=pen.RED, width=0.8, dash=(9, 3, 2, 3))
    pen.line(on, (140, axis + 30), (140, axis + 66), (306, axis + 66), width=2.4, color=pen.GREY)
    pen.disc(on, (306, axis + 60), 16, fill=pen.WHITE)
    pen.line(on, (306, axis + 60), (314, axis + 69), color=pen.RED, width=1.4)
    pen.line(on, (306, axis + 44), (306, axis + 34), width=2)
    for x in (176, 298):
        pen.line(on, (x, axis - 32), (x, 22), color=pen.GREY, width=0.5)
    pen.dimension(on, (176, 28), (298, 28), "Ausbaustück 140 mm")
    pen.callout(on, "Messuhr: höchstens 0,05 mm", (344, axis + 84), (316, axis + 66))
    pen.callout(on, "Halter auf der Pumpennabe", (30, axis + 84), (140, axis + 56))
    pen.text(on, (48, axis + 18), "Pumpenwelle")
    pen.text(on, (356, axis + 22), "Motorwelle")
    pen.text(on, (356, axis - 24), "Versatz (übertrieben)", color=pen.RED)
    return on
