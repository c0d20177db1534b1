"""A Markdown report, stored together with its tables as a record."""

from __future__ import annotations

import re
from pathlib import Path

from bench import record
from bench.record import Row

NUMBER = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?|[+-]?\d+(\.\d+)?")


def keep(file: Path, text: str, command: str) -> None:
    """Store the report, and its tables as JSON under the same name. `command` is the command that creates both."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    record.write(file.stem, command, rows_of(text))


def rows_of(text: str) -> list[Row]:
    """Return every row of every table, with its cells by column header. `part` is the heading above the table, other
    than the title, followed by a number if it is not the first table below that heading."""
    rows: list[Row] = []
    heading, tables, head = "", 0, list[str]()
    for line in text.splitlines():
        if line.startswith("##"):
            heading, tables = line.lstrip("# "), 0
        if not line.startswith("|"):
            head = []
        elif not head:
            head, tables = _cells(line), tables + 1
        elif set(line) - set("|-: "):
            rows.append({"part": _part(heading, tables), **dict(zip(head, map(_value, _cells(line)), strict=False))})
    return rows


def _part(heading: str, number: int) -> str:
    return f"{heading or 'table'} {number}" if number > 1 else heading


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _value(cell: str) -> str | int | float | None:
    if not NUMBER.fullmatch(cell):
        return cell or None
    plain = cell.replace(",", "")
    return float(plain) if "." in plain else int(plain)
