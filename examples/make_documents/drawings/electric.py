"""The wiring of converter, controller and sensors."""

from reportlab.graphics.shapes import Drawing

from drawings import pen

PHASES = (("L1", "U", 248.0), ("L2", "V", 234.0), ("L3", "W", 220.0))
EARTH = 202.0
SENSORS = (
    ("B1, B2", "Bearing", "temperature"),
    ("B3", "Vibration", ""),
    ("B4", "Seal", "leakage"),
    ("B5", "Suction", "pressure"),
)


def wiring() -> Drawing:
    on = pen.sheet(460, 278)
    _power(on)
    _converter_and_motor(on)
    _controller(on)
    _sensors(on)
    return on


def _power(on: Drawing) -> None:
    for name, _, y in PHASES:
        pen.text(on, (14, y - 3), name, bold=True)
        pen.line(on, (30, y), (176, y), width=1.3)
        pen.line(on, (256, y), (372, y), width=1.3)
    pen.text(on, (14, EARTH - 3), "PE", bold=True, color=pen.GREEN)
    pen.line(on, (30, EARTH), (392, EARTH), (392, 214), color=pen.GREEN, width=1.3, dash=(6, 3))
    pen.box(on, 92, 212, 34, 44, fill=pen.WHITE)
    for _, _, y in PHASES:
        pen.line(on, (92, y), (101, y), (116, y + 7), width=1.2)
        pen.line(on, (117, y), (126, y), width=1.2)
    pen.text(on, (109, 262), "Q1 main switch", anchor="middle")


def _converter_and_motor(on: Drawing) -> None:
    pen.box(on, 176, 194, 80, 66, fill=pen.METAL)
    pen.text(on, (216, 231), "U1", bold=True, size=11, anchor="middle")
    pen.text(on, (216, 216), "Frequency", size=8, anchor="middle")
    pen.text(on, (216, 206), "converter", size=8, anchor="middle")
    for _, name, y in PHASES:
        pen.text(on, (356, y + 3), name, size=8)
    pen.box(on, 284, 210, 46, 50, fill=None, stroke=pen.GREY, radius=8)
    pen.text(on, (307, 265), "shielded cable", size=8, anchor="middle", color=pen.GREY)
    pen.disc(on, (396, 234), 28, fill=pen.WHITE)
    pen.text(on, (396, 236), "M1", bold=True, size=11, anchor="middle")
    pen.text(on, (396, 224), "3 ~", size=9, anchor="middle")


def _controller(on: Drawing) -> None:
    pen.box(on, 120, 100, 216, 54, fill=pen.METAL)
    pen.text(on, (228, 131), "A1 Pump controller XC-4", bold=True, size=10, anchor="middle")
    pen.text(on, (228, 118), "terminals X1 to X7", size=8, anchor="middle", color=pen.GREY)
    pen.line(on, (216, 154), (216, 194), color=pen.BLUE, width=2)
    pen.text(on, (222, 176), "Bus, plug X7", size=8, color=pen.BLUE)
    pen.line(on, (58, 248), (58, 127), (120, 127), width=1.1)
    pen.disc(on, (58, 248), 2.2, fill=pen.INK)
    pen.box(on, 53, 160, 10, 26, fill=pen.WHITE)
    pen.line(on, (58, 160), (58, 186), width=0.8)
    pen.text(on, (68, 170), "Fuse F2, 2 A")
    pen.text(on, (116, 131), "X1", size=8, anchor="end")
    pen.line(on, (336, 127), (412, 127), (412, 211), color=pen.RED, width=1.1, dash=(4, 2))
    pen.text(on, (340, 131), "X6", size=8)
    pen.text(on, (366, 114), "B6 PTC thermistors", size=8, anchor="start", color=pen.RED)


def _sensors(on: Drawing) -> None:
    for number, (name, first, second) in enumerate(SENSORS):
        x = 147 + 54 * number
        pen.line(on, (x, 100), (x, 64), width=1.1)
        pen.text(on, (x + 3, 88), f"X{number + 2}", size=8, color=pen.GREY)
        pen.box(on, x - 21, 42, 42, 22, fill=pen.WATER, radius=4)
        pen.text(on, (x, 50), name, bold=True, anchor="middle")
        pen.text(on, (x, 30), first, size=8, anchor="middle")
        pen.text(on, (x, 20), second, size=8, anchor="middle")
