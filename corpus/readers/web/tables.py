"""HTML tables as rows of cells; a spanning cell is repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from corpus.readers.elements.protocol import Table
from corpus.readers.markup import Node, name_of

_WIDEST = 200
"""Columns, and _TALLEST rows, that one cell can span: HTML allows 1,000 and 65,534."""
_TALLEST = 1_000

Row = tuple[str, ...]


def table_of(node: Node, text_of: Callable[[Node], str]) -> Table:
    """Convert a table; `text_of` returns a cell's words. A spanning cell is repeated in each of its places."""
    rows: list[Row] = []
    below: dict[int, tuple[str, int]] = {}
    head = 0
    for tr in rows_of(node):
        row = _row(tr, text_of, below)
        rows.append(row)
        if len(rows) == head + 1 and _is_head(tr):
            head += 1
    captions = [each for each in node if name_of(each) == "caption"]
    return Table(
        rows=tuple(rows), header=min(head, 3) or 1, caption=text_of(captions[0]) if captions else None
    )


def rows_of(node: Node) -> Iterator[Node]:
    """Yield the rows, without those of nested tables."""
    for child in node:
        if name_of(child) == "tr":
            yield child
        elif name_of(child) in ("thead", "tbody", "tfoot"):
            yield from rows_of(child)


def cells_of(row: Node) -> Iterator[Node]:
    """Yield the cells of a row."""
    return (cell for cell in row if name_of(cell) in ("td", "th"))


def _row(tr: Node, text_of: Callable[[Node], str], below: dict[int, tuple[str, int]]) -> Row:
    """Convert a row. `below` maps a column to the text of a cell from above and the rows that it still spans."""
    row: list[str] = []

    def hang() -> None:
        while len(row) in below:
            text, left = below.pop(len(row))
            if left > 1:
                below[len(row)] = (text, left - 1)
            row.append(text)

    for cell in cells_of(tr):
        hang()
        if len(row) >= _WIDEST:
            break
        text, height = text_of(cell), _span(cell, "rowspan", _TALLEST)
        for _ in range(_span(cell, "colspan", _WIDEST - len(row))):
            if height > 1:
                below[len(row)] = (text, height - 1)
            row.append(text)
    hang()
    return tuple(row)


def _is_head(tr: Node) -> bool:
    cells = list(cells_of(tr))
    return name_of(tr.getparent()) == "thead" or (
        bool(cells) and all(name_of(cell) == "th" for cell in cells)
    )


def _span(cell: Node, name: str, most: int) -> int:
    value = (cell.get(name) or "").strip()
    return max(1, min(int(value), most)) if value.isdecimal() and len(value) < 6 else 1
