"""Draw a horizontal bar chart: one number, or several, for each of several things."""

from __future__ import annotations

from collections.abc import Mapping

from bench.performance.canvas import LETTER, LIGHT, WIDTH, Canvas
from bench.performance.scales import fitted, short

TOP, BAR, GAP, VALUE = 58, 15, 12, 58


def chart(title: str, unit: str, groups: Mapping[str, Mapping[str, float]], *, digits: int = 0) -> str:
    """Return the SVG. `groups` maps each thing to its named numbers, in display order. `digits` is the number of
    decimal places, or 0 for three significant digits."""
    names = list(dict.fromkeys(name for numbers in groups.values() for name in numbers))
    left = max(len(thing) for thing in groups) * LETTER + 26
    legend = 22 if len(names) > 1 else 0
    canvas = Canvas(TOP + legend + sum(len(g) * BAR + GAP for g in groups.values()) + 8, title)
    values = [value for numbers in groups.values() for value in numbers.values()]
    scale = fitted(values, left, WIDTH - VALUE, logarithmic=False)
    canvas.text(16, 26, title, kind="title")
    canvas.text(16, 46, unit, kind="soft")
    if legend:
        _legend(canvas, names)
    top = TOP + legend
    for thing, numbers in groups.items():
        canvas.text(left - 10, top + len(numbers) * BAR / 2 + 4, thing, anchor="end")
        for name, value in numbers.items():
            canvas.bar(left, top + 1, scale.at(value) - left, BAR - 2, f"f{names.index(name) % len(LIGHT)}")
            written = f"{value:.{digits}f}" if digits else short(value)
            canvas.text(scale.at(value) + 6, top + BAR - 3, written, kind="soft")
            top += BAR
        top += GAP
    return canvas.svg()


def _legend(canvas: Canvas, names: list[str]) -> None:
    at = 16.0
    for n, name in enumerate(names):
        canvas.bar(at, TOP, 11, 11, f"f{n % len(LIGHT)}")
        canvas.text(at + 16, TOP + 10, name)
        at += len(name) * LETTER + 40
