"""OpenDocument spreadsheets (ODS), whose cells store the text that they display."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import open_archive, read_entry
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Elements, Figure, Heading, Paragraph, Table
from corpus.readers.markup import Node, attribute, name_of, parse_count, parse_xml
from corpus.readers.office.number_format import format_value
from corpus.readers.office.sheets.cell_text import WHITE, Run, text_of_runs
from corpus.readers.office.sheets.sheet import Budget, Comment, sheet_elements, warn_hidden_sheets
from corpus.readers.office.sheets.sheet_grid import MAX_COLUMNS, Area, Merges, Row
from corpus.readers.office.text.odf import about_of, open_content
from corpus.readers.protocol import Step
from corpus.readers.typography import Position

_LAST_ROW = 1_048_576
"""Maximum number of rows in a sheet in LibreOffice and Excel; _LAST_COLUMN is the maximum number of columns. Repeat
counts in a file may exceed them."""
_LAST_COLUMN = 16_384
_ROW_GROUPS = {"table-row-group", "table-header-rows", "table-rows"}
_COLUMN_GROUPS = {"table-column-group", "table-header-columns", "table-columns"}
_NUMBERS = {"float", "currency", "percentage"}
_NOT_SHOWN = {"collapse", "filter"}
_SHAPES = {
    "frame", "custom-shape", "rect", "ellipse", "g", "line", "connector", "polygon", "path", "caption", "a",
}  # fmt: skip
_FIELDS = {"page-number", "page-count", "date", "time", "title", "file-name", "sheet-name"}
_MAX_DEPTH = 20
"""Maximum nesting depth of groups, shapes and styles."""
_PICTURE_BYTES = 50_000_000
"""Maximum size of a picture, in bytes."""
_SHORT_FOOT = 12
"""Maximum length of a footer that is only a page number ("Seite 1 von 3"), in characters and without the number."""


def read_ods(path: Path) -> Iterator[Step]:
    """Yield blocks, each under its cell range. Raises UnreadableDocument if the file is damaged, encrypted or not in
    ODS format."""
    with open_archive(path, "ODS") as archive:
        root, body, masters = open_content(archive, "ODS", "spreadsheet")
        about = about_of(archive)
        about.titled_by_heading = False
        styles = _root_of(None) if masters is None else masters
        yield from steps_of(_Workbook(archive, root, styles, about).elements(body), about)


class _Style(NamedTuple):
    parent: str | None
    letters: str | None
    ground: str | None
    is_hidden: bool
    depends: bool
    """Whether the style is conditional, so that colours may change."""
    is_struck: bool = False
    position: Position | None = None


class _Styles:
    """Styles of cells and sheets, keyed by name, with only the properties that can hide something."""

    def __init__(self, *roots: Node) -> None:
        self._styles: dict[str | None, _Style] = {}
        for root in roots:
            for node in root.iter("{*}style", "{*}default-style"):
                parts = {name_of(child): child for child in node}
                letters, cell = parts.get("text-properties"), parts.get("table-cell-properties")
                table = parts.get("table-properties")
                self._styles[attribute(node, "name") or attribute(node, "family")] = _Style(
                    attribute(node, "parent-style-name") or attribute(node, "family"),
                    _colour(letters, "color"),
                    _colour(cell, "background-color"),
                    (table is not None and attribute(table, "display") == "false")
                    or (letters is not None and attribute(letters, "display") == "none"),
                    "map" in parts,
                    _value(letters, "text-line-through-style") not in (None, "none"),
                    _position(_value(letters, "text-position")),
                )

    def hides(self, name: str | None) -> bool:
        """Return whether the style of a sheet or text hides it."""
        style = self._styles.get(name)
        return bool(style and style.is_hidden)

    def colours(self, name: str | None) -> tuple[str | None, str | None]:
        """Return the text colour of a cell (None if unknown) and its background colour (white by default)."""
        letters = ground = None
        for _ in range(_MAX_DEPTH):
            style = self._styles.get(name)
            if not style or style.depends:
                break
            letters, ground, name = letters or style.letters, ground or style.ground, style.parent
        return letters, ground if ground not in (None, "transparent") else WHITE

    def run(self, text: str, name: str | None) -> Run:
        """Return a run of text in the style with this name."""
        style = self._styles.get(name)
        return Run(text, style.position, style.is_struck, style.letters) if style else Run(text)


class _Workbook:
    """Reads the visible sheets of a workbook."""

    def __init__(self, archive: ZipFile, root: Node, styles: Node, about: About) -> None:
        self._archive, self._about = archive, about
        self._budget = Budget(about)
        self._styles = _Styles(styles, root)
        self._masters = styles

    def elements(self, body: Node) -> Elements:
        """Yield the elements of each sheet in order, under the sheet's name."""
        hidden = 0
        for number, table in enumerate(body.iterchildren("{*}table"), 1):
            name = attribute(table, "name") or f"Sheet{number}"
            if self._styles.hides(attribute(table, "style-name")):
                hidden += 1
                continue
            yield Heading(name)
            sheet = _Sheet(table, self._styles, self._budget, self._about)
            yield from sheet_elements(name, sheet.rows(), sheet.comments)
            for shape in sheet.shapes:
                yield from self._shape(shape, name, 0)
            if self._budget.is_spent(name):
                break
        yield from map(Paragraph, dict.fromkeys(_page_heads(self._masters)))
        warn_hidden_sheets(hidden, self._about)

    def _shape(self, shape: Node, title: str, depth: int) -> Elements:
        """Yield the text, picture or chart of a shape."""
        lines = [text for paragraph in shape.iterchildren("{*}p") if (text := self._words(paragraph))]
        if lines:
            yield Paragraph("\n".join(lines))
        for child in shape if depth < _MAX_DEPTH else ():
            match name_of(child):
                case "object":
                    yield from self._chart(attribute(child, "href") or "")
                    break  # the preview picture of the chart follows
                case "image":
                    data = read_entry(
                        self._archive, (attribute(child, "href") or "").removeprefix("./"), _PICTURE_BYTES
                    )
                    if data:
                        yield Figure(data=data, title=title)
                    break
                case "text-box":
                    yield from self._shape(child, title, depth + 1)
                case name if name in _SHAPES:
                    yield from self._shape(child, title, depth + 1)

    def _words(self, paragraph: Node) -> str:
        text = "".join(_text(paragraph)).strip()
        names = [attribute(node, "style-name") for node in paragraph.iter("{*}span", "{*}p")]
        if text and any(self._styles.hides(name) for name in names):
            self._about.unseen += 1
            return ""
        return text

    def _chart(self, address: str) -> Elements:
        root = _root_of(read_entry(self._archive, f"{address.removeprefix('./')}/content.xml"))
        rows = []
        for row in root.iter("{*}table-row"):
            cells = [" ".join("".join(_text(p)) for p in cell.iterchildren("{*}p")) for cell in row]
            rows.append(tuple(cells[:MAX_COLUMNS]))
        title = next((" ".join("".join(_text(p)) for p in node.iter("{*}p")) for node in root.iter("{*}title")), "")
        if any(any(row) for row in rows):
            yield Table(rows=tuple(rows), caption=f"Chart: {title or 'without title'}")
        else:
            self._about.left_out["chart" if len(root) else "embedded object"] += 1


