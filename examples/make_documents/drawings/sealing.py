"""The mechanical seal in section, labelled in English or in German."""

from dataclasses import dataclass

from reportlab.graphics.shapes import Drawing

from drawings import pen


@dataclass(frozen=True)
class Labels:
    flush: str
    casing_cover: str
    seal_cover: str
    collar: str
    springs: str
    rotating: str
    stationary: str
    o_ring: str
    sleeve: str
    shaft: str
    pump_side: str
    air_side: str
    leakage: str
    setting: str = ""


ENGLISH = Labels(
    flush="Seal flush, 6 to 8 l/min",
    casing_cover="Casing cover",
    seal_cover="Seal cover",
    collar="Drive collar",
    springs="Springs",
    rotating="Rotating ring (silicon carbide)",
    stationary="Stationary ring (carbon)",
    o_ring="O-rings",
    sleeve="Shaft sleeve",
    shaft="Shaft",
    pump_side="Pump side",
    air_side="Air side",
    leakage="Leakage to cup and sensor B4",
)
GERMAN = Labels(
    flush="Spülung, 6 bis 8 l/min",
    casing_cover="Gehäusedeckel",
    seal_cover="Dichtungsdeckel",
    collar="Mitnehmerring",
    springs="Federn",
    rotating="Gleitring (Siliziumkarbid)",
    stationary="Gegenring (Kohle)",
    o_ring="O-Ringe",
    sleeve="Wellenhülse",
    shaft="Welle",
    pump_side="Pumpenseite",
    air_side="Luftseite",
    leakage="Leckage zu Schale und Fühler B4",
    setting="Einbaumaß 42,5 mm",
)


def seal(labels: Labels) -> Drawing:
    on = pen.sheet(460, 262)
    _housing(on)
    _shaft(on)
    _rings(on)
    _words(on, labels)
    if labels.setting:
        for x in (170, 290):
            pen.line(on, (x, 76), (x, 30), color=pen.GREY, width=0.5)
        pen.dimension(on, (170, 36), (290, 36), labels.setting)
    return on


def _housing(on: Drawing) -> None:
    pen.box(on, 84, 88, 206, 66, fill=pen.WATER, stroke=None)
    pen.box(on, 20, 88, 64, 24, fill=pen.WATER, stroke=None)
    for x, y, width, height in ((40, 112, 44, 84), (84, 154, 206, 42)):
        pen.box(on, x, y, width, height, fill=pen.METAL, stroke=None)
        pen.hatch(on, x, y, width, height)
    pen.line(on, (40, 112), (40, 196), (290, 196), (290, 154), (84, 154), (84, 112), (40, 112))
    pen.box(on, 290, 102, 30, 94, fill=pen.STEEL)
    pen.hatch(on, 290, 102, 30, 94, step=6, color=pen.INK)
    pen.box(on, 214, 154, 12, 42, fill=pen.WATER, stroke=None)
    for x in (214, 226):
        pen.line(on, (x, 154), (x, 196))
    pen.arrow(on, (220, 218), (220, 158))


def _shaft(on: Drawing) -> None:
    pen.box(on, 20, 24, 370, 50, fill=pen.METAL)
    pen.box(on, 60, 74, 290, 14, fill=pen.STEEL)
    pen.line(on, (8, 24), (404, 24), color=pen.GREY, width=0.7, dash=(9, 3, 2, 3))


def _rings(on: Drawing) -> None:
    pen.box(on, 170, 88, 20, 42, fill=pen.STEEL)
    pen.line(on, *[(190 + 5.5 * n, 112 + (6 if n % 2 else -6)) for n in range(9)], width=1.4)
    pen.box(on, 234, 90, 26, 36, fill=pen.GREEN)
    pen.box(on, 260, 94, 30, 34, fill=pen.GREY)
    pen.box(on, 272, 128, 18, 10, fill=pen.GREY)
    pen.disc(on, (246, 92.5), 3.5, fill=pen.INK)
    pen.disc(on, (286, 142), 3.5, fill=pen.INK)
    pen.arrow(on, (264, 91), (334, 91), (334, 98), color=pen.RED, width=1.2, head=5)


def _words(on: Drawing, labels: Labels) -> None:
    pen.text(on, (212, 214), labels.flush, anchor="end", color=pen.BLUE)
    pen.callout(on, labels.casing_cover, (20, 220), (64, 178))
    pen.callout(on, labels.seal_cover, (344, 204), (308, 184))
    pen.callout(on, labels.collar, (100, 136), (176, 122))
    pen.callout(on, labels.springs, (196, 138), (208, 117))
    pen.callout(on, labels.rotating, (236, 236), (248, 118))
    pen.callout(on, labels.stationary, (344, 174), (278, 116))
    pen.callout(on, labels.o_ring, (344, 146), (286, 142))
    pen.callout(on, labels.sleeve, (398, 82), (344, 81))
    pen.text(on, (64, 46), labels.shaft, bold=True)
    pen.text(on, (24, 97), labels.pump_side, color=pen.BLUE)
    pen.text(on, (408, 46), labels.air_side, color=pen.GREY)
    pen.text(on, (326, 104), labels.leakage, color=pen.RED)
