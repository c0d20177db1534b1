"""Tables drawn in the styles of common programs, each with its cells and its position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from corpus.documents.block import Box

HEIGHT = A4[1]
_SHADE = 0.9


@dataclass(frozen=True, slots=True)
class Style:
    """A style. The `rules` are those of a booktabs table (`book`), a rule below each row (`rows`), rules around all
    cells (`all`), or `none`."""

    rules: str = "none"
    shaded: bool = False
    """Whether every second row has a grey background."""

    size: float = 9.0
    pad: float = 5.0
    middle: bool = False
    """Whether entries with fewer lines are vertically centred in their row."""


@dataclass(frozen=True, slots=True)
class MadeTable:
    """The rows as they must be read: a line end separates the lines of a cell, and "" is an empty cell.

    `align` has one character per column: l, r, c. `across` and `down` map the position of a cell to the number of
    columns or rows that it spans. `lines` are rules below a row over some columns: row, first and last column.
    """

    rows: Sequence[Sequence[str]]
    widths: Sequence[float]
    align: str
    style: Style
    header: int = 1
    across: dict[tuple[int, int], int] = field(default_factory=dict)
    down: dict[tuple[int, int], int] = field(default_factory=dict)
    lines: Sequence[tuple[int, int, int]] = ()


def draw(canvas: Canvas, table: MadeTable, left: float, top: float) -> Box:
    """Draw the table, and return its position from the top left corner of the page."""
    style = table.style
    step = style.size * 1.2
    xs = [left]
    for width in table.widths:
        xs.append(xs[-1] + width)
    ys = [top]
    for number, row in enumerate(table.rows):
        most = max(len(cell.split("\n")) for n, cell in enumerate(row) if table.down.get((number, n), 1) == 1)
        ys.append(ys[-1] + most * step + 0.6 * style.pad)
    if style.shaded:
        canvas.setFillGray(_SHADE)
        for number in range(0, len(table.rows), 2):
            canvas.rect(left, HEIGHT - ys[number + 1], xs[-1] - left, ys[number + 1] - ys[number], 0, 1)
        canvas.setFillGray(0)
    for number, row in enumerate(table.rows):
        canvas.setFont("Times-Bold" if number < table.header else "Times-Roman", style.size)
        for column, cell in enumerate(row):
            if cell:
                _write(canvas, table, (number, column), cell, xs, ys)
    _rule(canvas, table, xs, ys)
    return (left, top, xs[-1], ys[-1])


def _write(canvas: Canvas, table: MadeTable, at: tuple[int, int], cell: str, xs: list[float], ys: list[float]) -> None:
    row, column = at
    style = table.style
    step, lines = style.size * 1.2, cell.split("\n")
    start, end = xs[column] + style.pad, xs[column + table.across.get(at, 1)] - style.pad
    top, bottom = ys[row], ys[row + table.down.get(at, 1)]
    in_middle = style.middle or table.down.get(at, 1) > 1
    first = top + 0.3 * style.pad + ((bottom - top - 0.6 * style.pad - len(lines) * step) / 2 if in_middle else 0)
    align = "c" if table.across.get(at, 1) > 1 else table.align[column]
    for number, line in enumerate(lines):
        y = HEIGHT - (first + number * step + 0.95 * style.size)
        if align == "l":
            canvas.drawString(start, y, line)
        elif align == "r":
            canvas.drawRightString(end, y, line)
        else:
            canvas.drawCentredString((start + end) / 2, y, line)


def _rule(canvas: Canvas, table: MadeTable, xs: list[float], ys: list[float]) -> None:
    def level(row: int, first: int, last: int, width: float = 0.5) -> None:
        canvas.setLineWidth(width)
        canvas.line(xs[first], HEIGHT - ys[row], xs[last], HEIGHT - ys[row])

    columns, rows = len(xs) - 1, len(ys) - 1
    if table.style.rules == "book":
        level(0, 0, columns, 0.9)
        level(table.header, 0, columns)
        level(rows, 0, columns, 0.9)
    elif table.style.rules == "rows":
        for row in range(rows + 1):
            level(row, 0, columns)
    elif table.style.rules == "all":
        _rule_all(canvas, table, xs, ys)
    for row, first, last in table.lines:
        level(row + 1, first, last + 1)


def _rule_all(canvas: Canvas, table: MadeTable, xs: list[float], ys: list[float]) -> None:
    """Draw a frame around each cell, except at positions covered by a spanning cell."""
    covered = {
        (row + r, column + c)
        for (row, column) in {*table.across, *table.down}
        for r in range(table.down.get((row, column), 1))
        for c in range(table.across.get((row, column), 1))
        if r or c
    }
    canvas.setLineWidth(0.5)
    for row in range(len(ys) - 1):
        for column in range(len(xs) - 1):
            if (row, column) in covered:
                continue
            right = xs[column + table.across.get((row, column), 1)]
            bottom = ys[row + table.down.get((row, column), 1)]
            canvas.rect(xs[column], HEIGHT - bottom, right - xs[column], bottom - ys[row])