class _Sheet:
    """Reads the rows of one sheet in a single pass. `comments` and `shapes` are complete from the start."""

    def __init__(self, table: Node, styles: _Styles, budget: Budget, about: About) -> None:
        self._styles, self._budget, self._about = styles, budget, about
        self._table = table
        self._hidden: set[int] = set()
        self._column_styles: list[str | None] = []
        for column in _within(table, "table-column", _COLUMN_GROUPS):
            count = min(
                parse_count(attribute(column, "number-columns-repeated"), _LAST_COLUMN),
                MAX_COLUMNS - len(self._column_styles),
            )
            if attribute(column, "visibility") in _NOT_SHOWN:
                self._hidden.update(range(len(self._column_styles), len(self._column_styles) + count))
            self._column_styles += [attribute(column, "default-cell-style-name")] * count
        self.comments: list[Comment] = []
        self.shapes = [shape for holder in table.iterchildren("{*}shapes") for shape in holder]
        self._areas: list[Area] = []
        self._unseen_columns: set[int] = set()
        for number, row in self._numbered():
            self._look_around(number, row)

    def rows(self) -> Iterator[Row | None]:
        """Yield the visible rows, and None for each hidden row."""
        merges = Merges(self._areas)
        for number, node in self._numbered():
            count = min(parse_count(attribute(node, "number-rows-repeated"), _LAST_ROW), _LAST_ROW - number + 1)
            is_hidden = attribute(node, "visibility") in _NOT_SHOWN
            row = self._row(number, node)
            if is_hidden:
                self._about.unseen += bool(row.cells)
                merges.begin(row)
                yield None
                continue
            if not row.cells and any(_cell_text(cell)[0] for _, cell, _ in _cells(node)):
                yield None  # a row without visible cells does not separate tables
                continue
            for repeat in range(count if row.cells else 1):
                carried = merges.carry(row._replace(number=number + repeat))
                self._budget.spend(carried)
                yield carried
                if self._budget.is_over:
                    return

    def _numbered(self) -> Iterator[tuple[int, Node]]:
        number = 1
        for row in _within(self._table, "table-row", _ROW_GROUPS):
            if number > _LAST_ROW:
                return
            yield number, row
            number += parse_count(attribute(row, "number-rows-repeated"), _LAST_ROW)

    def _look_around(self, number: int, row: Node) -> None:
        """Record the merged cells, comments and shapes of a row."""
        is_hidden = attribute(row, "visibility") in _NOT_SHOWN
        for column, cell, _ in _cells(row):
            down = parse_count(attribute(cell, "number-rows-spanned"), _LAST_ROW)
            right = parse_count(attribute(cell, "number-columns-spanned"), _LAST_COLUMN)
            if down > 1 or right > 1:
                self._areas.append(Area(number, column + 1, number + down - 1, column + right))
            for child in cell:
                if name_of(child) == "annotation":
                    if is_hidden or column in self._hidden:
                        self._about.unseen += 1
                    else:
                        self.comments.append(_comment(number, column + 1, child))
                elif name_of(child) in _SHAPES:
                    self.shapes.append(child)

    def _row(self, number: int, row: Node) -> Row:
        texts, numeric = list[str](), 0
        row_style = attribute(row, "default-cell-style-name")
        for column, cell, count in _cells(row):
            text, is_number = _cell_text(cell)
            if not text:
                continue
            if column >= MAX_COLUMNS:
                self._budget.is_cut = True
                break
            style = attribute(cell, "style-name") or row_style
            for place in range(column, min(column + count, MAX_COLUMNS)):
                if place in self._hidden:
                    self._about.unseen += place not in self._unseen_columns
                    self._unseen_columns.add(place)
                    continue
                columns = self._column_styles[place] if place < len(self._column_styles) else None
                visible = self._visible_text(cell, text, style or columns)
                texts.extend([""] * (place + 1 - len(texts)))
                texts[place] = visible
                numeric |= (is_number and bool(visible)) << place
        return Row(number, tuple(texts), numeric)

    def _visible_text(self, cell: Node, text: str, style: str | None) -> str:
        """Return the text of a cell without struck-out and invisible parts. Superscripts and subscripts are marked as
        such."""
        letters, ground = self._styles.colours(style)
        base = self._styles.run(text, style)
        if not any(True for _ in cell.iter("{*}span")):
            return text_of_runs((base._replace(colour=letters),), ground, self._about).strip()
        runs = [
            Run(
                run.text,
                run.position or base.position,
                run.is_struck or base.is_struck,
                run.colour or letters,
            )
            for number, paragraph in enumerate(cell.iterchildren("{*}p"))
            for run in (*([Run("\n")] if number else []), *self._runs(paragraph, None))
        ]
        return text_of_runs(runs, ground, self._about).strip()

    def _runs(self, node: Node, style: str | None, depth: int = 0) -> Iterator[Run]:
        yield self._styles.run(" ".join(re.split(r"\s+", node.text or "")), style)
        for child in node:
            if name_of(child) == "span" and depth < _MAX_DEPTH:
                yield from self._runs(child, attribute(child, "style-name") or style, depth + 1)
            else:
                yield self._styles.run("".join(_inline(child, depth)), style)
            yield self._styles.run(" ".join(re.split(r"\s+", child.tail or "")), style)


