"""The cells of a table in the order in which a block tells them, each with its lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.elements.tables import TablePart
from corpus.readers.pdf.line_places import Piece
from corpus.readers.pdf.tables.grid import Cell
from corpus.text import clean

_RULE = "\n| --- |"


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows as text, the first `header` of them the head; `on_page` gives each its row of the grid, None where it is
    of another page. `cells` are those of the grid."""

    rows: tuple[tuple[str, ...], ...]
    header: int
    on_page: tuple[int | None, ...]
    cells: tuple[Cell, ...]


def pieces_of(part: TablePart, table: TableRows, caption: Piece) -> Iterator[Piece]:
    """The caption, the titles of the columns where they stand over the rows, then row after row."""
    yield caption
    held = {(cell.row, cell.column): cell for cell in table.cells}
    if _RULE in part.text:
        yield from _titles(table, held)
    for number in range(part.first, part.last + 1):
        row = table.on_page[number]
        for column, text in enumerate(table.rows[number]):
            yield _told(text), _written(row, column, held)


def _titles(table: TableRows, held: dict[tuple[int, int], Cell]) -> Iterator[Piece]:
    head = range(table.header)
    for column, titles in enumerate(zip(*table.rows[: table.header], strict=True)):
        text = " ".join(dict.fromkeys(filter(None, map(_told, titles))))
        yield text, tuple(line for row in head for line in _written(table.on_page[row], column, held))


def _written(row: int | None, column: int, held: dict[tuple[int, int], Cell]) -> tuple[tuple[str, Box], ...]:
    cell = None if row is None else held.get((row, column))
    if cell is None or len(cell.lines) != len(cell.boxes):
        return ()
    return tuple(zip(cell.lines, cell.boxes, strict=True))


def _told(text: str) -> str:
    return " ".join(clean(text).split()).replace("|", "\\|")
