"""An SVG drawing for light and dark backgrounds: its colours follow the reader's scheme."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

WIDTH = 760
LETTER = 6.7
"""Width of a character at 12 px, used to reserve space for text."""
LIGHT = ("#0b6e99", "#c2410c", "#15803d", "#7e22ce", "#b91c8c", "#8a6d00", "#475569", "#be123c")
DARK = ("#5cc3ee", "#fb923c", "#4ade80", "#c49bff", "#f58bd3", "#e3c341", "#a9b6c9", "#fb8296")
"""Colours for dark backgrounds in the same order, each with a contrast of at least 4.5 to 1. Ibid's colour comes
first."""


class Canvas:
    """A list of SVG elements in drawing order. Coordinates are pixels from the upper left corner."""

    def __init__(self, height: float, title: str) -> None:
        self.height, self.title = height, title
        self._parts: list[str] = []

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> None:
        css = f' class="{kind}"' if kind else ""
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{css}>{escape(words)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def path(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{places}" class="{kind}"/>')

    def dot(self, x: float, y: float, kind: str) -> None:
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{kind}"/>')

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" rx="2" class="{kind}"/>'
        )

    def svg(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:.0f}" width="{WIDTH}" '
            f'height="{self.height:.0f}" role="img" aria-label="{escape(self.title, quote=True)}">'
        )
        ground = f'<rect width="{WIDTH}" height="{self.height:.0f}" class="ground"/>'
        title = f"<title>{escape(self.title)}</title>"
        return "\n".join([head, title, f"<style>{_style()}</style>", ground, *self._parts, "</svg>"]) + "\n"


def _style() -> str:
    shapes = (
        "text{font:12px system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif;fill:var(--ink)}"
        ".title{font-size:15px;font-weight:600}.soft{fill:var(--soft)}.ground{fill:var(--ground)}"
        ".grid{stroke:var(--grid);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}"
    )
    for n in range(len(LIGHT)):
        shapes += (
            f".l{n}{{stroke:var(--c{n});fill:none;stroke-width:2.2}}.f{n}{{fill:var(--c{n})}}"
            f".t{n}{{fill:var(--c{n});font-weight:600}}"
        )
    light = _colours("#ffffff", "#1f2328", "#57606a", "#e3e6ea", LIGHT)
    dark = _colours("#0d1117", "#e6edf3", "#9aa5b1", "#2a313a", DARK)
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{shapes}"


def _colours(ground: str, ink: str, soft: str, grid: str, series: tuple[str, ...]) -> str:
    plain = f"--ground:{ground};--ink:{ink};--soft:{soft};--grid:{grid}"
    return plain + "".join(f";--c{n}:{colour}" for n, colour in enumerate(series))