def _within(parent: Node, name: str, groups: set[str], depth: int = 0) -> Iterator[Node]:
    for child in parent:
        if name_of(child) == name:
            yield child
        elif name_of(child) in groups and depth < _MAX_DEPTH:
            yield from _within(child, name, groups, depth + 1)


def _cells(row: Node) -> Iterator[tuple[int, Node, int]]:
    """Yield the column (0-based) of each cell, the cell, and its repeat count."""
    column = 0
    for cell in row:
        if name_of(cell) in ("table-cell", "covered-table-cell"):
            count = parse_count(attribute(cell, "number-columns-repeated"), _LAST_COLUMN)
            if name_of(cell) == "table-cell":
                yield column, cell, count
            column += count


def _cell_text(cell: Node) -> tuple[str, bool]:
    """Return the text of a cell, and whether it is a number. If the program that wrote the file stored no text, derive
    the text from the value."""
    kind = attribute(cell, "value-type") or ""
    lines = ["".join(_text(paragraph)) for paragraph in cell.iterchildren("{*}p")]
    if lines:
        return "\n".join(lines).strip(), kind in _NUMBERS
    if kind in _NUMBERS:
        return _number(cell, percent=kind == "percentage"), True
    value = attribute(cell, f"{kind}-value") or ""
    match kind:
        case "date":
            value = _date(value)
        case "time":
            value = _clock(value)
        case "boolean":
            value = value.upper()
    return value, False


