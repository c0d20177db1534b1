"""A frame with scales, into which charts are drawn in their own units."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import Color

from drawings import pen


@dataclass(frozen=True)
class Axes:
    on: Drawing
    x: float
    y: float
    width: float
    height: float
    x_max: float
    y_max: float

    def at(self, x: float, y: float) -> pen.Point:
        return self.x + self.width * x / self.x_max, self.y + self.height * y / self.y_max

    def frame(self, x_ticks: Sequence[float], y_ticks: Sequence[float], x_title: str, y_title: str) -> None:
        for tick in x_ticks:
            pen.line(self.on, self.at(tick, 0), self.at(tick, self.y_max), color=pen.LIGHT, width=0.5)
            pen.text(self.on, (self.at(tick, 0)[0], self.y - 12), f"{tick:g}", size=8, anchor="middle")
        for tick in y_ticks:
            pen.line(self.on, self.at(0, tick), self.at(self.x_max, tick), color=pen.LIGHT, width=0.5)
            pen.text(self.on, (self.x - 5, self.at(0, tick)[1] - 3), f"{tick:g}", size=8, anchor="end")
        pen.line(self.on, self.at(0, self.y_max), self.at(0, 0), self.at(self.x_max, 0), width=1.1)
        if x_title:
            pen.text(self.on, (self.x + self.width / 2, self.y - 26), x_title, size=8.5, anchor="middle", bold=True)
        middle = (self.x - 28, self.y + self.height / 2)
        pen.text(self.on, middle, y_title, size=8.5, anchor="middle", bold=True, upright=True)

    def curve(
        self,
        of: Callable[[float], float],
        start: float,
        end: float,
        color: Color,
        width: float = 1.8,
        dash: Sequence[float] = (),
    ) -> None:
        steps = [start + (end - start) * step / 48 for step in range(49)]
        pen.line(self.on, *[self.at(x, of(x)) for x in steps], color=color, width=width, dash=dash)

    def mark(self, x: float, y: float, color: Color) -> None:
        pen.disc(self.on, self.at(x, y), 3.2, fill=color, stroke=pen.WHITE)
