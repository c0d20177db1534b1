"""Tables in plain text: rows of cells that are aligned in columns by spaces or tabs.

Lines become a table only if they clearly are one. All other text is left as written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from corpus.readers.elements.captions import MAX_TABLE_CAPTION
from corpus.readers.elements.element import Table
from corpus.text.normalization import has_leader

_MIN_ROWS, _MIN_COLUMNS = 3, 2
_MAX_COLUMNS, _MAX_LINE = 30, 400
"""Maximum number of columns, and of characters per line. Nobody aligns longer lines by hand."""
_MAX_TEXT_CELL = 40
"""Maximum number of characters in a cell of a table without values. Longer cells are more likely descriptions in a
list."""
_MAX_HEAD = 3
"""Maximum number of header rows above the rule that ends the header."""
_MIN_SHARE = 0.6
"""Minimum fraction of values in a column of values, and of rows that contain a value."""
_MIN_ALPHANUMERIC = 0.5
"""Minimum fraction of alphanumeric characters in a table. Drawings made of characters have fewer."""
_MAX_CODE = 0.25
"""Maximum fraction of lines that look like code."""
_MAX_CAPTION_LINES = 2
_TAB = 8

_SPACE = re.compile(r"[^\S\t]")
_CELL = re.compile(r"[^ ]++(?: [^ ]++)*+")
_RULE = "-=_+|:─═ \t"
_NO_ROW = re.compile(r"[-*+•‣◦▪·>]\s|\||\+[-=]|#(?! {2})|//|\$\s")
"""Start of a list item, a Markdown table, a comment or a command."""
_CODE_ENDS = ("{", "}", ";", "(", "\\")
_CODE_SIGNS = (" = ", "==", "!=", ":=", "=>", "();")
_VALUE = re.compile(
    r"(?:[A-Z]{3}\s)?[-+(−~<>≤≥±]?\s?[^\w\s]?\s?\d[\d.,:'’/%−–-]*+(?: \d[\d.,:'’]*+){0,4}\)?"
    r"(?:\s?[^\s\d]{1,5})?"
)
"""A number, amount, date or time, with or without a unit."""
_MAX_VALUE = 40
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d(?:[-/–]\d{2,4})?")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AlignedTable:
    """A table in the lines from `start` to `end` (exclusive), including the rules around it. Row `n` of the table is in
    line `rows[n]`."""

    start: int
    end: int
    table: Table
    rows: tuple[int, ...]


def aligned_tables(lines: Sequence[str]) -> Iterator[AlignedTable]:
    """Yield the tables in these lines, in order. An empty line ends a table."""
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        if end - at >= _MIN_ROWS:
            yield from _tables_between(_prepare(lines[at:end]), at)
        at = end + 1


def is_introduction(paragraph: str) -> bool:
    """Return whether a paragraph directly above a table is short enough to be the table's caption."""
    return len(paragraph) <= MAX_TABLE_CAPTION and len(paragraph.splitlines()) <= _MAX_CAPTION_LINES


def is_rule(line: str) -> bool:
    """Return whether a line is a rule of dashes, equals signs or underscores."""
    return not line.strip(_RULE) and sum(map(line.count, "-=_─═")) >= _MIN_ROWS


def _tables_between(lines: Sequence[str], first: int) -> Iterator[AlignedTable]:
    """Yield the tables between two empty lines. `first` is the number of the first line."""
    at = 0
    while at <= len(lines) - _MIN_ROWS:
        grid = _grown(lines, at)
        table = _table(grid, lines) if len(grid.rows) >= _MIN_ROWS else None
        if table:
            start = at - 1 if at and is_rule(lines[at - 1]) else at
            yield AlignedTable(first + start, first + grid.end, table, tuple(first + n for n, _ in grid.rows))
        at = grid.end if len(grid.rows) >= _MIN_ROWS else at + 1


def _prepare(lines: Sequence[str]) -> list[str]:
    """Return the lines with their cells aligned by spaces only, and with two positions for each wide character."""
    lines = [_SPACE.sub(" ", line) for line in lines]
    tabs = {line.rstrip().count("\t") for line in lines if not is_rule(line)} - {0}
    if len(tabs) == 1 and max(tabs) < _MAX_COLUMNS:
        cells = [[" ".join(cell.split()) for cell in line.split("\t")] if "\t" in line else [] for line in lines]
        widths = [max(len(row[n]) if n < len(row) else 0 for row in cells) for n in range(max(map(len, cells)))]
        lines = [
            "  ".join(map(str.ljust, row, widths)) if row and sum(widths) <= _MAX_LINE else line
            for row, line in zip(cells, lines, strict=True)
        ]
    return [
        _widen(f"{line.expandtabs(_TAB)} ".replace(" | ", "   ").rstrip()) if len(line) <= _MAX_LINE else line
        for line in lines
    ]


def _widen(line: str) -> str:
    if line.isascii():
        return line
    return "".join(sign + "\0" * (unicodedata.east_asian_width(sign) in "WF") for sign in line)


@dataclass(slots=True)
class _Grid:
    """Rows that fit into the same columns, each with its line and its cells. `rules` contains, for each rule, the
    number of rows above it."""

    columns: list[Span] = field(default_factory=list)
    rows: list[tuple[int, list[Span]]] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    end: int = 0

    def add(self, line: int, cells: list[Span]) -> bool:
        """Add a row. Return False, without adding it, if two cells of this row or of an earlier one would share a
        column, or if there would be too many columns."""
        columns = _merge([*self.columns, *cells])
        if len(columns) > _MAX_COLUMNS or len(_places(columns, cells)) < len(cells):
            return False
        is_merged = len(_places(columns, self.columns)) < len(self.columns)
        if is_merged and any(len(_places(columns, row)) < len(row) for _, row in self.rows):
            return False
        self.columns = columns
        self.rows.append((line, cells))
        return True


