"""JSON: arrays of objects as tables, everything else as lines of path and value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.errors import UnreadableDocument
from corpus.readers.data.delimited import MOST_CHARACTERS
from corpus.readers.decoding import read_text
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements, Heading, Paragraph, Table
from corpus.readers.steps import Step

_COLUMNS = 40
"""Records with more keys are no table that anybody reads as one."""
_MOST_ROWS = 500
"""Of one table element, so that a long file reports progress."""
_DEEPEST = 60
"""Python's own recursion limit is not far above."""


def read_json(path: Path) -> Iterator[Step]:
    """Yield blocks under the top-level keys. Raises UnreadableDocument where it is no JSON; JSON Lines are one value
    per line."""
    text, warnings = read_text(path)
    about = About(titled_by_heading=False, warnings=list(warnings))
    value = _lines(text) if path.suffix.lower() in (".jsonl", ".ndjson") else _value(text)
    yield from steps_of(_limit(_top(value), about), about)


def _value(text: str, first: int = 1) -> Any:
    """Parse a value; `first` is the number of its first line in the file."""
    try:
        # Numbers stay as written.
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError as error:
        raise UnreadableDocument("its values are nested too deeply") from error
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip():
            raise UnreadableDocument("no JSON: it ends in the middle of a value") from error
        raise UnreadableDocument(f"no JSON: line {first + error.lineno - 1} says something else") from error


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
    """Yield records as a table, else one line per value."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value):
        columns = list(dict.fromkeys(key for record in value for key in record))
        if len(columns) <= _COLUMNS:
            rows = [tuple(_text_of(record.get(column)) for column in columns) for record in value]
            for start in range(0, len(rows), _MOST_ROWS):
                yield Table(rows=(tuple(columns), *rows[start : start + _MOST_ROWS]))
            return
    for line in _flat(name, value, 0):
        yield Paragraph(line)


def _flat(path: str, value: Any, depth: int) -> Iterator[str]:
    if depth < _DEEPEST and isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(f"{path}.{key}" if path else key, each, depth + 1)
    elif (
        depth < _DEEPEST and isinstance(value, list) and any(isinstance(each, dict | list) for each in value)
    ):
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
    left = MOST_CHARACTERS
    for element in elements:
        match element:
            case Paragraph():
                left -= len(element.text)
            case Table():
                left -= sum(len(cell) for row in element.rows for cell in row)
        yield element
        if left < 0:
            about.warnings.append(
                f"Only the first {MOST_CHARACTERS // 1_000_000} million characters were read."
            )
            return
