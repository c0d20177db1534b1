"""Pump curves, computed from one simple model of the XYZ-200 so that text, tables and charts agree."""

from functools import partial

from reportlab.graphics.shapes import Drawing

from drawings import pen
from drawings.axes import Axes

RATED_FLOW = 120.0
FLOWS = range(0, 161, 20)


def head(flow: float, speed: float = 1.0) -> float:
    """Head in metres at `flow` m³/h and a fraction of full speed, by the affinity laws."""
    return speed**2 * (58 - 10 * (flow / speed / RATED_FLOW) ** 2)


def efficiency(flow: float) -> float:
    share = flow / RATED_FLOW
    return 76 * share * (2 - share)


def npsh(flow: float) -> float:
    return 1.6 + 1.2 * (flow / RATED_FLOW) ** 2


def system(flow: float, static: float, at_rated: float) -> float:
    return static + (at_rated - static) * (flow / RATED_FLOW) ** 2


def performance() -> Drawing:
    on = pen.sheet(460, 362)
    _head_panel(Axes(on, 50, 196, 390, 160, 160, 70))
    lower = Axes(on, 50, 112, 390, 64, 160, 80)
    lower.frame([], [0, 20, 40, 60, 80], "", "Eff. in %")
    _flow_grid(lower)
    lower.curve(efficiency, 0, 150, pen.GREEN)
    lower.mark(120, 76, pen.GREEN)
    pen.text(on, (lower.at(122, 0)[0], lower.at(0, 58)[1]), "76 % at 120 m³/h", size=8, color=pen.GREEN)
    bottom = Axes(on, 50, 36, 390, 56, 160, 4)
    bottom.frame(FLOWS, [0, 1, 2, 3, 4], "Flow in m³/h", "NPSH in m")
    bottom.curve(npsh, 20, 150, pen.RED)
    bottom.mark(120, 2.8, pen.RED)
    pen.text(on, (bottom.at(123, 0)[0], bottom.at(0, 1.9)[1]), "2.8 m required", size=8, color=pen.RED)
    return on


def _head_panel(axes: Axes) -> None:
    axes.frame([], range(0, 71, 10), "", "Head in m")
    _flow_grid(axes)
    axes.curve(head, 0, 150, pen.BLUE, width=2.2)
    axes.curve(partial(system, static=20, at_rated=48), 0, 138, pen.GREY, dash=(5, 3), width=1.3)
    axes.curve(partial(system, static=20, at_rated=77.5), 0, 104, pen.GREY, dash=(2, 2), width=1.3)
    axes.mark(120, 48, pen.BLUE)
    axes.mark(90, head(90), pen.AMBER)
    on = axes.on
    pen.text(on, axes.at(8, 60), "Pump", bold=True, color=pen.BLUE)
    pen.callout(on, "Rated point 120 m³/h, 48 m", axes.at(106, 63), axes.at(120, 48))
    pen.callout(on, "Throttled", axes.at(66, 41), axes.at(90, head(90)), anchor="end")
    pen.text(on, axes.at(62, 22), "System, valve open", color=pen.GREY)


def _flow_grid(axes: Axes) -> None:
    for flow in FLOWS:
        pen.line(axes.on, axes.at(flow, 0), axes.at(flow, axes.y_max), color=pen.LIGHT, width=0.5)


def speed() -> Drawing:
    on = pen.sheet(460, 250)
    axes = Axes(on, 50, 40, 390, 200, 160, 70)
    axes.frame(FLOWS, range(0, 71, 10), "Flow in m³/h", "Head in m")
    for share, rpm in ((1.0, "2,900 rpm"), (0.9, "2,610 rpm"), (0.8, "2,320 rpm"), (0.7, "2,030 rpm")):
        curve = partial(head, speed=share)
        axes.curve(curve, 0, 150 * share, pen.BLUE)
        pen.text(on, axes.at(151 * share, curve(150 * share) - 1), rpm, size=8, color=pen.BLUE)
        flow = RATED_FLOW * share
        axes.mark(flow, curve(flow), pen.RED)
    axes.curve(partial(system, static=0, at_rated=48), 0, 140, pen.GREY, dash=(5, 3), width=1.3)
    pen.callout(on, "System curve of a closed circuit", axes.at(20, 22), axes.at(66, system(66, 0, 48)))
    pen.callout(on, "96 m³/h, 30.7 m", axes.at(92, 6), axes.at(96, head(96, 0.8)))
    return on
