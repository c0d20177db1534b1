"""Charts of the Project Titan reports: money spent against the plan, and the risk matrix."""

from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import Color, HexColor

from drawings import pen
from drawings.axes import Axes

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
PLANNED = (0.2, 0.5, 0.9, 1.5, 2.2, 3.0, 3.8, 4.6, 5.3, 6.0, 6.6, 7.1)
SPENT = (0.1, 0.3, 0.7, 1.3, 2.2, 3.2, 4.2, 5.1, 5.9)
PLAN = HexColor(0xE3BE77)
# Likelihood and impact, each from 1 to 5, as the "Risks" section of each report ranks them.
RISKS = {
    "Q1": {"R1": (4, 4), "R2": (3, 4), "R3": (3, 3), "R4": (2, 3), "R5": (2, 2)},
    "Q2": {"R1": (4, 4), "R2": (3, 5), "R3": (3, 3), "R4": (2, 4), "R5": (2, 2)},
    "Q3": {"R1": (5, 4), "R2": (4, 4), "R3": (3, 5), "R4": (3, 3), "R5": (2, 3)},
}


def burn(months: int) -> Drawing:
    """Cumulative spending in 2026; the actual bars end with month number `months`."""
    on = pen.sheet(460, 224)
    axes = Axes(on, 46, 34, 400, 178, 12, 8)
    axes.frame([], range(9), "", "Million euros")
    for number, month in enumerate(MONTHS):
        pen.text(on, (axes.at(number + 0.5, 0)[0], 20), month, size=8, anchor="middle")
        _bar(axes, number + 0.1, PLANNED[number], PLAN)
        if number < months:
            _bar(axes, number + 0.5, SPENT[number], pen.BLUE)
            label = axes.at(number + 0.7, SPENT[number])
            pen.text(on, (label[0], label[1] + 3), f"{SPENT[number]:.1f}", size=7.5, anchor="middle")
    for x, name, fill in ((66, "Planned", PLAN), (128, "Spent", pen.BLUE)):
        pen.box(on, x, 198, 10, 8, fill=fill, stroke=None)
        pen.text(on, (x + 15, 198), name)
    return on


def _bar(axes: Axes, month: float, value: float, fill: Color) -> None:
    left, bottom = axes.at(month, 0)
    pen.box(axes.on, left, bottom, axes.width / 30, axes.at(0, value)[1] - bottom, fill=fill, stroke=None)


def risks(quarter: str) -> Drawing:
    on = pen.sheet(300, 218)
    left, bottom, wide, high = 60, 40, 44, 34
    for likelihood in range(1, 6):
        for impact in range(1, 6):
            score = likelihood * impact
            fill = pen.RISK_HIGH if score >= 15 else pen.RISK_MEDIUM if score >= 8 else pen.RISK_LOW
            x, y = left + wide * (impact - 1), bottom + high * (likelihood - 1)
            pen.box(on, x, y, wide, high, fill=fill, stroke=pen.WHITE)
    for step in range(1, 6):
        pen.text(on, (left + wide * (step - 0.5), bottom - 12), str(step), anchor="middle")
        pen.text(on, (left - 8, bottom + high * (step - 0.5) - 3), str(step), anchor="end")
    for name, (likelihood, impact) in RISKS[quarter].items():
        centre = (left + wide * (impact - 0.5), bottom + high * (likelihood - 0.5))
        pen.disc(on, centre, 11, fill=pen.INK, stroke=pen.WHITE)
        pen.text(on, (centre[0], centre[1] - 3), name, anchor="middle", bold=True, color=pen.WHITE)
    pen.text(on, (left + 2.5 * wide, 10), "Impact", anchor="middle", bold=True)
    pen.text(on, (left - 32, bottom + 2.5 * high), "Likelihood", anchor="middle", bold=True, upright=True)
    return on
