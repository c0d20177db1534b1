"""Plain text, data files and source code: paragraphs, tables and definitions with their lines."""

from __future__ import annotations

import csv
import io
import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpus.errors import UnreadableDocument
from corpus.readers.chunking import TARGET_BLOCK, Section, paragraphs, text_blocks
from corpus.readers.decoding import read_text
from corpus.readers.elements.aligned_table import AlignedTable, aligned_tables, is_introduction
from corpus.readers.elements.block_builder import steps_of, table_parts
from corpus.readers.elements.element import About, Elements, Heading, Paragraph, Table
from corpus.readers.languages import with_languages
from corpus.readers.office.sheets.regions import regions
from corpus.readers.office.sheets.sheet_grid import Row
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step

MAX_CHARACTERS = 5_000_000
"""Maximum number of characters read from a data file; the rest is omitted with a warning. Nobody can page through more
rows."""

_SAMPLE = 20_000
"""Number of characters sampled to detect the delimiter."""
_MAX_CELL = 1_000_000
"""Maximum length of a cell. The csv module's default of 131,072 rejects cells that real exports contain."""
_DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r"sep=([^\r\n])\r?\n", re.IGNORECASE)
"""A first line that declares the separator. Excel writes and reads such a line; it is not a row."""
_NUMBER = re.compile(r"[-+(−]?\s?[^\w\s]?\s?\d[\d.,'’\s]*\)?\s?(?:[^\w\s]|EUR|USD|CHF|GBP)?")
_MAX_NUMBER_LENGTH = 40
"""Maximum length of a number. The pattern for numbers takes quadratic time, and no number is longer."""
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?")


def read_csv(path: Path) -> Iterator[Step]:
    """Yield blocks with line numbers. Raises UnreadableDocument if the file is not text or not a table."""
    text, warnings = read_text(path)
    about = About(warnings=list(warnings))
    yield from steps_of(_table_elements(text, about), about)


def _table_elements(text: str, about: About) -> Elements:
    """Yield the tables as in a sheet. An empty line separates only tables that differ, because some programs write an
    empty line after each row."""
    csv.field_size_limit(_MAX_CELL)
    for region in regions(_rows(text, about), parts_at_blank=False):
        lines = [(row.number, row.last) for row in region.rows]
        # The repeated header of a later part gets the lines of the row below it.
        lines[: region.repeated] = lines[region.repeated : region.repeated + 1] * region.repeated
        yield Table(rows=region.cells, header=region.header, caption=region.caption, lines=tuple(lines))


def _rows(text: str, about: About) -> Iterator[Row]:
    sample = text[:_SAMPLE]
    mark = _SEPARATOR.match(sample)
    reader = csv.reader(
        io.StringIO(text[:MAX_CHARACTERS], newline=""), delimiter=mark[1] if mark else _delimiter(sample)
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
        raise UnreadableDocument(f"line {line} is not a row of a table") from error
    if len(text) > MAX_CHARACTERS:
        about.warnings.append(
            f"Read up to line {line - 1}: more than {MAX_CHARACTERS // 1_000_000} million characters."
        )


def _delimiter(sample: str) -> str:
    """Return the delimiter that splits the most lines into the same number of cells; a comma if no delimiter does."""
    lines = [line for line in sample.splitlines()[:50] if line.strip()][:-1] or sample.splitlines()[:1]

    def evenness(delimiter: str) -> tuple[int, bool, int]:
        """Return the sort key of a delimiter. If another delimiter splits as evenly as the comma, it is preferred,
        because the commas are then decimal commas (1,5;2,5)."""
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) if usual > 1 else 0, delimiter != ",", usual)

    try:
        best = max(_DELIMITERS, key=evenness)
    except csv.Error:
        return ","
    return best if evenness(best)[0] else ","


def _is_number(cell: str) -> bool:
    return len(cell) < _MAX_NUMBER_LENGTH and bool(_NUMBER.fullmatch(cell)) and not _DATE.fullmatch(cell)


