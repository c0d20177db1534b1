"""Formatted runs in the text of a cell: raised, lowered, struck through, or in the colour of the background."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from zipfile import ZipFile

from lxml import etree
from openpyxl.styles.colors import COLOR_INDEX

from corpus.errors import UnreadableDocument
from corpus.readers.archives import read_entry
from corpus.readers.elements.element import About
from corpus.readers.markup import DAMAGED, Node, name_of, parse_xml
from corpus.readers.office.package import related_parts
from corpus.readers.typography import Position, mark_position, resolve_marks

WHITE = "FFFFFF"
POSITIONS: dict[str | None, Position] = {"superscript": "raised", "subscript": "lowered"}
_MARKS = (b"vertAlign", b"strike", WHITE.encode(), b'theme="0"')
"""Byte sequences that mark relevant runs. A part without any of them contains no such run. Most parts are large and
contain none."""
_INLINE = re.compile(rb"<c\s(?=[^>]{0,200}inlineStr)[^>]{0,200}?r=[\"']([A-Z]{1,3}\d{1,7})[\"'][^>]{0,200}>\s{0,9}<is>")


class Run(NamedTuple):
    """Text in one format. `colour` consists of six hexadecimal digits, or is None for the default."""

    text: str
    position: Position | None = None
    is_struck: bool = False
    colour: str | None = None


class RichText(str):
    """The text of a cell as openpyxl returns it, with its runs."""

    runs: tuple[Run, ...] = ()


def text_of_runs(runs: Sequence[Run], ground: str | None, about: About) -> str:
    """Return the text without struck-out and invisible runs, which are counted in `about`. `ground` is the background
    colour, or None if unknown."""
    text = ""
    for (is_struck, is_unseen), group in groupby(
        runs, lambda run: (run.is_struck, run.colour is not None and run.colour == ground)
    ):
        words = [run for run in group if run.text]
        has_text = any(run.text.strip() for run in words)
        if is_unseen:
            about.unseen += has_text
        elif is_struck:
            about.left_out["struck passage"] += has_text
        else:
            text += "".join(mark_position(run.text, run.position) for run in words)
    return resolve_marks(text)


def rich_texts(archive: ZipFile) -> Iterator[tuple[int, RichText]]:
    """Yield the shared texts of a workbook that contain such runs, each with its index."""
    for part in related_parts(archive, "xl/workbook.xml", "sharedStrings"):
        data = read_entry(archive, part) or b""
        if not any(mark in data for mark in _MARKS):
            continue
        try:
            nodes = etree.iterparse(
                io.BytesIO(data), tag="{*}si", resolve_entities=False, no_network=True, load_dtd=False
            )
            for place, (_, node) in enumerate(nodes):
                runs = tuple(_run(run) for run in node.iterchildren("{*}r"))
                if any(run[1:] != Run("")[1:] for run in runs):
                    yield place, _rich(runs)
                node.clear()
        except DAMAGED:
            return


def inline_texts(sheet: bytes) -> dict[str, RichText]:
    """Return the texts with such runs that a sheet stores in its cells, keyed by coordinate."""
    texts: dict[str, RichText] = {}
    if not any(mark in sheet for mark in _MARKS):
        return texts
    for match in _INLINE.finditer(sheet):
        end = sheet.find(b"</is>", match.end())
        if end < 0:
            break
        inner = sheet[match.end() : end]
        if b"<r>" not in inner:
            continue
        try:
            node = parse_xml(b"<is>" + inner + b"</is>")
        except UnreadableDocument:
            continue
        texts[match[1].decode()] = _rich(tuple(_run(run) for run in node.iterchildren("{*}r")))
    return texts


def _rich(runs: tuple[Run, ...]) -> RichText:
    text = RichText("".join(run.text for run in runs))
    text.runs = runs
    return text


def _run(node: Node) -> Run:
    text = "".join(each.text or "" for each in node.iterchildren("{*}t"))
    form = {name_of(each): each for holder in node.iterchildren("{*}rPr") for each in holder}
    position = POSITIONS.get(form["vertAlign"].get("val")) if "vertAlign" in form else None
    is_struck = "strike" in form and form["strike"].get("val", "1") not in ("0", "false")
    colour = None
    if "color" in form:
        colour = (form["color"].get("rgb") or "")[-6:].upper() or (
            WHITE if form["color"].get("theme") == "0" and not form["color"].get("tint") else None
        )
    return Run(text, position, is_struck, colour)


_ROW = re.compile(rb"<(?:\w{1,20}:)?row\s([^>]{1,1000})>")
_COLUMN = re.compile(rb"<(?:\w{1,20}:)?col\s([^>]{1,1000})>")
_ATTRIBUTE = re.compile(rb"([\w:]{1,40})\s*=\s*[\"']([^\"'<]{0,100})[\"']")
_COLOURED_ELSEWHERE = re.compile(rb"<(?:\w{1,20}:)?(?:tableParts|conditionalFormatting)\b")
_WHITE = "FFFFFF"
_WHITE_THEME = 0
_INDEXED = {number: code[-6:].upper() for number, code in enumerate(COLOR_INDEX)} | {64: "000000", 65: _WHITE}
"""Colour palette of older programs, followed by the system's colours for text and background."""

