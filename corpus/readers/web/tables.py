"""Tables of web pages: rows and columns, with cells that span several."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from corpus.readers.elements.protocol import Table
from corpus.readers.markup import Node, name_of

_WIDEST = 200
_TALLEST = 1_000

Row = tuple[str, ...]


def table_of(node: Node, text_of: Callable[[Node], str]) -> Table:
    """`text_of` gives the words of a cell. A cell that spans rows or columns is said in each place of it."""
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
    """The rows, without those of tables within."""
    for child in node:
        if name_of(child) == "tr":
            yield child
        elif name_of(child) in ("thead", "tbody", "tfoot"):
            yield from rows_of(child)


def cells_of(row: Node) -> Iterator[Node]:
    return (cell for cell in row if name_of(cell) in ("td", "th"))


def _row(tr: Node, text_of: Callable[[Node], str], below: dict[int, tuple[str, int]]) -> Row:
    """`below` holds by column the text and the number of rows that cells above still reach down."""
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
