"""Show a table that is too wide for the terminal as records: a line `column: value` for each cell."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.cells import cell_len

from corpus.text.markdown import unescape

MAX_LINES = 3
"""Lines of a row up to which a table reads better than records."""
_BETWEEN = 3
"""Columns between two cells."""

Cells = list[str]


def with_records(text: str, width: int) -> str:
    """The Markdown with each table that does not fit `width` columns as records."""
    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for at in reversed([n for n, token in enumerate(tokens) if token.type == "table_open" and not token.level]):
        span, rows = tokens[at].map, _rows(tokens[at:])
        if span and rows and not _fits(rows, width):
            lines[span[0] : span[1]] = [*_records(rows), ""]
    return "\n".join(lines)


def _rows(tokens: Sequence[Token]) -> list[Cells]:
    """The head and the rows of the table that begins here."""
    rows: list[Cells] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content.strip())
    return rows


def _fits(rows: Sequence[Cells], width: int) -> bool:
    columns = list(zip(*rows, strict=False))
    narrowest = sum(max(max((cell_len(word) for word in unescape(cell).split()), default=0) for cell in column)
                    for column in columns)  # fmt: skip
    widest = sum(max(cell_len(unescape(cell)) for cell in column) for column in columns)
    room = width - _BETWEEN * len(columns)
    return narrowest <= room and widest <= MAX_LINES * room


def _records(rows: Sequence[Cells]) -> list[str]:
    head, *records = rows
    written: list[str] = []
    for row in records:
        cells = [f"**{name}:** {cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell]
        written += ["", "  \n".join(cells)]
    return written