def _merge(spans: list[Span]) -> list[Span]:
    """Merge spans that touch or overlap."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _places(columns: Sequence[Span], cells: Sequence[Span]) -> set[int]:
    """Return the indexes of the columns that contain these cells."""
    return {n for n, (start, end) in enumerate(columns) for cell in cells if start <= cell[0] < end}


def _grown(lines: Sequence[str], first: int) -> _Grid:
    """Return the rows from the first line to the last one that fits. A single cell, such as the name of a group, counts
    as a row only between two rows."""
    grid = _Grid(end=first + 1)
    single: tuple[int, list[Span]] | None = None
    for number in range(first, len(lines)):
        line = lines[number]
        if is_rule(line):
            if not grid.rows:
                break
            if grid.rules[-1:] != [len(grid.rows)]:
                grid.rules.append(len(grid.rows))
            grid.end = number + 1 if grid.end == number else grid.end
            continue
        cells = _cells_of(line)
        if len(cells) < _MIN_COLUMNS:
            if single or not cells or not grid.rows:
                break
            single = (number, cells)
            continue
        if single and not grid.add(*single):
            break
        single = None
        if not grid.add(number, cells):
            break
        grid.end = number + 1
    if grid.rows and len(grid.rows[-1][1]) < _MIN_COLUMNS:
        grid.rows.pop()
    return grid


def _cells_of(line: str) -> list[Span]:
    """Return the cells of a line; empty if the line cannot be a row."""
    if len(line) > _MAX_LINE or _NO_ROW.match(line.lstrip()) or has_leader(line):
        return []
    return [match.span() for match in _CELL.finditer(line)]


def _table(grid: _Grid, lines: Sequence[str]) -> Table | None:
    """Return the table, or None if the text may be something else."""
    rows = [_texts(grid.columns, cells, lines[line]) for line, cells in grid.rows]
    written = [lines[line] for line, _ in grid.rows]
    full = sum(_count(row) >= _MIN_COLUMNS for row in rows)
    if full < max(_MIN_ROWS, _MIN_SHARE * len(rows)):
        return None
    if _is_code(written) or _is_drawing(written) or _has_labels(rows):
        return None
    values = _value_columns(rows[1:])
    header = _header(rows, values, grid.rules)
    has_values = sum(any(_is_value(row[n]) for n in values) for row in rows[header:]) >= _MIN_SHARE * len(rows[header:])
    if not (values and has_values) and not _is_text_table(rows, has_rule=1 in grid.rules):
        return None
    return Table(rows=tuple(rows), header=header)


def _texts(columns: Sequence[Span], cells: Sequence[Span], line: str) -> tuple[str, ...]:
    row = [""] * len(columns)
    for start, end in cells:
        (place,) = _places(columns, [(start, end)])
        row[place] = line[start:end].replace("\0", "")
    return tuple(row)


def _count(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _is_code(lines: Sequence[str]) -> bool:
    marked = sum(line.endswith(_CODE_ENDS) or any(sign in line for sign in _CODE_SIGNS) for line in lines)
    return marked > _MAX_CODE * len(lines)


def _is_drawing(lines: Sequence[str]) -> bool:
    signs = "".join(lines).replace(" ", "").replace("\0", "")
    return sum(map(str.isalnum, signs)) < _MIN_ALPHANUMERIC * len(signs)


def _has_labels(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether most lines are labels with their values ("Date:   16 May"), which are clearer as lines than as a
    table."""
    return sum(next(filter(None, row)).endswith((":", "：")) for row in rows) * 2 >= len(rows)


def _value_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the columns, other than the first, that mostly contain values."""
    columns = list(zip(*rows, strict=True))
    return [
        n
        for n, column in enumerate(columns)
        if n and (cells := [cell for cell in column if cell]) and sum(map(_is_value, cells)) >= _MIN_SHARE * len(cells)
    ]


def _is_value(cell: str) -> bool:
    return len(cell) <= _MAX_VALUE and _VALUE.fullmatch(cell) is not None


def _header(rows: Sequence[Sequence[str]], values: Sequence[int], rules: Sequence[int]) -> int:
    """Return the number of header rows: the rows above the rule, or a first row without values in the value columns."""
    above = rules[0] if rules else 0
    if above == 1:
        return 1
    if 1 < above <= min(_MAX_HEAD, len(rows) - 2) and all(_is_head(row, rows[above:], values) for row in rows[:above]):
        return above
    return 1 if _is_head(rows[0], rows[1:], values) else 0


def _is_head(row: Sequence[str], body: Sequence[Sequence[str]], values: Sequence[int]) -> bool:
    """Return whether a row has no values in the value columns. A year above other values still belongs to a header."""
    cells = [(n, row[n]) for n in values if row[n]]
    if not values:
        return True
    return bool(cells) and not any(
        _is_value(cell) and (not _YEAR.fullmatch(cell) or any(_YEAR.fullmatch(below[n]) for below in body))
        for n, cell in cells
    )


def _is_text_table(rows: Sequence[Sequence[str]], *, has_rule: bool) -> bool:
    """Return whether cells of text form a table: there is a rule below the header, or at least three columns are
    full."""
    is_short = all(len(cell) <= _MAX_TEXT_CELL for row in rows for cell in row)
    is_full = all(_count(row) == len(row) for row in rows)
    return is_short and (has_rule or (is_full and len(rows[0]) > _MIN_COLUMNS))
