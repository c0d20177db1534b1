"""Pages with tables drawn by a script in common styles, so that their cells are known, and pages that only look like
tables.

The prose is drawn from a fixed vocabulary with a fixed seed, and all numbers are invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from bench.layout.made_pages import Prose, set_lines
from bench.layout.table_contents import NO_TABLES, TABLES, Placed
from bench.layout.table_drawing import HEIGHT, draw
from corpus.documents.block import Box

_LEFT, _RIGHT, _SIZE = 60.0, 310.0, 9.0
_STEP = 11.5
_WHOLE, _COLUMN = 475.0, 225.0
_SEED = 20_261

Known = tuple[str, Path, Box, Sequence[Sequence[str]]]
"""The difficulty, the page, the position of the table or region, and its cells, of which there are none if it is not a
table."""


def made_tables(folder: Path) -> Iterator[Known]:
    """Draw each page as a document: first the pages with tables, then those with something that only looks like a
    table."""
    yield from drawn_tables(folder, TABLES)
    for number, (name, lines) in enumerate(NO_TABLES.items()):
        path = folder / f"{name}.pdf"
        canvas = Canvas(str(path), pagesize=A4, invariant=1)
        prose = Prose(_SEED + 100 + number)
        _prose(canvas, prose, 60.0, 10, _LEFT, _WHOLE)
        _prose(canvas, prose, 200.0 + _STEP * len(lines) + 30, 8, _LEFT, _WHOLE)
        canvas.setFont(lines[0].font, _SIZE)
        for row, line in enumerate(lines):
            for x, text in line.texts:
                canvas.drawString(x, HEIGHT - 200 - _STEP * row, text)
        canvas.save()
        yield name, path, (_LEFT, 190.0, _LEFT + _WHOLE, 200 + _STEP * len(lines)), ()


def drawn_tables(folder: Path, pages: Mapping[str, Sequence[Placed]]) -> Iterator[Known]:
    """Draw each page as a document, with running text above and below the tables."""
    for number, (name, placed) in enumerate(pages.items()):
        path = folder / f"{name}.pdf"
        canvas = Canvas(str(path), pagesize=A4, invariant=1)
        prose = Prose(_SEED + number)
        columns = any(each.in_column for each in placed)
        _prose(canvas, prose, 60.0, 10, _LEFT, _COLUMN if columns else _WHOLE)
        if columns:
            _prose(canvas, prose, 60.0, 52, _RIGHT, _COLUMN)
        boxes = [_table(canvas, each) for each in placed]
        foot = max(box[3] for box in boxes) + 40
        _prose(canvas, prose, foot, 8, _LEFT, _COLUMN if columns else _WHOLE)
        canvas.save()
        for box, each in zip(boxes, placed, strict=True):
            yield name, path, box, [[cell.replace("\n", " ") for cell in row] for row in each.table.rows]


def _table(canvas: Canvas, placed: Placed) -> Box:
    box = draw(canvas, placed.table, placed.left, placed.top)
    canvas.setFont("Times-Roman", _SIZE)
    canvas.drawString(placed.left, HEIGHT - (box[3] + 14 if placed.below else placed.top - 6), placed.caption)
    return box


def _prose(canvas: Canvas, prose: Prose, top: float, count: int, left: float, width: float) -> None:
    canvas.setFont("Times-Roman", _SIZE)
    _, words = prose.words(count * 40)
    for number, line in enumerate(set_lines(words, width, _SIZE, "Times-Roman")[:count]):
        canvas.drawString(left, HEIGHT - top - _STEP * number, line)
