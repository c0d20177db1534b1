"""Write tables as Markdown: in one block where they fit, else cut between rows under the same head."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.readers.chunking import MAX_BLOCK, split_spans
from corpus.readers.elements.protocol import Table
from corpus.text.normalization import clean

_MAX_CAPTION = 300
"""Characters of a caption that is repeated with each part."""
_MAX_HEAD = MAX_BLOCK // 2
"""Characters. A longer head is not repeated; each cell gets its column title instead."""

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablePart:
    """Text of at most a block's size, and its rows, the last one included."""

    text: str
    first: int
    last: int


def table_parts(table: Table) -> Iterator[TablePart]:
    """Yield a table's parts in order; none for a table without text."""
    rows = [tuple(_tidy(cell) for cell in row) for row in table.rows]
    used = [n for n in range(max(map(len, rows), default=0)) if any(n < len(row) and row[n] for row in rows)]
    rows = [tuple(row[n] if n < len(row) else "" for n in used) for row in rows]
    if not used:
        return
    caption = f"{_tidy(table.caption)[:_MAX_CAPTION]}\n\n" if table.caption else ""
    if len(used) == 1 or len(rows) == 1:
        yield from _runs(rows, caption, "", 0)
        return
    first_row = next(number for number, row in enumerate(rows) if any(row))
    count = min(max(table.header, first_row + 1), len(rows))
    head = _head(rows[:count], len(used))
    if len(head) > _MAX_HEAD:
        yield from _records(rows, count, caption)
    else:
        yield from _runs(rows, caption, head, count, bars=True)


def markdown_row(row: Row) -> str:
    """Write one line of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _head(rows: list[Row], width: int) -> str:
    """Write the head and its rule. Markdown demands a head, so it is empty where there is none."""
    titles = rows[0] if rows else ("",) * width
    for row in rows[1:]:
        titles = tuple(" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(titles, row, strict=True))
    return markdown_row(titles) + "\n|" + " --- |" * width + "\n"


def _runs(rows: list[Row], caption: str, head: str, start: int, bars: bool = False) -> Iterator[TablePart]:
    """Yield parts with as many rows as fit."""
    top = caption + head
    run, first, done = "", 0, False
    for number, row in enumerate(rows[start:], start):
        if not any(row):
            continue
        line = markdown_row(row) if bars else " – ".join(filter(None, row))
        if run and len(top) + len(run) + len(line) > MAX_BLOCK:
            yield TablePart(top + run.rstrip("\n"), first, number - 1)
            run, first, done = "", number, True
        if len(top) + len(line) > MAX_BLOCK:
            yield from _record(row, rows[:start], number, caption)
            first, done = number + 1, True
            continue
        run += line + "\n"
    if run or not done:  # a head without rows is a part too
        yield TablePart((top + run).rstrip("\n"), first, len(rows) - 1)


def _records(rows: list[Row], count: int, caption: str) -> Iterator[TablePart]:
    for number, row in enumerate(rows[count:], count):
        yield from _record(row, rows[:count], number, caption)


def _record(row: Row, head: list[Row], number: int, caption: str) -> Iterator[TablePart]:
    """Write a row too long for a line of a table: one line per cell, with its column title."""
    titles = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*head, strict=True)]
    titles = titles or [""] * len(row)
    lines = (f"{title}: {cell}" if title else cell for title, cell in zip(titles, row, strict=True) if cell)
    run = caption
    for piece in (line[start:end].strip() for line in lines for start, end in split_spans(line)):
        if run and len(run) + len(piece) > MAX_BLOCK:
            yield TablePart(run.rstrip("\n"), number, number)
            run = ""
        run += piece + "\n"
    if run != caption:
        yield TablePart(run.rstrip("\n"), number, number)


def _tidy(cell: str) -> str:
    return " ".join(clean(cell).split())
