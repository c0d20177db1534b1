"""Tables in the text of a block: found, cut to the rows that matter, written so that no cell is markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.text.markdown import within_line

MAX_CELL_CHARS = 240
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*+\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as the source has them, without the bars. All rows are as wide as the head."""

    head: Row
    rows: tuple[Row, ...]

    def record(self, n: int) -> str:
        """A row with the name of the column before each cell that is not empty."""
        cells = zip(self.head, self.rows[n], strict=True)
        return "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)


def is_row(line: str) -> bool:
    return line.lstrip().startswith("|") and line.count("|") > 1


def starts_table(line: str, after: str) -> bool:
    """Whether the line is the head of a table whose rule follows."""
    return is_row(line) and "|" in after and bool(_RULE.fullmatch(after))


def table_of(lines: Sequence[str]) -> Table:
    """The table that these lines write; the second is the rule below the head."""
    head, *rows = [_cells(line) for line in (lines[0], *lines[2:])]
    width = len(head)
    return Table(head, tuple((*row, *[""] * width)[:width] for row in rows if any(row)))


def length(table: Table, rows: Sequence[int]) -> int:
    """About how long these rows are when written, with the head."""
    return sum(len(cell) + 3 for row in (table.head, *(table.rows[n] for n in rows)) for cell in row)


def write_table(table: Table, rows: Sequence[int], mark: str = "") -> str:
    """The table with these of its rows in Markdown. `mark` ends each row."""
    cells_written = [_line(table.rows[n], mark) for n in rows]
    return "\n".join([_line(table.head), "|" + " --- |" * len(table.head), *cells_written])


def _cells(line: str) -> Row:
    body = line.strip()
    body = body[1:] if body.startswith("|") else body
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELLS.split(body))


def _line(cells: Sequence[str], mark: str = "") -> str:
    cells_written = [within_line(_short(cell)) for cell in cells]
    if mark:
        last = max((n for n, cell in enumerate(cells_written) if cell), default=0)
        cells_written[last] = f"{cells_written[last]} {mark}".strip()
    return f"| {' | '.join(cells_written)} |"


def _short(cell: str) -> str:
    return cell if len(cell) <= MAX_CELL_CHARS else cell[:MAX_CELL_CHARS].rsplit(None, 1)[0] + " …"
