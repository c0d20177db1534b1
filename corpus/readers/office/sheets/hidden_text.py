"""What a sheet holds and does not show: hidden rows and columns, letters of the colour of their cell, empty formats."""

from __future__ import annotations

import re
from typing import Any

from openpyxl.styles.colors import COLOR_INDEX

_ROW = re.compile(rb"<(?:\w{1,20}:)?row\s([^>]{1,1000})>")
_COLUMN = re.compile(rb"<(?:\w{1,20}:)?col\s([^>]{1,1000})>")
_ATTRIBUTE = re.compile(rb"([\w:]{1,40})\s*=\s*[\"']([^\"'<]{0,100})[\"']")
_COLOURED_ELSEWHERE = re.compile(rb"<(?:\w{1,20}:)?(?:tableParts|conditionalFormatting)\b")
_WHITE = "FFFFFF"
_WHITE_THEME = 0
_INDEXED = {number: code[-6:].upper() for number, code in enumerate(COLOR_INDEX)} | {64: "000000", 65: _WHITE}
"""The palette of older programs; behind it are the colours of text and ground of the system."""

_WIDEST = 16_384
_WHITE_FORMAT = re.compile(r"\[\s*(?:white|color\s*2)\s*\]", re.IGNORECASE)
_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])+')
"""Of a number format; a semicolon in quotes parts nothing."""


class HiddenText:
    """Asked cell by cell; `places` counts rows, columns and single cells with something in them that is not shown."""

    def __init__(self, sheet: bytes | None) -> None:
        """`sheet` is the part of the sheet, None where it cannot be had."""
        data = sheet or b""
        self._rows: set[int] = set()
        self._columns: set[int] = set()
        self._judges_colours = not _COLOURED_ELSEWHERE.search(data)
        self._seen: set[tuple[str, int]] = set()
        self._cells = 0
        for found in _COLUMN.finditer(data[: data.find(b"<sheetData")] if b"<sheetData" in data else b""):
            said = _attributes(found[1])
            if _is_hidden(said, b"width"):
                first, last = _number(said, b"min"), _number(said, b"max")
                self._columns.update(range(first, min(last, _WIDEST) + 1))
        before = 0
        for found in _ROW.finditer(data):
            said = _attributes(found[1])
            before = _number(said, b"r") or before + 1
            if _is_hidden(said, b"ht"):
                self._rows.add(before)

    @property
    def places(self) -> int:
        """How many there were up to now."""
        return len(self._seen) + self._cells

    def hides_row(self, row: int, cells: tuple[Any, ...]) -> bool:
        """Whether the row, counted from 1, is not shown."""
        if row not in self._rows:
            return False
        if any(cell.value is not None for cell in cells):
            self._seen.add(("row", row))
        return True

    def hides(self, column: int, cell: Any) -> bool:
        """Whether a cell that holds something does not show it; columns are counted from 1."""
        if column in self._columns:
            self._seen.add(("column", column))
            return True
        if self._judges_colours and _is_on_its_colour(cell):
            self._cells += 1
            return True
        return False

    def ground(self, cell: Any) -> str | None:
        """The colour behind the letters of a cell; None for one that cannot be told."""
        return _ground(cell) if self._judges_colours else None

    def count_empty(self, value: object, text: str) -> None:
        """Count a cell whose format shows nothing of its value, unless that is nothing itself: zero, or spaces."""
        if not text and value and str(value).strip():
            self._cells += 1

    def is_hidden(self, row: int, column: int) -> bool:
        """Whether a cell lies in a row or column that is not shown."""
        return row in self._rows or column in self._columns


def _is_on_its_colour(cell: Any) -> bool:
    """Whether its letters have the colour of its ground, white where that has none."""
    if not cell.has_style:
        return False
    letters = _WHITE if _is_white_by_format(cell) else _colour(cell.font.color if cell.font else None)
    return letters is not None and letters == _ground(cell)


def _is_white_by_format(cell: Any) -> bool:
    """Whether the part of its number format that applies to the cell says so: `[White]0.00`, `0;0;0;[White]@`."""
    code = cell.number_format or ""
    if not _WHITE_FORMAT.search(code):
        return False
    sections, value = _SECTION.findall(code), cell.value
    if isinstance(value, str):
        section = sections[-1] if len(sections) in (1, 4) else ""
    elif isinstance(value, int | float) and value < 0:
        section = sections[min(1, len(sections) - 1)]
    else:
        section = sections[2] if value == 0 and len(sections) > 2 else sections[0]
    return bool(_WHITE_FORMAT.search(section))


def _ground(cell: Any) -> str | None:
    fill = cell.fill if cell.has_style else None
    kind = getattr(fill, "patternType", None)
    if kind == "solid" and fill:
        return _colour(fill.fgColor)
    return _WHITE if kind in (None, "none") else None


def _colour(colour: Any) -> str | None:
    """None for one that cannot be told, as most of those of a theme."""
    if colour is None:
        return None
    if colour.type == "rgb" and isinstance(colour.rgb, str):
        return colour.rgb[-6:].upper()
    if colour.type == "indexed":
        return _INDEXED.get(colour.indexed)
    return _WHITE if colour.type == "theme" and colour.theme == _WHITE_THEME and not colour.tint else None


def _attributes(text: bytes) -> dict[bytes, bytes]:
    return dict(_ATTRIBUTE.findall(text))


def _is_hidden(said: dict[bytes, bytes], size: bytes) -> bool:
    return said.get(b"hidden") in (b"1", b"true") or bool(re.fullmatch(rb"0(?:\.0*)?", said.get(size, b"")))


def _number(said: dict[bytes, bytes], name: bytes) -> int:
    value = said.get(name, b"")
    return int(value) if value.isdigit() and len(value) < 8 else 0