def _number(cell: Node, *, percent: bool) -> str:
    try:
        text = format_value(float(attribute(cell, "value") or ""), "0.##%" if percent else None).replace(".%", "%")
    except ValueError:
        return ""
    return " ".join(filter(None, (text, attribute(cell, "currency"))))


def _date(text: str) -> str:
    try:
        return format_value(datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text), None)
    except ValueError:
        return text


def _clock(text: str) -> str:
    """Convert `PT09H30M00S` to 9:30."""
    match = re.fullmatch(r"PT(\d{1,6})H(\d{1,2})M(\d{1,2})(?:[.,]\d{1,9})?S", text)
    return f"{int(match[1])}:{match[2]:0>2}" + (f":{match[3]:0>2}" if int(match[3]) else "") if match else text


def _text(node: Node, depth: int = 0) -> Iterator[str]:
    yield " ".join(re.split(r"\s+", node.text or ""))
    for child in node:
        yield from _inline(child, depth)
        yield " ".join(re.split(r"\s+", child.tail or ""))


def _inline(node: Node, depth: int) -> Iterator[str]:
    match name_of(node):
        case "s":
            yield " " * parse_count(attribute(node, "c"), 50)
        case "tab":
            yield "\t"
        case "line-break":
            yield "\n"
        case "annotation" | "note" | "ruby-text":
            pass
        case _ if depth < _MAX_DEPTH:
            yield from _text(node, depth + 1)


def _comment(row: int, column: int, note: Node) -> Comment:
    author = next((" ".join((node.text or "").split()) for node in note.iterchildren("{*}creator")), "")
    lines = ["".join(_text(paragraph)) for paragraph in note.iter("{*}p")]
    return Comment(row, column, ((author, "\n".join(lines)),))


def _page_heads(styles: Node) -> Iterator[str]:
    """Yield the text of the printed headers and footers, without fields such as page numbers."""
    for part in islice(styles.iter("{*}header", "{*}footer", "{*}header-left", "{*}footer-left"), 100):
        if attribute(part, "display") == "false":
            continue
        lines = []
        for paragraph in part.iter("{*}p"):
            fields = [node for node in paragraph.iter() if name_of(node) in _FIELDS]
            words = "".join(_text(paragraph))
            for node in fields:
                words = words.replace("".join(node.itertext()), " ", 1)
            if not fields or len(re.sub(r"\W", "", words)) > _SHORT_FOOT:
                lines.append(" ".join(words.split()))
        if any(character.isalpha() for line in lines for character in line):
            yield " – ".join(filter(None, lines))


def _root_of(data: bytes | None) -> Node:
    try:
        return parse_xml(data or b"<none/>")
    except UnreadableDocument:
        return parse_xml(b"<none/>")


def _colour(properties: Node | None, name: str) -> str | None:
    """Return a colour as six hexadecimal digits, or the name of a colour."""
    value = _value(properties, name)
    return value.removeprefix("#").upper() if value and value.startswith("#") else value


def _value(properties: Node | None, name: str) -> str | None:
    return attribute(properties, name) if properties is not None else None


def _position(text: str | None) -> Position | None:
    """Parse a text position such as `super 58%` or `-33% 58%`."""
    first = (text or "").split(" ")[0]
    if first in ("super", "sub"):
        return "raised" if first == "super" else "lowered"
    height = first.removesuffix("%")
    if not first.endswith("%") or not re.fullmatch(r"-?[1-9]\d{0,2}", height):
        return None
    return "lowered" if height.startswith("-") else "raised"
