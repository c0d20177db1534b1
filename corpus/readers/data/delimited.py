"""Tables as text, CSV and TSV: cut between rows under the same head, each block with its lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import read_text
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Lines, Paragraph, Table
from corpus.readers.steps import Step

MOST_CHARACTERS = 5_000_000
"""Of a file with data; what is beyond is left out and told."""

_MOST_ROWS = 500
_SAMPLE = 20_000
_LONGEST_CELL = 1_000_000
_DELIMITERS = ",;\t|"


def read_csv(path: Path) -> Iterator[Step]:
    """Blocks with lines; UnreadableDocument when it is no text or no table of one."""
    text, warnings = read_text(path)
    about = About(warnings=list(warnings))
    yield from steps_of(_elements(text, about), about)


def _elements(text: str, about: About) -> Elements:
    """Tables of a bounded number of rows, so that a long file shows signs of life."""
    csv.field_size_limit(_LONGEST_CELL)
    head: list[tuple[tuple[str, ...], Lines]] = []
    rows: list[tuple[tuple[str, ...], Lines]] = []
    for row in _rows(text, about):
        cells = [cell for cell in row[0] if cell.strip()]
        if not head and len(cells) == 1 < len(row[0]):  # above the head, with empty cells beside it
            yield Paragraph(cells[0], "caption")
            continue
        (rows if head else head).append(row)
        if len(rows) >= _MOST_ROWS:
            yield _table(head + rows)
            rows = []
    if rows or head:
        yield _table(head + rows)


def _table(rows: list[tuple[tuple[str, ...], Lines]]) -> Table:
    """The first is the head. In later tables its line is not theirs, so it takes the one of the row below."""
    lines = [lines for _, lines in rows]
    if len(rows) > 1 and lines[0][1] + 1 < lines[1][0]:
        lines[0] = lines[1]
    return Table(rows=tuple(row for row, _ in rows), lines=tuple(lines))


def _rows(text: str, about: About) -> Iterator[tuple[tuple[str, ...], Lines]]:
    reader = csv.reader(io.StringIO(text[:MOST_CHARACTERS], newline=""), delimiter=_delimiter(text[:_SAMPLE]))
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield tuple(row), (line, reader.line_num)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableDocument(f"line {line} is no row of a table") from error
    if len(text) > MOST_CHARACTERS:
        about.warnings.append(
            f"Read up to line {line - 1}: more than {MOST_CHARACTERS // 1_000_000} million letters."
        )


def _delimiter(sample: str) -> str:
    """The one that parts the most lines into the same number of cells; commas when none does."""
    lines = [line for line in sample.splitlines()[:50] if line.strip()][:-1] or sample.splitlines()[:1]

    def evenness(delimiter: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) if usual > 1 else 0, usual)

    try:
        return max(_DELIMITERS, key=evenness)
    except csv.Error:
        return ","
