"""The body of a Word document as elements in reading order: paragraphs, headings, tables, figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from corpus.readers.elements.element import (
    About,
    Element,
    Elements,
    Figure,
    Heading,
    Paragraph,
    Table,
    is_code_paragraph,
)
from corpus.readers.markup import Node, name_of, parse_count
from corpus.readers.office.list_numbers import Numbering
from corpus.readers.office.package import objects_of
from corpus.readers.office.text.docx_runs import Inside, Runs, text_boxes
from corpus.readers.office.text.docx_styles import PLAIN, Style, W, level_by_looks, level_of, numbering_of

_MAX_COLUMNS = 1_000
"""Maximum number of columns that are read; Word allows 63."""
_MAX_LAYOUT_ROWS = 4
"""Maximum number of rows at which a table with pictures counts as layout, which only arranges them."""


def cells_of(table: Node) -> Iterator[Node]:
    """Yield the cells row by row, without the cells of nested tables."""
    for row in _rows(table):
        yield from _row_cells(row)


def table_of(table: Node, texts: Iterator[str]) -> tuple[tuple[str, ...], ...]:
    """Return the rows with the `texts` of their cells. The text of a spanning cell is repeated in each position that
    the cell covers."""
    rows: list[tuple[str, ...]] = []
    for node in _rows(table):
        row = [""] * _number(node, "trPr", "gridBefore", 0)
        for cell in _row_cells(node):
            text, span = next(texts), _number(cell, "tcPr", "gridSpan", 1)
            if _goes_on(cell) and rows and len(row) < len(rows[-1]):
                text = rows[-1][len(row)]
            row.extend([text] * max(1, span))
        rows.append(tuple(row[:_MAX_COLUMNS]))
    return tuple(rows)


def header_rows(table: Node) -> int:
    """Return how many rows are marked as repeated header rows; at least one."""
    count = 0
    for row in _rows(table):
        if row.find(f"{W}trPr/{W}tblHeader") is None:
            break
        count += 1
    return count or 1


def is_layout(table: Node, cells: Sequence[list[Element]]) -> bool:
    """Return whether the table only arranges its content: it has one column, or pictures with captions."""
    rows = list(_rows(table))
    if all(len(list(_row_cells(row))) <= 1 for row in rows):
        return True
    pictures = sum(isinstance(each, Figure) for elements in cells for each in elements)
    return pictures > 0 and len(rows) <= _MAX_LAYOUT_ROWS


def _rows(table: Node) -> Iterator[Node]:
    for child in table:
        if child.tag == f"{W}tr":
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}customXml"):
            yield from _rows(child)


def _row_cells(row: Node) -> Iterator[Node]:
    for child in row:
        if child.tag == f"{W}tc":
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml"):
            yield from _row_cells(child)


def _number(node: Node, properties: str, name: str, default: int) -> int:
    """Return a number of columns from the properties of a row or cell."""
    element = node.find(f"{W}{properties}/{W}{name}")
    return default if element is None else parse_count(element.get(f"{W}val"), _MAX_COLUMNS, default)


def _goes_on(cell: Node) -> bool:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and merge.get(f"{W}val") in (None, "continue")


_HOLDERS = {"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"}
_HEADING = 100
"""Maximum length, in characters, of a line that may be a heading because of its formatting."""
_MAX_DEPTH = 12
"""Maximum nesting depth of tables and text boxes."""

_CHARACTER = 120
"""Width in twips of a monospaced character of 10 points, the usual size for code."""
_MAX_TWIPS = 31_680
"""Width in twips of the widest page that Word allows, 22 inches."""


@dataclass(frozen=True, slots=True)
class _CodeLines(Paragraph):
    """Code, with the indentation of its paragraph in characters."""

    indent: int = 0


class Body:
    """Reads a body. `part` is the python-docx part whose relationships the drawings use. `notes` contains the text of
    each note, keyed by kind and id.

    Comments are removed from `comments` once they are placed. In a `typewritten` document, a monospaced font does not
    indicate code.
    """

    def __init__(
        self,
        part: Any,
        styles: dict[str, Style],
        numbering: Numbering,
        about: About,
        notes: dict[tuple[str, str], str] | None = None,
        comments: dict[str, Paragraph] | None = None,
        typewritten: bool = False,
    ) -> None:
        self._part, self._styles, self._numbering = part, styles, numbering
        self._notes, self._comments, self._about = notes or {}, comments or {}, about
        self._runs, self._typewritten = Runs(styles), typewritten
        self._behind_table: list[Paragraph] = []
        self._in_table = 0
        self._note = 0
        self._depth = 0
        self._white = True

    def elements(self, parent: Node) -> Elements:
        """Yield the elements in the children of a body, cell or text box."""
        if self._depth >= _MAX_DEPTH:
            return
        self._depth += 1
        for is_code, group in groupby(self._children(parent), key=is_code_paragraph):
            if is_code:
                yield Paragraph(_listing(each for each in group if isinstance(each, Paragraph)), "code")
            else:
                yield from group
        self._depth -= 1

    def _children(self, parent: Node) -> Elements:
        for child in parent:
            name = name_of(child)
            if name == "p":
                yield from self._paragraph(child)
            elif name == "tbl":
                yield from self._table(child)
            elif name == "altChunk":
                self._about.left_out["embedded document"] += 1
            elif name in ("del", "moveFrom"):
                deleted = any(text.text and text.text.strip() for text in child.iter(f"{W}delText"))
                self._about.left_out["deleted passage"] += name == "del" and deleted
            elif name in _HOLDERS and not _is_contents(child):
                yield from self._children(child)

    def _paragraph(self, node: Node) -> Elements:
        properties = node.find(f"{W}pPr")
        style = self._style(properties)
        if style.is_contents:
            return
        shaded = properties is not None and properties.find(f"{W}shd") is not None
        inside = self._runs.inside(node, on_white=self._white and not shaded)
        self._about.unseen += inside.unseen
        self._about.left_out += inside.left_out
        is_code = style.is_code or (inside.is_monospaced and not self._typewritten)
        if is_code and style.level is None and not style.is_caption and not style.numbering:
            yield _CodeLines(inside.text.strip("\n").rstrip(), "code", _indent(properties))
        elif text := inside.text.strip():
            yield self._text(text, style, node)
        yield from self._attached(inside)

    def _text(self, text: str, style: Style, node: Node) -> Element:
        properties = node.find(f"{W}pPr")
        if style.is_title:
            self._about.title = self._about.title or " ".join(text.split())
        numbering = numbering_of(properties) or style.numbering
        mark = self._numbering.mark(*numbering) if numbering else ""
        level = level_of(properties) or style.level
        if level is None and not mark and len(text) <= _HEADING and self._depth == 1:
            level = level_by_looks(node)
        if level is not None:
            return Heading(mark.strip(" -") + " " * bool(mark.strip(" -")) + text, level)
        return Paragraph(mark + text, "caption" if style.is_caption else "text")

    def _style(self, properties: Node | None) -> Style:
        node = None if properties is None else properties.find(f"{W}pStyle")
        return self._styles.get("" if node is None else node.get(f"{W}val") or "", PLAIN)

    def _attached(self, inside: Inside) -> Elements:
        """Yield the objects attached to a paragraph: pictures, text boxes, notes."""
        for drawing in inside.objects:
            yield from objects_of(drawing, self._part)
            for box in text_boxes(drawing):
                white, self._white = self._white, False  # a text box may have its own background colour
                yield from self.elements(box)
                self._white = white
        beside = []
        for note in inside.notes:
            if text := self._notes.get(note):
                self._note += 1
                beside.append(Paragraph(f"{note[0].capitalize()} {self._note}: {text}"))
        beside += [self._comments.pop(comment) for comment in inside.comments if comment in self._comments]
        if self._in_table:
            self._behind_table += beside
        else:
            yield from beside

    def _table(self, node: Node) -> Elements:
        white, self._white = self._white, False  # a table style may colour its cells
        self._in_table += 1
        cells = [list(self.elements(cell)) for cell in cells_of(node)]
        self._in_table -= 1
        self._white = white
        if is_layout(node, cells):
            for elements in cells:
                yield from elements
        else:
            yield Table(rows=table_of(node, iter(map(_flat, cells))), header=header_rows(node))
            for elements in cells:
                yield from (each for each in elements if isinstance(each, Figure))
        if not self._in_table:
            behind, self._behind_table = self._behind_table, []
            yield from behind


def _listing(paragraphs: Iterable[Paragraph]) -> str:
    """Join consecutive lines of code, indented relative to the leftmost line."""
    parts = list(paragraphs)
    indents = [each.indent if isinstance(each, _CodeLines) else 0 for each in parts]
    left = min((indent for indent, each in zip(indents, parts, strict=True) if each.text.strip()), default=0)
    lines = (
        " " * max(0, indent - left) + line
        for indent, each in zip(indents, parts, strict=True)
        for line in each.text.split("\n")
    )
    return "\n".join(lines).rstrip().strip("\n")


def _indent(properties: Node | None) -> int:
    """Return the indentation that exceeds the style's, in characters."""
    indent = None if properties is None else properties.find(f"{W}ind")
    if indent is None:
        return 0
    left = parse_count(indent.get(f"{W}left") or indent.get(f"{W}start"), _MAX_TWIPS, 0)
    left += parse_count(indent.get(f"{W}firstLine"), _MAX_TWIPS, 0) - parse_count(
        indent.get(f"{W}hanging"), _MAX_TWIPS, 0
    )
    return max(0, round(left / _CHARACTER))


def _flat(elements: list[Element]) -> str:
    """Return the elements of a cell as one line. A nested table is written row by row."""
    return " ".join(filter(None, map(_line, elements)))


def _line(element: Element) -> str:
    match element:
        case Paragraph() | Heading():
            return element.text.strip()
        case Table():
            return "; ".join(", ".join(filter(None, row)) for row in element.rows)
    return ""


def _is_contents(node: Node) -> bool:
    """Return whether the node is a generated table of contents, which adds no information."""
    gallery = node.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and gallery.get(f"{W}val") in ("Table of Contents", "Bibliographies TOC")
