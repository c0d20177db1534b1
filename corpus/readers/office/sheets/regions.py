"""Runs of rows of a sheet as tables under their own heads, each with its range of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from openpyxl.utils import get_column_letter

from corpus.readers.elements.protocol import Element, Paragraph, Table

_MOST_ROWS = 500
"""Of one element, so that a long sheet shows signs of life; its head is repeated."""

Row = tuple[str, ...]


def regions(sheet: str, rows: Iterable[Row | None]) -> Iterator[Element]:
    """Empty rows part the tables, those that are None do not; a row of one cell above a table is its caption."""
    run: list[tuple[int, Row]] = []
    head: Row | None = None
    for number, row in enumerate(rows, 1):
        if row is None:
            continue
        if not any(row):
            yield from _table(sheet, run, head)
            run, head = [], None
        elif not run and head is None and sum(map(bool, row)) == 1:
            yield Paragraph(next(filter(None, row)), "caption")
        else:
            run.append((number, row))
            if len(run) >= _MOST_ROWS:
                yield from _table(sheet, run, head)
                head = head or run[0][1]
                run = []
    yield from _table(sheet, run, head)


def _table(sheet: str, run: list[tuple[int, Row]], head: Row | None) -> Iterator[Element]:
    """`head` is that of an earlier part of the same table; it stands in none of this one's rows."""
    if not run:
        return
    numbers = [number for number, _ in run]
    rows = [row for _, row in run]
    used = [column for row in rows for column, cell in enumerate(row) if cell]
    left, right = get_column_letter(min(used) + 1), get_column_letter(max(used) + 1)
    skip = head is not None

    def where(first: int, last: int) -> str:
        top, bottom = numbers[max(0, first - skip)], numbers[max(0, last - skip)]
        return f"{_quoted(sheet)}!{left}{top}:{right}{bottom}"

    yield Table(rows=((head,) if head is not None else ()) + tuple(rows), where=where)


def _quoted(sheet: str) -> str:
    return sheet if sheet.isalnum() else "'" + sheet.replace("'", "''") + "'"