_MAX_COLUMNS = 40
"""Maximum number of columns. Nobody reads records with more keys as a table."""
_MAX_ROWS = 500
"""Maximum number of rows per table element, so that a long file reports progress."""
_MAX_DEPTH = 60
"""Maximum nesting depth. Python's own recursion limit is not much higher."""


def read_json(path: Path) -> Iterator[Step]:
    """Yield blocks under the top-level keys. Raises UnreadableDocument if the file is not JSON. JSON Lines files, with
    one value per line, are also read."""
    text, warnings = read_text(path)
    about = About(titled_by_heading=False, warnings=list(warnings))
    value = _lines(text) if path.suffix.lower() in (".jsonl", ".ndjson") else _value(text)
    yield from steps_of(_limit(_top(value), about), about)


def _value(text: str, first: int = 1) -> Any:
    """Parse a value. `first` is the number of the value's first line in the file."""
    try:
        # Keep numbers as they are written.
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError as error:
        raise UnreadableDocument("its values are nested too deeply") from error
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip():
            raise UnreadableDocument("not JSON: it ends in the middle of a value") from error
        raise UnreadableDocument(f"not JSON: invalid at line {first + error.lineno - 1}") from error


def _lines(text: str) -> list[Any]:
    return [_value(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _top(value: Any) -> Elements:
    if not isinstance(value, dict):
        yield from _value_elements("", value)
        return
    plain = {key: each for key, each in value.items() if not isinstance(each, dict | list)}
    yield from _value_elements("", plain)
    for key, each in value.items():
        if key not in plain and each:
            yield Heading(key)
            yield from _value_elements(key, each)


def _value_elements(name: str, value: Any) -> Elements:
    """Yield a list of records as a table, and any other value as one line per leaf value."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value):
        columns = list(dict.fromkeys(key for record in value for key in record))
        if len(columns) <= _MAX_COLUMNS:
            rows = [tuple(_text_of(record.get(column)) for column in columns) for record in value]
            for start in range(0, len(rows), _MAX_ROWS):
                yield Table(rows=(tuple(columns), *rows[start : start + _MAX_ROWS]))
            return
    for line in _flat(name, value, 0):
        yield Paragraph(line)


def _flat(path: str, value: Any, depth: int) -> Iterator[str]:
    if depth < _MAX_DEPTH and isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(f"{path}.{key}" if path else key, each, depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        for number, each in enumerate(value):
            yield from _flat(f"{path}[{number}]", each, depth + 1)
    else:
        yield f"{path}: {_text_of(value)}" if path else _text_of(value)


def _text_of(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list() if all(isinstance(each, str) for each in value):
            return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _limit(elements: Elements, about: About) -> Elements:
    left = MAX_CHARACTERS
    for element in elements:
        match element:
            case Paragraph():
                left -= len(element.text)
            case Table():
                left -= sum(len(cell) for row in element.rows for cell in row)
        yield element
        if left < 0:
            about.warnings.append(f"Only the first {MAX_CHARACTERS // 1_000_000} million characters were read.")
            return


def read_plain_text(path: Path) -> Iterator[Step]:
    """Yield blocks with line numbers and offsets. A text file has no title or date. Raises UnreadableDocument if the
    file is not text."""
    text, warnings = read_text(path)
    is_prose = path.suffix.lower() in _PROSE
    raw_blocks = _blocks_with_tables(text) if is_prose else text_blocks(text, [Section(0, len(text))])
    blocks, language = yield from with_languages(raw_blocks)
    yield from blocks
    yield ReadDocument(language=language, warnings=warnings)


_PROSE = (".txt", ".text")
"""Suffixes of texts in which tables are detected. Logs and markup also align text that is not a table."""
_LINE_END = re.compile(r"\r\n|\n|\r")


def _blocks_with_tables(text: str) -> Iterator[ReadBlock]:
    """Yield the blocks in order. A short paragraph directly above a table is the table's caption, which is repeated in
    each of its blocks."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    lines = [text[start:end].rstrip("\r\n") for start, end in pairwise(starts)]
    sections, tables, at = list[Section](), list[ReadBlock](), 0
    for aligned in aligned_tables(lines):
        start = starts[aligned.start]
        caption = next(iter(deque(paragraphs(text, Section(at, start)), maxlen=1)), None)
        if caption and not is_introduction(text[slice(*caption)]):
            caption = None
        sections.append(Section(at, caption[0] if caption else start))
        first_line = bisect_right(starts, caption[0]) if caption else aligned.start + 1
        tables += _table_blocks(aligned, text[slice(*caption)] if caption else None, first_line, len(tables))
        at = starts[aligned.end]
    prose = text_blocks(text, [*sections, Section(at, len(text))])
    yield from sorted([*prose, *tables], key=lambda block: block.start_line or 0)


def _table_blocks(aligned: AlignedTable, caption: str | None, first_line: int, before: int) -> Iterator[ReadBlock]:
    """Yield the blocks of a table. `before` is the number of blocks of earlier tables."""
    for number, part in enumerate(table_parts(replace(aligned.table, caption=caption))):
        yield ReadBlock(
            place=f"tt{before + number + 1}",
            block_type="text",
            content=part.text,
            start_line=aligned.rows[part.first] + 1 if number else first_line,
            end_line=aligned.rows[part.last] + 1,
        )


_DEFINITION = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([a-z]+\))?|unsafe|extern"
    r"|const|inline|virtual|override|open|sealed|data|partial)\s+)*"
    r"(?:def|class|func|fun|fn|function|struct|interface|trait|impl|enum|type|module|namespace|package|object|record"
    r"|sub|procedure|resource|service|message|mod|union|macro_rules!)\s+[\w<\"'(*&:.$]"
    r"|(?:CREATE|create)\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX|table|view|function|procedure|index)\s"
    r"|[\w$.]+\s*(?:\(\)\s*\{|=\s*(?:async\s*)?(?:\([^)]{0,200}\)|\w+)\s*=>)"
    r"|\[[^\]\n]{1,100}\]\s*$"
)
_OUTER = re.compile(r"^(?=[^\s#/*{}()\]@;,])", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]{0,300}")
_MAX_NAME = 120
"""Maximum length, in characters, of a definition's name in a heading."""