_MAX_COLUMN = 16_384
"""Maximum number of columns in a sheet."""
_WHITE_FORMAT = re.compile(r"\[\s*(?:white|color\s*2)\s*\]", re.IGNORECASE)
_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])+')
"""A section of a number format; a quoted semicolon does not end it."""


class HiddenText:
    """Detects hidden cells one at a time. `places` is the number of hidden rows, columns and cells with content."""

    def __init__(self, sheet: bytes | None) -> None:
        """Initialise the detection. `sheet` is the sheet's XML, or None if it is missing."""
        data = sheet or b""
        self._rows: set[int] = set()
        self._columns: set[int] = set()
        self._judges_colours = not _COLOURED_ELSEWHERE.search(data)
        self._seen: set[tuple[str, int]] = set()
        self._cells = 0
        for match in _COLUMN.finditer(data[: data.find(b"<sheetData")] if b"<sheetData" in data else b""):
            attributes = _attributes(match[1])
            if _is_hidden(attributes, b"width"):
                first, last = _number(attributes, b"min"), _number(attributes, b"max")
                self._columns.update(range(first, min(last, _MAX_COLUMN) + 1))
        before = 0
        for match in _ROW.finditer(data):
            attributes = _attributes(match[1])
            before = _number(attributes, b"r") or before + 1
            if _is_hidden(attributes, b"ht"):
                self._rows.add(before)

    @property
    def places(self) -> int:
        """Return the number of hidden rows, columns and cells found so far."""
        return len(self._seen) + self._cells

    def hides_row(self, row: int, cells: tuple[Any, ...]) -> bool:
        """Return whether the row (1-based) is hidden."""
        if row not in self._rows:
            return False
        if any(cell.value is not None for cell in cells):
            self._seen.add(("row", row))
        return True

    def hides(self, column: int, cell: Any) -> bool:
        """Return whether the value of a cell is not displayed. Columns are 1-based."""
        if column in self._columns:
            self._seen.add(("column", column))
            return True
        if self._judges_colours and _is_on_its_colour(cell):
            self._cells += 1
            return True
        return False

    def ground(self, cell: Any) -> str | None:
        """Return the background colour of a cell, or None if it is unknown."""
        return _ground(cell) if self._judges_colours else None

    def count_empty(self, value: object, text: str) -> None:
        """Count a cell whose format prints nothing, unless its value is zero or blank."""
        if not text and value and str(value).strip():
            self._cells += 1

    def is_hidden(self, row: int, column: int) -> bool:
        """Return whether a cell is in a hidden row or column."""
        return row in self._rows or column in self._columns


def _is_on_its_colour(cell: Any) -> bool:
    """Return whether the text has the colour of its background, which is white by default."""
    if not cell.has_style:
        return False
    colour = _WHITE if _is_white_by_format(cell) else _colour(cell.font.color if cell.font else None)
    return colour is not None and colour == _ground(cell)


def _is_white_by_format(cell: Any) -> bool:
    """Return whether the format section that applies to this cell sets white: `[White]0.00`, `0;0;0;[White]@`."""
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
    """Return a colour, or None if it is unknown. Most theme colours are unknown."""
    if colour is None:
        return None
    if colour.type == "rgb" and isinstance(colour.rgb, str):
        return colour.rgb[-6:].upper()
    if colour.type == "indexed":
        return _INDEXED.get(colour.indexed)
    return _WHITE if colour.type == "theme" and colour.theme == _WHITE_THEME and not colour.tint else None


def _attributes(text: bytes) -> dict[bytes, bytes]:
    return dict(_ATTRIBUTE.findall(text))


def _is_hidden(attributes: dict[bytes, bytes], size: bytes) -> bool:
    return attributes.get(b"hidden") in (b"1", b"true") or bool(re.fullmatch(rb"0(?:\.0*)?", attributes.get(size, b"")))


def _number(attributes: dict[bytes, bytes], name: bytes) -> int:
    value = attributes.get(name, b"")
    return int(value) if value.isdigit() and len(value) < 8 else 0
