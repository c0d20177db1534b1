"""Word tables as rows of cells; a spanning cell is repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.readers.elements.protocol import Element, Figure
from corpus.readers.markup import Node, counted
from corpus.readers.office.word.styles import W

_WIDEST = 1_000
"""Columns that are read; Word allows 63."""
_LAYOUT_ROWS = 4
"""A table with pictures and so few rows only arranges them."""


def cells_of(table: Node) -> Iterator[Node]:
    """Yield the cells row by row, without those of nested tables."""
    for row in _rows(table):
        yield from _row_cells(row)


def table_of(table: Node, texts: Iterator[str]) -> tuple[tuple[str, ...], ...]:
    """Return rows of the cells' `texts`. A spanning cell is repeated in each of its places."""
    rows: list[tuple[str, ...]] = []
    for node in _rows(table):
        row = [""] * _number(node, "trPr", "gridBefore", 0)
        for cell in _row_cells(node):
            text, span = next(texts), _number(cell, "tcPr", "gridSpan", 1)
            if _goes_on(cell) and rows and len(row) < len(rows[-1]):
                text = rows[-1][len(row)]
            row.extend([text] * max(1, span))
        rows.append(tuple(row[:_WIDEST]))
    return tuple(rows)


def header_rows(table: Node) -> int:
    """Return how many rows are marked as repeated headers, at least one."""
    count = 0
    for row in _rows(table):
        if row.find(f"{W}trPr/{W}tblHeader") is None:
            break
        count += 1
    return count or 1


def is_layout(table: Node, cells: Sequence[list[Element]]) -> bool:
    """Return whether the table only arranges things: one column, or pictures with captions."""
    rows = list(_rows(table))
    if all(len(list(_row_cells(row))) <= 1 for row in rows):
        return True
    pictures = sum(isinstance(each, Figure) for elements in cells for each in elements)
    return pictures > 0 and len(rows) <= _LAYOUT_ROWS


def _rows(table: Node) -> Iterator[Node]:
    for child in table:
        if child.tag == f"{W}tr":
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}customXml"):
            yield from _rows(child)


def _row_cells(row: Node) -> Iterator[Node]:
    for child in row:
        if child.tag == f"{W}tc":
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml"):
            yield from _row_cells(child)


def _number(node: Node, properties: str, name: str, default: int) -> int:
    """Return a count of columns that a row or cell sets."""
    element = node.find(f"{W}{properties}/{W}{name}")
    return default if element is None else counted(element.get(f"{W}val"), _WIDEST, default)


def _goes_on(cell: Node) -> bool:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and merge.get(f"{W}val") in (None, "continue")
