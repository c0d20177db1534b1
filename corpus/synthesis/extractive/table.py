"""Markdown tables: parse them from lines, and write some of their rows with all cells escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.text.markdown import within_line

MAX_CELL_CHARS = 240
"""Maximum number of characters of a cell shown in an answer."""
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its cells as in the source. All rows have as many cells as the header row."""

    head: Row
    rows: tuple[Row, ...]

    def record(self, n: int) -> str:
        """Return row `n` as text, with the column name before each non-empty cell: `Name: Ann; Age: 7`."""
        cells = zip(self.head, self.rows[n], strict=True)
        return "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def is_row(line: str) -> bool:
    """Return whether a line is a table row."""
    return line.lstrip().startswith("|") and line.count("|") > 1


def starts_table(line: str, after: str) -> bool:
    """Return whether a line is the header row of a table: the next line is its rule."""
    return is_row(line) and "|" in after and bool(_RULE.fullmatch(after))


def table_of(lines: Sequence[str]) -> Table:
    """Return the table in these lines. The second line is its rule."""
    head, *rows = [_cells(line) for line in (lines[0], *lines[2:])]
    width = len(head)
    return Table(head, tuple((*row, *[""] * width)[:width] for row in rows if any(row)))


def length(table: Table, rows: Sequence[int]) -> int:
    """Return the approximate number of characters of the header row and these rows in Markdown."""
    return sum(len(cell) + 3 for row in (table.head, *(table.rows[n] for n in rows)) for cell in row)


def write_table(table: Table, rows: Sequence[int], mark: str = "") -> str:
    """Return the table in Markdown with only these rows. `mark` ends each row."""
    lines = [_line(table.rows[n], mark) for n in rows]
    return "\n".join([_line(table.head), "|" + " --- |" * len(table.head), *lines])


def _cells(line: str) -> Row:
    body = line.strip()
    body = body[1:] if body.startswith("|") else body
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELLS.split(body))


def _line(cells: Sequence[str], mark: str = "") -> str:
    lines = [within_line(_short(cell)) for cell in cells]
    if mark:
        last = max((n for n, cell in enumerate(lines) if cell), default=0)
        lines[last] = f"{lines[last]} {mark}".strip()
    return f"| {' | '.join(lines)} |"


def _short(cell: str) -> str:
    return cell if len(cell) <= MAX_CELL_CHARS else cell[:MAX_CELL_CHARS].rsplit(None, 1)[0] + " …"