def read_code(path: Path) -> Iterator[Step]:
    """Yield blocks with line numbers, each under the names of its definitions. Raises UnreadableDocument if the file is
    not text."""
    text, warnings = read_text(path)
    is_cut = len(text) > MAX_CHARACTERS
    text = text[:MAX_CHARACTERS]
    yield PageDone(0)
    blocks, language = yield from with_languages(text_blocks(text, _sections(text)))
    yield from blocks
    if is_cut:
        warnings += (f"Only the first {MAX_CHARACTERS // 1_000_000} million characters were read.",)
    yield ReadDocument(language=language, warnings=warnings)


def _sections(text: str) -> list[Section]:
    """Cut the text at its top-level definitions, and merge small adjacent sections."""
    starts = [0]
    names = [""]
    for match in _OUTER.finditer(text):
        line = _LINE.match(text, match.start())
        if line and _DEFINITION.match(line[0]):
            starts.append(_with_comments_above(text, match.start(), starts[-1]))
            names.append(line[0].strip().rstrip("{:(").strip()[:_MAX_NAME])
    sections: list[Section] = []
    for start, end, name in zip(starts, [*starts[1:], len(text)], names, strict=True):
        last = sections[-1] if sections else None
        if last and end - last.start <= TARGET_BLOCK:
            heading = ", ".join(filter(None, (last.heading, name)))
            sections[-1] = Section(last.start, end, heading[:300] or None)
        else:
            sections.append(Section(start, end, name or None))
    return sections


def _with_comments_above(text: str, start: int, before: int) -> int:
    """Move the start of a definition up over the comments and decorators directly above it."""
    while start > before:
        above = text.rfind("\n", before, start - 1) + 1 or before
        line = text[above : start - 1].strip()
        if not line.startswith(("#", "//", "/*", "*", "@", "--", '"""', "///")):
            break
        start = above
    return start
