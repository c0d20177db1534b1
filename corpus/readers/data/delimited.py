"""CSV and TSV: tables cut between rows under the same head, each block with its lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import read_text
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Table
from corpus.readers.office.sheets.grid import Row
from corpus.readers.office.sheets.regions import regions
from corpus.readers.steps import Step

MOST_CHARACTERS = 5_000_000
"""Of a data file; the rest is left out with a warning. As many rows as anybody can page through."""

_SAMPLE = 20_000
"""Characters to detect the delimiter from."""
_LONGEST_CELL = 1_000_000
"""The csv module's default of 131,072 refuses cells that real exports contain."""
_DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r"sep=([^\r\n])\r?\n", re.IGNORECASE)
"""Excel writes and reads such a first line; it is no row."""
_NUMBER = re.compile(r"[-+(−]?\s?[^\w\s]?\s?\d[\d.,'’\s]*\)?\s?(?:[^\w\s]|EUR|USD|CHF|GBP)?")
_LONGEST_NUMBER = 40
"""The number pattern takes quadratic time, and no number is longer."""
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?")


def read_csv(path: Path) -> Iterator[Step]:
    """Yield blocks with lines. Raises UnreadableDocument where it is no text or no table."""
    text, warnings = read_text(path)
    about = About(warnings=list(warnings))
    yield from steps_of(_elements(text, about), about)


def _elements(text: str, about: About) -> Elements:
    """Yield tables as in a sheet. An empty line separates only tables that differ: some programs write one after
    each row."""
    csv.field_size_limit(_LONGEST_CELL)
    for region in regions(_rows(text, about), parts_at_blank=False):
        lines = [(row.number, row.last) for row in region.rows]
        # The repeated head of a later part gets the lines of the row below it.
        lines[: region.repeated] = lines[region.repeated : region.repeated + 1] * region.repeated
        yield Table(rows=region.cells, header=region.header, caption=region.caption, lines=tuple(lines))


def _rows(text: str, about: About) -> Iterator[Row]:
    sample = text[:_SAMPLE]
    mark = _SEPARATOR.match(sample)
    reader = csv.reader(
        io.StringIO(text[:MOST_CHARACTERS], newline=""), delimiter=mark[1] if mark else _delimiter(sample)
    )
    line = 1
    try:
        if mark:
            next(reader)
            line = 2
        for cells in reader:
            texts = tuple(cell.strip() for cell in cells)
            numeric = sum(1 << column for column, cell in enumerate(texts) if _is_number(cell))
            yield Row(line, texts, numeric, last=reader.line_num)
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableDocument(f"line {line} is no row of a table") from error
    if len(text) > MOST_CHARACTERS:
        about.warnings.append(
            f"Read up to line {line - 1}: more than {MOST_CHARACTERS // 1_000_000} million characters."
        )


def _delimiter(sample: str) -> str:
    """Return the delimiter that splits the most lines into equally many cells; a comma where none does."""
    lines = [line for line in sample.splitlines()[:50] if line.strip()][:-1] or sample.splitlines()[:1]

    def evenness(delimiter: str) -> tuple[int, bool, int]:
        """Prefer another delimiter to a comma that splits as evenly: those commas are decimal (1,5;2,5)."""
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) if usual > 1 else 0, delimiter != ",", usual)

    try:
        best = max(_DELIMITERS, key=evenness)
    except csv.Error:
        return ","
    return best if evenness(best)[0] else ","


def _is_number(cell: str) -> bool:
    return len(cell) < _LONGEST_NUMBER and bool(_NUMBER.fullmatch(cell)) and not _DATE.fullmatch(cell)
